"""Anchors and corrections."""

import numpy as np

from cender.detect.anchors import decode_boxes, encode_boxes, place_anchors


def test_anchor_is_centred_on_its_peak() -> None:
    row, anchors = place_anchors(np.array([[2, 30, 50], [2, 1, 1]]), (7, 11))
    assert row.tolist() == [0, 0, 1, 1]
    assert anchors.tolist() == [[47, 27, 7, 7], [45, 25, 11, 11], [-2, -2, 7, 7], [-4, -4, 11, 11]]


def test_corrections_are_those_of_the_paper() -> None:
    anchors, boxes = np.array([[46.0, 26, 9, 9]]), np.array([[49.0, 25, 18, 6]])
    corrections = encode_boxes(anchors, boxes)
    assert np.allclose(corrections, [[3 / 9, -1 / 9, 2, 6 / 9]])
    assert np.allclose(decode_boxes(anchors, corrections), boxes)
