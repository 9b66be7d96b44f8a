"""The pattern of a camera's columns and rows, found and taken off where there is one."""

import numpy as np
import pytest

from cender.activity import ActivityParams, ChannelMap, measure_intensities
from cender.activity.camera_pattern import measure_pattern
from cender.activity.profiles import Profiles
from cender.types import Neurons, Regions, Volume, VoxelSize

SHAPE = (8, 200, 160)
RNG = np.random.default_rng(4)
COLUMNS = RNG.normal(0, 3, (2, SHAPE[2]))
ROWS = RNG.normal(0, 3, SHAPE[1])
BOXES = np.array([[40.0, 80, 9, 9], [70.0, 95, 9, 9], [100.0, 112, 9, 9]])


def make_image(pattern_sd: float) -> np.ndarray:
    half = (np.arange(SHAPE[1]) >= SHAPE[1] // 2).astype(int)
    image = 120 + pattern_sd * (COLUMNS[half] + ROWS[:, None])[None] + RNG.normal(0, 5, SHAPE)
    y, x = np.mgrid[: SHAPE[1], : SHAPE[2]]
    for left, top, w, h in BOXES:
        squared = ((y - top - h / 2 + 0.5) / h) ** 2 + ((x - left - w / 2 + 0.5) / w) ** 2
        image[3:6] += 60 * np.exp(-4 * np.log(2) * squared)
    return np.rint(image).astype(np.uint16)


def make_regions() -> Regions:
    frames = np.repeat([3, 4, 5], len(BOXES))
    return Regions.from_boxes(frames, np.tile(BOXES, (3, 1)), neuron=np.tile(np.arange(len(BOXES)), 3))


def test_pattern_is_found_in_both_halves_and_in_rows() -> None:
    profiles = Profiles.from_regions(make_regions(), SHAPE[1:])
    found = measure_pattern(make_image(1.0), profiles)
    top, left, height, width = profiles.window_px
    for half in (0, 1):
        inside = slice(left + 5, left + width - 5)
        assert np.corrcoef(found.columns[half, inside], COLUMNS[half, inside])[0, 1] > 0.9
    inside = slice(top + 5, top + height - 5)
    assert np.corrcoef(found.rows[inside], ROWS[inside])[0, 1] > 0.9


def test_nothing_is_taken_off_where_there_is_no_pattern() -> None:
    profiles = Profiles.from_regions(make_regions(), SHAPE[1:])
    even = measure_pattern(make_image(0.0), profiles)
    assert (even.columns == 0).all()
    assert (even.rows == 0).all()
    full = np.array([[0.0, 0, 9, 9], [150.0, 190, 9, 9]])
    crowded = Profiles.from_regions(Regions.from_boxes(np.array([3, 3]), full), SHAPE[1:])
    nothing = measure_pattern(make_image(1.0), crowded)
    assert (nothing.columns == 0).all(), "no row without neurons"
    assert (nothing.rows == 0).all(), "no column without neurons"


def test_intensities_do_not_see_the_pattern() -> None:
    regions = make_regions()
    neurons = Neurons(np.zeros((3, 3)), np.full(3, 3), np.full(3, 5), np.ones(3), regions)
    images = [make_image(sd) for sd in (0.0, 3.0)]
    volumes = [Volume(0, 0.0, image[None], VoxelSize(1.5, 0.3, 0.3), ("red",)) for image in images]
    plain, striped = (
        measure_intensities(volume, neurons, ChannelMap.unmoved(), ActivityParams()).red for volume in volumes
    )
    assert striped == pytest.approx(plain, rel=0.06)
