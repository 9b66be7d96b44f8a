"""Suppression of overlapping boxes."""

import numpy as np

from cender.detect.suppression import suppress_boxes, suppress_centres
from cender.types.boxes import overlap_boxes

Z = np.zeros(3, int)
BOXES = np.array([[0.0, 0, 10, 10], [5, 0, 10, 10], [10, 0, 10, 10]])


def test_the_best_box_removes_its_rivals() -> None:
    assert suppress_boxes(Z, BOXES, np.array([0.5, 0.9, 0.6])).tolist() == [False, True, False]


def test_a_removed_box_removes_nothing() -> None:
    # 0 beats 1, so that 1 cannot beat 2.
    assert suppress_boxes(Z, BOXES, np.array([0.9, 0.8, 0.7])).tolist() == [True, False, True]


def test_other_frames_and_little_overlap_stay() -> None:
    score = np.array([0.5, 0.9, 0.6])
    assert suppress_boxes(np.arange(3), BOXES, score).all()
    assert suppress_boxes(Z, BOXES, score, 0.34).all(), "their overlap is a third"


def test_boxes_without_area_overlap_nothing() -> None:
    flat = np.array([[0.0, 0, 0, 5], [0, 0, 0, 5]])
    assert overlap_boxes(flat, flat).tolist() == [0, 0]
    assert suppress_boxes(Z[:0], BOXES[:0], np.zeros(0)).tolist() == []


def test_of_centres_too_close_the_better_one_stays() -> None:
    centre = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [9.0, 9.0, 9.0]])
    score = np.array([0.9, 0.8, 0.7, 0.1])
    assert suppress_centres(centre, score, np.full(4, 1.5)).tolist() == [True, False, True, True]
    assert suppress_centres(centre, score, np.full(4, 0.5)).all()
    assert suppress_centres(np.zeros((0, 3)), np.zeros(0), np.zeros(0)).shape == (0,)


def test_sure_centres_may_lie_closer_than_others() -> None:
    centre = np.array([[0.0, 0, 0], [0, 0, 1.5], [0, 0, 10], [0, 0, 11.5]])
    score = np.array([0.9, 0.8, 0.9, 0.4])
    assert suppress_centres(centre, score, np.full(4, 2.1)).tolist() == [True, False, True, False]
    assert suppress_centres(centre, score, np.where(score > 0.6, 1.2, 2.1)).tolist() == [True, True, True, False]
