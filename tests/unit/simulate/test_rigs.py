"""Microscopes drawn at random are frozen, varied, and store images as they say."""

from typing import Any

import numpy as np

from cases.simulations import simulate
from cender.simulate import simulate_recording
from cender.simulate.rigs import FRAMES, NEURONS, PIXEL_UM, STEP_UM, draw_rig, name_rigs

SMALL: dict[str, Any] = {"shape": (6, 96, 96), "voxel_um": (2.0, 0.6, 0.6)}


def read(**knobs: Any) -> np.ndarray:
    return np.asarray(simulate(4, volumes=1, **SMALL, **knobs).recording.volume(0, (0,)).data[0])


def test_family_is_frozen() -> None:
    assert name_rigs() == "a6bb07a5c91d"


def test_rigs_cover_what_is_in_use() -> None:
    rigs = [draw_rig(seed) for seed in range(60)]
    frames, _, _ = np.array([rig.shape for rig in rigs]).T
    step, pixel, _ = np.array([rig.voxel_um for rig in rigs]).T
    neurons = np.array([rig.anatomy.neurons[0] for rig in rigs])
    for values, (low, high) in ((frames, FRAMES), (step, STEP_UM), (pixel, PIXEL_UM), (neurons, NEURONS)):
        assert values.min() >= low
        assert values.max() <= high
        assert np.ptp(values) > 0.7 * (high - low)
    assert {rig.storage.largest for rig in rigs} == {255, 4095, 65535}
    assert 0 < np.mean([rig.optics.others > 0 for rig in rigs]) < 0.5
    assert draw_rig(5) == draw_rig(5) != draw_rig(6)


def test_images_are_stored_as_asked() -> None:
    plain = read()
    assert plain.dtype == np.uint16
    assert plain.min() > 0
    removed = read(storage={"remove_background": 4.0, "denoise_um": 0.3, "largest": 255})
    assert removed.dtype == np.uint8
    assert np.mean(removed == 0) > 0.8
    cut = read(storage={"saturate": 0.5})
    assert cut.max() < plain.max()
    assert np.count_nonzero(cut == cut.max()) > 20
    lossy = read(storage={"largest": 255, "jpeg_quality": 70})
    assert lossy.dtype == np.uint8
    assert not np.array_equal(lossy, read(storage={"largest": 255}))
    assert np.diff(read(storage={"denoise_um": 0.8}).astype(int)).std() < 0.6 * np.diff(plain.astype(int)).std()
    assert read(storage={"sharpen": 2.0}).std() > plain.std()


def test_gut_and_another_animal_are_in_view_but_not_in_the_truth() -> None:
    plain = simulate(4, volumes=1)
    more = simulate(4, volumes=1, optics={"gut": 2.0, "others": 40})
    assert len(plain.others_um(0)) == 0
    assert 0 < len(more.others_um(0)) <= 40
    truth = more.annotate(0)
    assert np.array_equal(truth.identity, plain.annotate(0).identity)
    apart = np.linalg.norm(more.others_um(0)[:, None] - truth.centre_um[None], axis=2)
    assert np.median(apart.min(1)) > 8
    assert more.recording.volume(0, (0,)).data.sum() > plain.recording.volume(0, (0,)).data.sum()


def test_rig_is_a_recording_like_any_other() -> None:
    simulation = simulate_recording(draw_rig(5005, 2))
    assert simulation.recording.volume(1, (0,)).data.dtype == simulation.recording.dtype
