"""Intensities of regions."""

import numpy as np
import pytest

from cender.detect.measure import LARGE_UM, has_large_nuclei, measure_regions
from cender.types import Regions, VoxelSize


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


def test_nuclei_are_large_by_the_width_of_most_regions() -> None:
    voxel_um = VoxelSize(1.5, 0.3, 0.3)

    def draw(*sides_um: float) -> Regions:
        box = np.array([[10.0, 10.0, side / 0.3, side / 0.3] for side in sides_um]).reshape(-1, 4)
        return Regions.from_boxes(np.zeros(len(box), int), box)

    assert not has_large_nuclei(draw(), voxel_um)
    assert not has_large_nuclei(draw(2.4, 2.6, 5.0), voxel_um)
    assert has_large_nuclei(draw(2.4, LARGE_UM + 0.1, 5.0), voxel_um)
