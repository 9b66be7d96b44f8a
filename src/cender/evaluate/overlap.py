"""How much boxes and neurons of the same volume overlap."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.types import Regions


def intersect_boxes(truth: Regions, predicted: Regions) -> Float[np.ndarray, "n m"]:
    """Area in square pixels that every pair of boxes shares; 0 in different frames."""
    shared = np.zeros((len(truth), len(predicted)))
    for rows, columns, area in _intersect_frames(truth, predicted):
        shared[np.ix_(rows, columns)] = area
    return shared


def measure_box_iou(truth: Regions, predicted: Regions) -> Float[np.ndarray, "n m"]:
    """Intersection over union of every pair of boxes; 0 in different frames."""
    return _divide_by_union(intersect_boxes(truth, predicted), measure_areas(truth), measure_areas(predicted))


def intersect_neurons(
    truth: Regions, predicted: Regions, truth_count: int, predicted_count: int
) -> Float[np.ndarray, "n m"]:
    """Area that every neuron of one set shares with every neuron of the other, summed over frames."""
    shared = np.zeros((truth_count, predicted_count))
    truth, predicted = (side.select(side.neuron >= 0) for side in (truth, predicted))
    for rows, columns, area in _intersect_frames(truth, predicted):
        np.add.at(shared, np.ix_(truth.neuron[rows], predicted.neuron[columns]), area)
    return shared


def measure_neuron_iou(
    truth: Regions, predicted: Regions, truth_count: int, predicted_count: int
) -> Float[np.ndarray, "n m"]:
    """Sum over frames of intersections over sum of unions of every pair of neurons.

    A frame that only one of the two has counts in the union.
    """
    shared = intersect_neurons(truth, predicted, truth_count, predicted_count)
    return _divide_by_union(shared, sum_areas(truth, truth_count), sum_areas(predicted, predicted_count))


def measure_areas(regions: Regions) -> Float[np.ndarray, " n"]:
    """Area of every box in square pixels."""
    areas: np.ndarray = np.prod(np.clip(regions.box_px[:, 2:], 0, None), axis=1)
    return areas


def sum_areas(regions: Regions, count: int) -> Float[np.ndarray, " n"]:
    """Area of every neuron summed over its frames; 0 for a neuron without boxes."""
    owned = regions.neuron >= 0
    areas = np.bincount(regions.neuron[owned], weights=measure_areas(regions)[owned], minlength=count)
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


def _intersect_frames(truth: Regions, predicted: Regions) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Rows, columns and shared areas of every frame that both have; other pairs share nothing."""
    for z in np.intersect1d(truth.z, predicted.z):
        rows, columns = np.flatnonzero(truth.z == z), np.flatnonzero(predicted.z == z)
        one, other = truth.box_px[rows][:, None], predicted.box_px[columns][None]
        low = np.maximum(one[..., :2], other[..., :2])
        high = np.minimum(one[..., :2] + one[..., 2:], other[..., :2] + other[..., 2:])
        width, height = np.moveaxis(np.maximum(high - low, 0.0), 2, 0)
        yield rows, columns, width * height


def _divide_by_union(
    shared: Float[np.ndarray, "n m"],
    truth_area: Float[np.ndarray, " n"],
    predicted_area: Float[np.ndarray, " m"],
) -> Float[np.ndarray, "n m"]:
    union = truth_area[:, None] + predicted_area[None] - shared
    iou: np.ndarray = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return iou
