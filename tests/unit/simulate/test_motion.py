"""Bodies bend, turn and lie on either side, but are never mirrored unless the microscope does it."""

import numpy as np
import pytest

from cases.simulations import STILL, simulate
from cender.simulate.motion import bend_centre_line, place_points
from cender.simulate.scene import place_in_frames

PROBES = np.array([[70.0, 0, 0], [60.0, 0, 0], [70.0, 8.0, 0], [70.0, 0, 8.0]])


def find_axes(side: str, mirrored: bool = False, seed: int = 1) -> np.ndarray:
    """Anterior, dorsal and left of a still animal in ``z y x`` of the image, one row each."""
    knobs = {"motion": {**STILL, "side": side}, "optics": {"mirrored": mirrored}}
    world = simulate(seed, **knobs).world
    placed = place_in_frames(world.params, world.motion, PROBES, 0)
    # Depth is counted from a frame towards it, so a point that lies higher has less of it.
    points = np.concatenate([-placed.depth_um[0, :, None], placed.centre_px[0] * 0.6], axis=1)
    axes = points[1:] - points[0]
    return np.asarray(axes / np.linalg.norm(axes, axis=1, keepdims=True))


@pytest.mark.parametrize("seed", range(6))
def test_other_side_is_half_a_turn_and_never_a_mirror_image(seed: int) -> None:
    left, right = find_axes("left", seed=seed), find_axes("right", seed=seed)
    assert left[2, 0] * right[2, 0] < 0, "the other side faces the objective"
    assert left[1] @ right[1] < 0 or left[0] @ right[0] < 0.99, "so dorsal lies on the other hand"
    assert np.linalg.det(left) == pytest.approx(np.linalg.det(right), abs=1e-6)
    assert abs(np.linalg.det(left)) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("side", ["left", "right"])
def test_mirrored_microscope_flips_handedness(side: str) -> None:
    assert np.linalg.det(find_axes(side)) == pytest.approx(-np.linalg.det(find_axes(side, mirrored=True)), abs=1e-6)


def test_either_side_occurs_and_is_written_down() -> None:
    sides = {simulate(seed).provenance["side_to_objective"] for seed in range(12)}
    assert sides == {"left", "right"}
    assert simulate(motion={"side": "left"}).provenance["side_to_objective"] == "left"


def test_centre_line_keeps_its_length_however_it_bends() -> None:
    motion = simulate(volumes=40, preset="hard").world.motion
    line, _ = bend_centre_line(motion, slice(0, None, 7))
    pieces = np.linalg.norm(np.diff(line, axis=1), axis=2)
    assert pieces == pytest.approx(np.full(pieces.shape, 2.0))


def test_still_animal_stays_and_a_moving_one_turns_through_many_angles() -> None:
    still = simulate(volumes=20, motion=STILL).world.motion
    where = place_points(still, PROBES, slice(0, None))
    assert np.ptp(where, axis=0).max() == pytest.approx(0)
    starts = [simulate(seed).world.motion.heading_rad[0] % (2 * np.pi) for seed in range(24)]
    assert len(np.unique(np.floor(np.array(starts) / (np.pi / 2)))) == 4


def test_omega_turn_brings_the_head_to_the_body() -> None:
    calm = {**STILL, "omega_turns_per_min": 0.0}
    turning = {**STILL, "omega_turns_per_min": 15.0}
    nearest = []
    for knobs in (calm, turning):
        line, _ = bend_centre_line(simulate(volumes=100, motion=knobs).world.motion, slice(0, None, 5))
        nearest.append(np.linalg.norm(line[:, 0] - line[:, 110], axis=1).min())
    assert nearest[0] > 200 > 130 > nearest[1]


def test_stage_jumps_are_sudden() -> None:
    jumping = simulate(volumes=100, motion={**STILL, "stage_jumps_per_min": 20.0}).world.motion
    steps = np.linalg.norm(np.diff(jumping.centre_um, axis=0), axis=1)
    assert steps.max() > 5
    assert np.median(steps) < 0.5


def test_knob_of_one_process_leaves_the_others_alone() -> None:
    base, changed = (simulate(motion={"focus_um": focus}).world.motion for focus in (2.0, 4.0))
    assert np.array_equal(base.heading_rad, changed.heading_rad)
    assert np.array_equal(base.centre_um, changed.centre_um)
    assert not np.array_equal(base.focus_um, changed.focus_um)
