"""Matching: one to one, as many as possible, then as good as possible."""

from dataclasses import replace

import numpy as np
import pytest

from cases.building import Neuron, volume
from cases.catalogue import CASES
from cender.evaluate import match_boxes, match_centres, match_neurons
from cender.evaluate.match import match_pairs, match_partners
from cender.evaluate.overlap import measure_box_iou, measure_neuron_iou
from cender.types import Annotation, Regions


def boxes(*rows: tuple[int, float, float, float, float]) -> Regions:
    table = np.array(rows, float).reshape(-1, 5)
    return Regions.from_boxes(table[:, 0].astype(int), table[:, 1:])


def match_greedily(iou: np.ndarray) -> int:
    """Best pair first: what a matching without an assignment would find."""
    left, count = iou.copy(), 0
    while left.size and left.max() > 0.3:
        row, column = np.unravel_index(left.argmax(), left.shape)
        left[row], left[:, column] = 0, 0
        count += 1
    return count


def test_greedy_matching_finds_fewer() -> None:
    case = CASES["greedy matching would find fewer"]
    truth, predicted = case.truth.annotations[0], case.predicted.annotations[0]
    iou = measure_neuron_iou(truth.regions, predicted.regions, 2, 2)
    assert match_greedily(iou) == 1
    matching = match_neurons(truth, predicted)
    assert matching.pairs.tolist() == [[0, 1], [1, 0]]
    assert matching.quality == pytest.approx([1 / 3, 1 / 3])


def test_weak_pairs_would_displace_a_valid_one() -> None:
    case = CASES["weak pairs must not displace"]
    truth, predicted = case.truth.annotations[0], case.predicted.annotations[0]
    iou = measure_neuron_iou(truth.regions, predicted.regions, 2, 2)
    assert match_pairs(iou, iou > 0).pairs.tolist() == [[0, 1], [1, 0]]  # both are weak
    assert match_neurons(truth, predicted).pairs.tolist() == [[0, 0]]


def test_quality_decides_between_equal_counts() -> None:
    quality = np.array([[0.5, 0.9], [0.6, 0.5]])
    assert match_pairs(quality, quality > 0.3).pairs.tolist() == [[0, 1], [1, 0]]


def test_boxes_are_half_open() -> None:
    iou = measure_box_iou(boxes((0, 0, 0, 4, 4)), boxes((0, 4, 0, 4, 4), (0, 2, 0, 4, 4), (1, 0, 0, 4, 4)))
    assert iou[0] == pytest.approx([0, 8 / 24, 0])


def test_boxes_match_only_in_their_own_frame() -> None:
    truth = boxes((0, 0, 0, 4, 4), (1, 0, 0, 4, 4), (2, 9, 9, 4, 4))
    matching = match_boxes(truth, boxes((1, 0, 0, 4, 4), (3, 9, 9, 4, 4)))
    assert matching.pairs.tolist() == [[1, 0]]
    assert matching.unmatched_truth.tolist() == [0, 2]
    assert matching.unmatched_predicted.tolist() == [1]
    assert matching.partner_of_truth.tolist() == [-1, 0, -1]
    assert matching.partner_of_predicted.tolist() == [1, -1]


def test_empty_boxes_match_nothing() -> None:
    flat = boxes((0, 0, 0, 0, 4))
    assert len(match_boxes(flat, flat)) == 0


def test_frames_of_one_only_count_in_the_union() -> None:
    truth = Regions.from_boxes(np.arange(4), np.tile([0.0, 0, 2, 2], (4, 1)), neuron=np.zeros(4, int))
    predicted = Regions.from_boxes(np.arange(3, 6), np.tile([0.0, 0, 2, 2], (3, 1)), neuron=np.zeros(3, int))
    assert measure_neuron_iou(truth, predicted, 1, 1) == pytest.approx(np.array([[4 / (16 + 12 - 4)]]))


def test_boxes_of_no_neuron_belong_to_none() -> None:
    region = boxes((0, 0, 0, 4, 4))
    assert measure_neuron_iou(region, region, 1, 1).item() == 0


def test_centres_at_the_limit_match() -> None:
    truth = Annotation.from_points(0, np.zeros((1, 3)))
    for distance_um, count in ((2.0, 1), (2.001, 0)):
        assert len(match_centres(truth, Annotation.from_points(0, np.array([[0, 0, distance_um]])))) == count


def test_centres_prefer_many_pairs_then_short_ones() -> None:
    truth = Annotation.from_points(0, np.array([[0, 0, 0.0], [0, 0, 1.8]]))
    predicted = Annotation.from_points(0, np.array([[0, 0, 0.1], [0, 0, -1.5]]))
    assert match_centres(truth, predicted).pairs.tolist() == [[0, 1], [1, 0]]


def test_unknown_centres_match_nothing() -> None:
    unknown = Annotation.from_points(0, np.full((2, 3), np.nan))
    assert len(match_centres(unknown, unknown)) == 0


def test_a_neuron_without_boxes_among_others_is_matched_by_its_centre() -> None:
    annotation = volume(0, Neuron(0), Neuron(8))
    half_boxed = replace(annotation, regions=annotation.regions.select(annotation.regions.neuron == 0))
    assert match_neurons(half_boxed, annotation).pairs.tolist() == [[0, 0]]
    assert match_partners(half_boxed, annotation).pairs.tolist() == [[0, 0], [1, 1]]
    # Two neurons that have boxes are never matched by their centres alone.
    small = volume(0, Neuron(0.0, size=1, height=1), Neuron(9.5, y=1.5, size=1, height=1))
    assert match_centres(annotation, small).pairs.tolist() == [[1, 1]]
    assert len(match_partners(annotation, small)) == 0
