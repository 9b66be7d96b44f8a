"""The paper's detector as a whole, with a network that answers by rule."""

import numpy as np
import pytest

from cender.detect.multi_field import MultiFieldParams, detect_regions_paper
from cender.types import Crop, Head, VoxelSize

CENTRES = ((1, 40, 60), (1, 40, 90), (2, 70, 75))


def paint(factor: int = 1) -> np.ndarray:
    """Three blurred nuclei; ``factor`` times finer pixels."""
    z, y, x = np.ogrid[:4, : 120 * factor, : 150 * factor]
    red = np.full((4, 120 * factor, 150 * factor), 100.0)
    for cz, cy, cx in CENTRES:
        middle = [(c + 0.5) * factor - 0.5 for c in (cy, cx)]
        far = (y - middle[0]) ** 2 + (x - middle[1]) ** 2
        red += 300 * (z == cz) * np.exp(-far / (2 * (3 * factor) ** 2))
    return red.astype(np.uint16)


def head(factor: int = 1) -> Head:
    crop = Crop(20 * factor, 10 * factor, 110 * factor, 90 * factor)
    return Head(crop, np.zeros((0, 2)), np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0]))


def keep_anchors(fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Score by the brightness of the middle; the anchor's place, two thirds of its size about the same centre."""
    score = np.clip(fields[:, 0, 20, 20] / 20, 0, 1)
    return score, np.tile([1 / 6, 1 / 6, 2 / 3, 2 / 3], (len(fields), 1)).astype(np.float32)


def test_regions_are_in_full_frame_pixels() -> None:
    found = detect_regions_paper(paint(), head(), VoxelSize(1.5, 0.3, 0.3), keep_anchors).regions
    order = np.lexsort((found.box_px[:, 0], found.z))
    assert found.z[order].tolist() == [1, 1, 2]
    assert found.centre_px[order] == pytest.approx(np.array(CENTRES, float), abs=1e-5)
    assert found.box_px[:, 2:] == pytest.approx(np.full((3, 2), 6.0))
    assert (found.intensity > 150).all()


def test_finer_pixels_give_the_same_regions() -> None:
    voxel = VoxelSize(1.5, 0.15, 0.15)
    found = detect_regions_paper(paint(2), head(2), voxel, keep_anchors).regions
    order = np.lexsort((found.box_px[:, 0], found.z))
    expected = [[z, 2 * y + 0.5, 2 * x + 0.5] for z, y, x in CENTRES]
    assert found.centre_px[order] == pytest.approx(np.array(expected), abs=1e-5)
    assert found.box_px[:, 2:] == pytest.approx(np.full((3, 2), 12.0))


def test_low_scores_and_overlaps_are_dropped() -> None:
    voxel = VoxelSize(1.5, 0.3, 0.3)
    strict = MultiFieldParams(score_above=1.0)
    sure = detect_regions_paper(paint(), head(), voxel, lambda f: (np.full(len(f), 0.9), np.ones((len(f), 4))), strict)
    assert len(sure.regions) == 0
    both = MultiFieldParams(anchors_px=(7, 11))
    assert len(detect_regions_paper(paint(), head(), voxel, keep_anchors, both).regions) == 3
    loose = MultiFieldParams(anchors_px=(7, 11), overlap=1.0)
    assert len(detect_regions_paper(paint(), head(), voxel, keep_anchors, loose).regions) == 6


def test_boxes_without_size_are_dropped() -> None:
    def shrink(fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.ones(len(fields)), np.tile([0.0, 0.0, -1.0, 0.5], (len(fields), 1))

    assert len(detect_regions_paper(paint(), head(), VoxelSize(1.5, 0.3, 0.3), shrink).regions) == 0


def test_blank_volume_has_no_regions() -> None:
    blank = np.full((4, 120, 150), 100, np.uint16)
    found = detect_regions_paper(blank, head(), VoxelSize(1.5, 0.3, 0.3), keep_anchors)
    assert len(found.regions) == 0
    assert len(found.centre_px) == 0
