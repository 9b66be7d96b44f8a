"""One-to-one matching of what was predicted with what is true."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.optimize import linear_sum_assignment

from cender.evaluate.overlap import find_boxed, measure_box_iou, measure_distances_um, measure_neuron_iou
from cender.types import Annotation, Regions

IOU_ABOVE = 0.3
"""Boxes and neurons match where they overlap by more than this (intersection over union)."""
WITHIN_UM = 2.0
"""Centres match up to this distance."""


@dataclass(frozen=True, slots=True)
class Matching:
    """Which rows of the truth and of the prediction are the same thing.

    ``pairs`` holds (truth row, predicted row), by truth row; no row occurs twice. ``quality`` of a pair is
    between 0 and 1: its intersection over union, or ``1 - distance / limit`` for centres.
    """

    pairs: Int[np.ndarray, "k 2"]
    quality: Float[np.ndarray, " k"]
    truth_count: int
    predicted_count: int

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def partner_of_truth(self) -> Int[np.ndarray, " n"]:
        """Predicted row of every truth row, -1 where it has none."""
        return _spread(self.truth_count, self.pairs[:, 0], self.pairs[:, 1])

    @property
    def partner_of_predicted(self) -> Int[np.ndarray, " m"]:
        """Truth row of every predicted row, -1 where it has none."""
        return _spread(self.predicted_count, self.pairs[:, 1], self.pairs[:, 0])

    @property
    def unmatched_truth(self) -> Int[np.ndarray, " a"]:
        """Truth rows without a partner."""
        return np.flatnonzero(self.partner_of_truth < 0)

    @property
    def unmatched_predicted(self) -> Int[np.ndarray, " b"]:
        """Predicted rows without a partner."""
        return np.flatnonzero(self.partner_of_predicted < 0)


def match_boxes(truth: Regions, predicted: Regions) -> Matching:
    """Match boxes of the same frame with an intersection over union above 0.3."""
    iou = measure_box_iou(truth, predicted)
    return match_pairs(iou, iou > IOU_ABOVE)


def match_neurons(truth: Annotation, predicted: Annotation) -> Matching:
    """Match neurons by their boxes: summed intersection over summed union above 0.3."""
    iou = measure_neuron_iou(truth.regions, predicted.regions, len(truth), len(predicted))
    return match_pairs(iou, iou > IOU_ABOVE)


def match_centres(truth: Annotation, predicted: Annotation) -> Matching:
    """Match neurons whose centres are at most 2 µm apart."""
    distance_um = measure_distances_um(truth.centre_um, predicted.centre_um)
    close = distance_um <= WITHIN_UM
    return match_pairs(np.where(close, 1 - distance_um / WITHIN_UM, 0.0), close)


def match_partners(truth: Annotation, predicted: Annotation) -> Matching:
    """Match neurons by their boxes where both have some, else by their centres."""
    iou = measure_neuron_iou(truth.regions, predicted.regions, len(truth), len(predicted))
    distance_um = measure_distances_um(truth.centre_um, predicted.centre_um)
    by_boxes = find_both_boxed(truth, predicted)
    allowed = np.where(by_boxes, iou > IOU_ABOVE, distance_um <= WITHIN_UM)
    closeness = 1 - np.minimum(distance_um, WITHIN_UM) / WITHIN_UM
    return match_pairs(np.where(by_boxes, iou, closeness), allowed)


def find_both_boxed(truth: Annotation, predicted: Annotation) -> Bool[np.ndarray, "n m"]:
    """Pairs of neurons that both have boxes."""
    boxed = [find_boxed(side.regions, len(side)) for side in (truth, predicted)]
    both: np.ndarray = boxed[0][:, None] & boxed[1][None]
    return both


def match_pairs(quality: Float[np.ndarray, "n m"], allowed: Bool[np.ndarray, "n m"]) -> Matching:
    """Match rows with columns one to one: as many allowed pairs as possible, then the best total quality.

    Pairs that are not allowed are left out before the assignment, so that they cannot displace an allowed
    one.

    Parameters
    ----------
    quality
        Between 0 and 1, larger is better.
    allowed
        Pairs that count at all.
    """
    # A pair whose members have no other candidate is in every best matching; only the rest needs an
    # assignment.
    alone = allowed & (allowed.sum(axis=1, keepdims=True) == 1) & (allowed.sum(axis=0, keepdims=True) == 1)
    contested = allowed & ~alone
    rows = np.flatnonzero(contested.any(axis=1))
    columns = np.flatnonzero(contested.any(axis=0))
    block = np.ix_(rows, columns)
    # One more pair outweighs any gain in quality.
    weight = np.where(contested[block], quality[block] + min(len(rows), len(columns)) + 1.0, 0.0)
    chosen_rows, chosen_columns = linear_sum_assignment(weight, maximize=True)
    real = weight[chosen_rows, chosen_columns] > 0
    assigned = np.stack([rows[chosen_rows[real]], columns[chosen_columns[real]]], axis=1)
    pairs = np.concatenate([np.argwhere(alone), assigned]).astype(int)
    pairs = pairs[np.argsort(pairs[:, 0])]
    return Matching(pairs, quality[pairs[:, 0], pairs[:, 1]], *quality.shape)


def _spread(count: int, rows: Int[np.ndarray, " k"], values: Int[np.ndarray, " k"]) -> Int[np.ndarray, " n"]:
    spread = np.full(count, -1)
    spread[rows] = values
    return spread
