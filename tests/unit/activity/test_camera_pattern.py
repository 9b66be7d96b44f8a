"""The fixed pattern of a camera, found and taken off where there is one."""

import numpy as np
import pytest

from cender.activity import ActivityParams, Cameras, estimate_cameras, measure_intensities, sample_rows
from cender.activity.camera_pattern import PatternGauge
from cender.types import Neurons, Regions, Stack, Volume, VoxelSize

SHAPE = (8, 200, 160)
RNG = np.random.default_rng(4)
PATTERN = RNG.normal(0, 3, SHAPE[1:]) + RNG.normal(0, 1, SHAPE[2])
BOXES = np.array([[40.0, 80, 9, 9], [70.0, 95, 9, 9], [100.0, 112, 9, 9]])
STEP = np.array([4.0, 0, 0, 0])
"""What neurons move by from volume to volume."""
INSIDE = (slice(8, -8), slice(8, -8))


def make_volume(index: int, strength: float, roles: tuple[str, ...] = ("red",)) -> Volume:
    """Three neurons that move from volume to volume, seen by one camera per channel."""
    rng = np.random.default_rng(index)
    image = 120 + strength * PATTERN[None] + rng.normal(0, 5, SHAPE)
    y, x = np.mgrid[: SHAPE[1], : SHAPE[2]]
    for left, top, w, h in BOXES + STEP * index:
        squared = ((y - top - h / 2 + 0.5) / h) ** 2 + ((x - left - w / 2 + 0.5) / w) ** 2
        image[3:6] += 60 * np.exp(-4 * np.log(2) * squared)
    data = np.stack([np.rint(image).astype(np.uint16)] * len(roles))
    return Volume(index, 0.0, data, VoxelSize(1.5, 0.3, 0.3), roles)


def make_stack(red: np.ndarray) -> Stack:
    return Stack(red, VoxelSize(1.5, 0.3, 0.3), red, None)


def make_neurons(index: int) -> Neurons:
    frames = np.repeat([3, 4, 5], len(BOXES))
    boxes = np.tile(BOXES + STEP * index, (3, 1))
    regions = Regions.from_boxes(frames, boxes, neuron=np.tile(np.arange(len(BOXES)), 3))
    return Neurons(np.zeros((3, 3)), np.full(3, 3), np.full(3, 5), np.ones(3), regions)


def find_pattern(strength: float, volumes: int = 6) -> np.ndarray | None:
    gauge = PatternGauge()
    for index in range(volumes):
        gauge.add(make_volume(index, strength).stack)
    return gauge.finish().red


def test_the_pattern_of_single_pixels_is_found_and_light_is_not() -> None:
    found = find_pattern(1.0)
    assert found is not None
    assert np.corrcoef(found[INSIDE].ravel(), PATTERN[INSIDE].ravel())[0, 1] > 0.9
    under = found[80:90, 40:54] - PATTERN[80:90, 40:54]
    assert abs(under.mean()) < 1.0, "neurons of 60 counts leave no trace in it"


def test_less_is_believed_where_less_was_seen() -> None:
    one, many = find_pattern(1.0, 1), find_pattern(1.0, 6)
    assert one is not None
    assert many is not None
    assert one.std() < many.std() < PATTERN.std()


def test_nothing_is_taken_off_where_there_is_no_pattern() -> None:
    assert find_pattern(0.0) is None
    gauge = PatternGauge()
    gauge.add(make_stack(np.zeros(SHAPE, np.uint8)))
    assert gauge.finish().red is None, "an image without noise"
    assert PatternGauge().finish().red is None


@pytest.mark.parametrize(("volumes", "looked_at"), [(1, 1), (7, 7), (20, 12), (36, 18), (50, 24), (3000, 24)])
def test_long_recordings_show_more_of_the_cameras(volumes: int, looked_at: int) -> None:
    rows = sample_rows(volumes)
    assert len(rows) == looked_at
    assert rows[0] == 0
    assert rows[-1] == volumes - 1


def test_what_is_seen_of_noise_is_not_cut_off_at_its_bright_side() -> None:
    gauge = PatternGauge()
    rng = np.random.default_rng(0)
    for _ in range(6):
        frames = 120 + PATTERN[None] + rng.normal(0, 5, SHAPE)
        gauge.add(make_stack(np.rint(frames).astype(np.uint16)))
    found = gauge.finish().red
    assert found is not None
    assert abs(found[INSIDE].mean()) < 0.05


def test_volumes_of_another_shape_are_left_out() -> None:
    gauge = PatternGauge()
    gauge.add(make_volume(0, 1.0).stack)
    gauge.add(make_stack(np.zeros((8, 100, 100), np.uint16)))
    assert gauge.finish().red is not None


def test_moving_neurons_do_not_see_the_pattern() -> None:
    volumes = [make_volume(index, 3.0) for index in sample_rows(12)]
    cameras = estimate_cameras([volume.stack for volume in volumes], ActivityParams())
    assert cameras.pattern.green is None

    def flicker(known: Cameras) -> float:
        light = [
            measure_intensities(volume.stack, make_neurons(volume.index), known, ActivityParams()).red
            for volume in volumes
        ]
        return float(np.mean(np.std(light, axis=0)))

    assert flicker(cameras) < 0.7 * flicker(Cameras())


def test_both_cameras_have_patterns_of_their_own_even_where_the_map_is_given() -> None:
    params = ActivityParams(red_to_green=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    cameras = estimate_cameras([make_volume(index, 1.0, ("red", "green")).stack for index in range(3)], params)
    assert cameras.channel_map.source == "given"
    assert cameras.pattern.red == pytest.approx(cameras.pattern.green)
