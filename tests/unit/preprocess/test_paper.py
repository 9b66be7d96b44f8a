"""The paper's Algorithm 1 on shapes whose axes can be worked out by hand."""

import cv2
import numpy as np
import pytest

from cases.volumes import shipped_compass
from cender.errors import UnusableVolume
from cender.preprocess import PreprocessParams, find_head, find_head_paper
from cender.types import VoxelSize

VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)


def pear(angle_deg: float = 0.0) -> np.ndarray:
    """A long bright region; most of its bright points lie at one end and to one side of its middle line."""
    image = np.full((400, 400), 100, np.float32)
    cv2.ellipse(image, (200, 200), (110, 40), 0, 0, 360, 900, -1)
    rng = np.random.default_rng(0)
    # A small, very bright spot at the left pulls the centre of mass there; the many at the right outvote it.
    for _ in range(60):
        x, y = rng.integers(235, 280), rng.integers(205, 225)
        cv2.circle(image, (int(x), int(y)), 3, 1500.0, -1)
    cv2.circle(image, (120, 195), 9, 2500.0, -1)
    turn = cv2.getRotationMatrix2D((199.5, 199.5), -angle_deg, 1)
    return cv2.warpAffine(image, turn, (400, 400), borderValue=100)[None].astype(np.uint16)


@pytest.mark.parametrize("angle_deg", [0, 37, 90, 145, 179, 181, 250, 333])
def test_more_points_of_interest_are_anterior_and_ventral(angle_deg: float) -> None:
    head = find_head_paper(pear(angle_deg), VOXEL_UM, PreprocessParams())
    angle = np.deg2rad(angle_deg)
    assert head.anterior_yx @ (np.sin(angle), np.cos(angle)) > 0.95
    assert head.ventral_yx @ (np.cos(angle), -np.sin(angle)) > 0.95


def test_region_is_the_largest_bright_one() -> None:
    volume = pear()
    volume[0, 20:60, 20:60] = 900
    head = find_head_paper(volume, VOXEL_UM, PreprocessParams())
    assert head.crop.x > 60
    assert head.crop.x <= 95
    assert head.crop.x + head.crop.w >= 305


def test_method_selects_it() -> None:
    by_name = find_head(pear(), VOXEL_UM, shipped_compass(), PreprocessParams(method="paper"))
    directly = find_head_paper(pear(), VOXEL_UM, PreprocessParams())
    assert by_name.crop == directly.crop
    assert np.array_equal(by_name.anterior_yx, directly.anterior_yx)


def test_blank_is_refused() -> None:
    with pytest.raises(UnusableVolume, match="blank"):
        find_head_paper(np.zeros((2, 200, 200), np.uint16), VOXEL_UM, PreprocessParams())
