"""Labels beside a picture: in order, inside, and none on another."""

import numpy as np
import pytest

from cender.plots.report.labels import split_sides, spread_heights


@pytest.mark.parametrize("heights", [[5.0], [5, 5, 5, 5], [0, 1, 2, 99, 99.5, 100], [50, 49, 48, 10, 90], []])
def test_labels_are_apart_inside_and_in_order(heights: list[float]) -> None:
    y = np.array(heights, float)
    placed = spread_heights(y, 0.0, 100.0, 4.0)
    assert (np.diff(np.sort(placed)) >= 4 - 1e-9).all()
    assert ((placed >= 0) & (placed <= 100)).all()
    order = np.argsort(y, kind="stable")
    assert (np.diff(placed[order]) > 0).all()


def test_labels_that_have_room_stay_where_they_are() -> None:
    assert spread_heights(np.array([70.0, 20, 40]), 0.0, 100.0, 4.0).tolist() == [70, 20, 40]


def test_too_many_labels_share_the_room() -> None:
    placed = spread_heights(np.full(51, 30.0), 0.0, 100.0, 4.0)
    assert np.diff(placed) == pytest.approx(np.full(50, 2.0))


def test_both_columns_are_as_full() -> None:
    assert split_sides(np.array([9.0, 1, 2, 8])).tolist() == [False, True, True, False]
    assert split_sides(np.zeros(5)).sum() == 2
