"""Volumes are drawn from the seed alone: always the same, however they are asked for."""

import numpy as np
import pytest

from cases.simulations import DARK, STILL, simulate
from cender.simulate import rendering
from cender.simulate.rendering import GREEN, RED, draw_frame, map_points
from cender.simulate.scene import place_in_frames


def test_same_seed_gives_same_bytes_and_another_seed_others() -> None:
    first, again, other = (simulate(seed).recording.volume(1).data for seed in (1, 1, 2))
    assert first.dtype == np.uint16
    assert first.tobytes() == again.tobytes()
    assert not np.array_equal(first, other)


def test_volumes_differ() -> None:
    recording = simulate().recording
    assert not np.array_equal(recording.volume(0).data, recording.volume(1).data)


def test_longer_recording_begins_like_a_shorter_one() -> None:
    short, long = simulate(volumes=5), simulate(volumes=8)
    assert np.array_equal(short.recording.volume(4).data, long.recording.volume(4).data)
    for name in ("red", "green", "ratio"):
        assert np.array_equal(getattr(short.world.light, name), getattr(long.world.light, name)[:5])
    assert short.ratios(4) == long.ratios(4)
    assert np.array_equal(short.annotate(4).centre_um, long.annotate(4).centre_um)
    assert np.array_equal(short.world.blur_um, long.world.blur_um[:5])


def test_long_recording_begins_like_a_short_one_past_the_reference_of_activity() -> None:
    short, long = simulate(volumes=10, rate_hz=0.5), simulate(volumes=400, rate_hz=0.5)
    assert np.array_equal(short.world.light.ratio, long.world.light.ratio[:10])


@pytest.mark.parametrize("cores", [1, 7, None])
def test_number_of_threads_changes_nothing(cores: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = simulate().recording.volume(0).data
    monkeypatch.setattr(rendering, "cpu_count", lambda: cores)
    assert np.array_equal(simulate().recording.volume(0).data, expected)


def test_order_of_reading_and_choice_of_channels_change_nothing() -> None:
    recording = simulate().recording
    forwards = [recording.volume(index).data for index in (0, 1, 2)]
    backwards = [recording.volume(index).data for index in (2, 1, 0)]
    assert all(np.array_equal(a, b) for a, b in zip(forwards, backwards[::-1], strict=True))
    assert np.array_equal(recording.read(1, (GREEN,))[0], forwards[1][1])
    assert np.array_equal(recording.read(1, (GREEN, RED)), forwards[1][::-1])


def test_recording_says_what_it_is() -> None:
    simulation = simulate(volumes=4, rate_hz=5.0, flyback=0.25)
    recording = simulation.recording
    assert recording.shape == (4, 2, 12, 256, 256)
    assert recording.roles == ("red", "green")
    assert recording.voxel_um == (1.5, 0.6, 0.6)
    # Twelve frames are exposed in the first three quarters of 0.2 s.
    assert recording.times_s == pytest.approx(np.arange(4) * 0.2 + 0.075)
    assert simulation.provenance["preset_hash"] in recording.source


def test_body_moves_while_it_is_scanned() -> None:
    moving, still = simulate(), simulate(motion=STILL)
    for simulation, moves in ((moving, True), (still, False)):
        world = simulation.world
        placed = place_in_frames(world.params, world.motion, world.animal.adl_um, 1)
        way_px = np.linalg.norm(placed.centre_px[-1] - placed.centre_px[0], axis=1)
        assert (way_px.max() > 0.5) == moves
        assert (np.ptp(way_px) > 0.01) == moves, "and neurons do not all move alike"


def test_provenance_holds_the_map_between_the_cameras() -> None:
    simulation = simulate(seed=3, optics={**DARK, "camera_shift_px": 6.0, "camera_rotation_deg": 2.0})
    written = np.array(simulation.provenance["red_to_green_yx"].split(), float).reshape(2, 3)
    world = simulation.world
    spots, glow = world.see(0)
    row = int(np.argmax(spots.share * world.counts(0, RED)[spots.neuron]))
    alone = spots.select(np.array([row]))
    red, green = (
        find_centre(draw_frame(world, 0, channel, int(alone.frame[0]), alone, glow)) for channel in (RED, GREEN)
    )
    assert np.abs(red - green).max() > 1, "the cameras do differ"
    assert map_points(red, written) == pytest.approx(green, abs=0.05)


def find_centre(image: np.ndarray) -> np.ndarray:
    """Brightness-weighted centre of an image with one spot, ``y x``."""
    rows, columns = np.indices(image.shape)
    return np.array([(rows * image).sum(), (columns * image).sum()]) / image.sum()


def test_presets_go_from_easy_to_hard() -> None:
    ratio = {preset: measure_signal_to_noise(preset) for preset in ("easy", "typical", "hard")}
    assert ratio["easy"] > 1.5 * ratio["typical"] > 1.5 * ratio["hard"] * 1.0


def measure_signal_to_noise(preset: str) -> float:
    """Median over neurons and seeds of the brightest frame's light against the noise where there is none."""
    found = []
    for seed in (1, 2, 3):
        simulation = simulate(seed, volumes=2, preset=preset)
        world = simulation.world
        noise = np.sqrt(np.median(world.cameras[RED].read_variance))
        found.append(np.median(world.counts(0, RED)[: len(world.animal)]) / noise)
    return float(np.median(found))


def test_harder_presets_move_more_and_show_fewer() -> None:
    moved, seen = {}, {}
    for preset in ("easy", "typical", "hard"):
        worlds = [simulate(seed, volumes=30, preset=preset).world for seed in (1, 2, 3)]
        moved[preset] = np.mean([np.abs(np.diff(world.motion.heading_rad)).mean() for world in worlds])
        seen[preset] = np.mean([len(simulate(seed, preset=preset).annotate(0)) for seed in (1, 2, 3)])
    assert moved["easy"] < moved["typical"] < moved["hard"]
    assert seen["easy"] > seen["typical"] > seen["hard"]


def test_events_are_named_in_the_volumes_they_fall_into() -> None:
    busy = {"omega_turns_per_min": 12.0, "twists_per_min": 12.0, "deep_bends_per_min": 30.0}
    simulation = simulate(volumes=60, motion=busy, optics={"defocus_per_min": 30.0})
    assert {event for volume in range(60) for event in simulation.events(volume)} == {
        "deep bend", "omega turn", "twist", "defocus",
    }  # fmt: skip
    calm = simulate(volumes=60, motion=STILL, optics={"defocus_per_min": 0.0})
    assert not any(calm.events(volume) for volume in range(60))


def test_truth_in_memory_holds_every_volume() -> None:
    simulation = simulate()
    truth = simulation.truth()
    assert sorted(truth.annotations) == [0, 1, 2]
    assert truth.provenance == simulation.provenance
    assert {volume for _, volume in truth.ratio} == {0, 1, 2}
    assert all(identity in truth.annotations[volume].identity for identity, volume in truth.ratio)
    assert sorted(simulation.truth(range(1, 2)).annotations) == [1]
