"""Peaks, crops and hulls of the paper's detector."""

import numpy as np
import pytest

from cender.detect.peaks import fill_hull, find_peaks, resample_head, standardise_head
from cender.types import Crop, Head, VoxelSize


def head(crop: Crop, outline: list[tuple[float, float]]) -> Head:
    points = np.array(outline, float).reshape(-1, 2)
    return Head(crop, points, np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0]))


def frame(*spots: tuple[int, int, float]) -> np.ndarray:
    image = np.zeros((1, 20, 20), np.float32)
    for y, x, value in spots:
        image[0, y, x] = value
    return image


def test_maxima_above_the_threshold_are_found() -> None:
    found = find_peaks(frame((5, 5, 9.0), (12, 14, 4.0), (12, 4, 1.0)))
    assert found.tolist() == [[0, 5, 5], [0, 12, 14]]
    assert find_peaks(frame((12, 4, 1.0)), threshold=0.5).tolist() == [[0, 12, 4]]


def test_a_plateau_is_one_peak() -> None:
    image = frame()
    image[0, 5:9, 5:9] = 10
    smooth = find_peaks(image)
    assert len(smooth) == 1


def test_the_border_has_no_peaks() -> None:
    assert find_peaks(frame((0, 5, 9.0), (5, 19, 9.0))).tolist() == []
    assert find_peaks(np.full((2, 2, 9), 5, np.float32)).tolist() == []


def test_crop_is_brought_to_the_papers_pixels() -> None:
    red = np.zeros((3, 60, 80), np.uint16)
    red[1, 30:34, 40:44] = 500
    same, scale = resample_head(red, head(Crop(20, 10, 40, 40), []), VoxelSize(1.5, 0.3, 0.3))
    assert same.shape == (3, 40, 40)
    assert scale.tolist() == [1, 1]
    fine, scale = resample_head(red, head(Crop(20, 10, 40, 40), []), VoxelSize(1.5, 0.15, 0.6))
    assert fine.shape == (3, 20, 80)
    assert scale.tolist() == [0.5, 2.0]
    y, x = np.argwhere(fine[1] > 250).mean(axis=0)
    assert (y, x) == pytest.approx((10.5, 43.5), abs=0.5)


def test_standardised_head_is_zero_outside() -> None:
    cut = np.arange(32, dtype=np.float32).reshape(2, 4, 4)
    everywhere = standardise_head(cut, np.ones((4, 4), bool))
    assert everywhere.mean() == pytest.approx(0, abs=1e-6)
    assert everywhere.std() == pytest.approx(1, rel=1e-5)
    half = np.zeros((4, 4), bool)
    half[:2] = True
    assert not standardise_head(cut, half)[:, 2:].any()
    assert np.array_equal(standardise_head(cut, half)[:, :2], everywhere[:, :2])
    assert not standardise_head(np.full_like(cut, 7), half).any(), "a constant crop has no peaks and no NaN"


def test_hull_is_convex_and_grown() -> None:
    outline = [(10.0, 10.0), (10.0, 30.0), (20.0, 20.0), (30.0, 10.0)]
    scale = np.ones(2)
    exact = fill_hull(head(Crop(0, 0, 40, 40), outline), (40, 40), scale, 0)
    grown = fill_hull(head(Crop(0, 0, 40, 40), outline), (40, 40), scale, 4)
    assert exact[15, 15]
    assert exact[18, 22], "the dent of the outline is inside"
    assert not exact[30, 30]
    assert not exact[8, 20]
    assert grown[8, 20]
    assert fill_hull(head(Crop(0, 0, 40, 40), []), (40, 40), scale, 0).all()
