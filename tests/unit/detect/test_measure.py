"""Intensities of regions."""

import numpy as np
import pytest

from cender.detect.measure import measure_regions
from cender.types import Regions


def measure(red: np.ndarray, *boxes: tuple[float, ...]) -> list[float]:
    table = np.array(boxes, float)
    regions = measure_regions(red, Regions.from_boxes(table[:, 0].astype(int), table[:, 1:]))
    return regions.intensity.tolist()


@pytest.fixture
def red() -> np.ndarray:
    image = np.full((3, 60, 60), 100, np.uint16)
    image[1, 20:30, 20:28] = 160
    return image


def test_mean_above_background(red: np.ndarray) -> None:
    assert measure(red, (1, 20, 20, 8, 10), (0, 20, 20, 8, 10)) == pytest.approx([60, 0])


def test_fractions_of_pixels_count(red: np.ndarray) -> None:
    assert measure(red, (1, 19.5, 20, 8, 10)) == pytest.approx([60 * 7.5 / 8])


def test_a_bright_neighbour_is_no_background(red: np.ndarray) -> None:
    red[1, 20:30, 31:45] = 5000
    assert measure(red, (1, 20, 20, 8, 10)) == pytest.approx([60])


def test_border_and_outside(red: np.ndarray) -> None:
    red[2, :10, :10] = 150
    inside, outside = measure(red, (2, 0, 0, 10, 10), (2, 500, 500, 5, 5))
    assert inside == pytest.approx(50)
    assert np.isnan(outside)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.float32, np.float64])
def test_every_kind_of_number(red: np.ndarray, kind: type) -> None:
    assert measure(red.astype(kind), (1, 20, 20, 8, 10)) == pytest.approx([60])


def test_no_regions(red: np.ndarray) -> None:
    assert len(measure_regions(red, Regions.empty())) == 0
