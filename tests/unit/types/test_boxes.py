"""Overlap of boxes: row by row and of all with all, and none where there is no area."""

import numpy as np
import pytest

from cender.types.boxes import overlap_boxes

ONE = np.array([[0.0, 0, 4, 4], [10, 10, 2, 2]])
TWO = np.array([[2.0, 0, 4, 4], [10, 10, 2, 2], [0, 0, 0, 4]])


def test_rows_and_all_pairs() -> None:
    assert overlap_boxes(ONE, TWO[:2]) == pytest.approx([8 / 24, 1])
    every = overlap_boxes(ONE[:, None], TWO[None])
    assert every == pytest.approx(np.array([[8 / 24, 0, 0], [0, 1, 0]]))
    assert overlap_boxes(np.zeros((0, 1, 4)), TWO[None]).shape == (0, 3)


def test_boxes_without_an_area_overlap_nothing() -> None:
    flat = np.array([[0.0, 0, 0, 4], [0, 0, -2, 4]])
    assert overlap_boxes(flat, flat).tolist() == [0, 0]
