"""How much boxes and neurons of the same volume overlap."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.types import Regions
from cender.types.boxes import divide_by_union, intersect_boxes, measure_areas, overlap_boxes


def measure_box_iou(truth: Regions, predicted: Regions) -> Float[np.ndarray, "n m"]:
    """Intersection over union of every pair of boxes; 0 in different frames."""
    iou = np.zeros((len(truth), len(predicted)))
    for rows, columns in _pair_frames(truth, predicted):
        iou[np.ix_(rows, columns)] = overlap_boxes(truth.box_px[rows][:, None], predicted.box_px[columns][None])
    return iou


def intersect_neurons(
    truth: Regions, predicted: Regions, truth_count: int, predicted_count: int
) -> Float[np.ndarray, "n m"]:
    """Area that every neuron of one set shares with every neuron of the other, summed over frames."""
    shared = np.zeros((truth_count, predicted_count))
    truth, predicted = (side.select(side.neuron >= 0) for side in (truth, predicted))
    for rows, columns in _pair_frames(truth, predicted):
        area = intersect_boxes(truth.box_px[rows][:, None], predicted.box_px[columns][None])
        np.add.at(shared, np.ix_(truth.neuron[rows], predicted.neuron[columns]), area)
    return shared


def measure_neuron_iou(
    truth: Regions, predicted: Regions, truth_count: int, predicted_count: int
) -> Float[np.ndarray, "n m"]:
    """Sum over frames of intersections over sum of unions of every pair of neurons.

    A frame that only one of the two has counts in the union.
    """
    shared = intersect_neurons(truth, predicted, truth_count, predicted_count)
    truth_area, predicted_area = sum_areas(truth, truth_count), sum_areas(predicted, predicted_count)
    return divide_by_union(shared, truth_area[:, None], predicted_area[None])


def sum_areas(regions: Regions, count: int) -> Float[np.ndarray, " n"]:
    """Area of every neuron summed over its frames; 0 for a neuron without boxes."""
    owned = regions.neuron >= 0
    areas = np.bincount(regions.neuron[owned], weights=measure_areas(regions.box_px)[owned], minlength=count)
    return areas.astype(float)


def find_boxed(regions: Regions, count: int) -> Bool[np.ndarray, " n"]:
    """Which of ``count`` neurons have at least one box."""
    return np.isin(np.arange(count), regions.neuron)


def measure_distances_um(
    truth_um: Float[np.ndarray, "n 3"], predicted_um: Float[np.ndarray, "m 3"]
) -> Float[np.ndarray, "n m"]:
    """Distance between every pair of centres; infinite where a centre is not known."""
    distance = np.linalg.norm(truth_um[:, None] - predicted_um[None], axis=2)
    return np.where(np.isfinite(distance), distance, np.inf)


def locate_nearest(distances_um: Float[np.ndarray, "n m"]) -> Int[np.ndarray, " n"]:
    """Column of the smallest distance in every row; -1 where there is no column at all."""
    if distances_um.shape[1] == 0:
        return np.full(len(distances_um), -1)
    nearest: np.ndarray = np.argmin(distances_um, axis=1)
    return nearest


def _pair_frames(truth: Regions, predicted: Regions) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of both sets in every frame that both have; other pairs share nothing."""
    for z in np.intersect1d(truth.z, predicted.z):
        yield np.flatnonzero(truth.z == z), np.flatnonzero(predicted.z == z)
