"""Areas of boxes ``x y w h``, and how much boxes overlap: the only place where that is computed."""

import numpy as np
from jaxtyping import Float


def measure_areas(boxes: Float[np.ndarray, "*n 4"]) -> Float[np.ndarray, "*n"]:
    """Area of every box in square pixels; 0 where a side is negative."""
    return np.asarray(np.clip(boxes[..., 2:], 0, None).prod(axis=-1))


def intersect_boxes(first: Float[np.ndarray, "*a 4"], second: Float[np.ndarray, "*b 4"]) -> Float[np.ndarray, "..."]:
    """Area that boxes share, row by row or as numpy broadcasts."""
    low = np.maximum(first[..., :2], second[..., :2])
    high = np.minimum(first[..., :2] + first[..., 2:], second[..., :2] + second[..., 2:])
    return np.asarray(np.clip(high - low, 0, None).prod(axis=-1))


def divide_by_union(
    shared: Float[np.ndarray, "..."], first: Float[np.ndarray, "..."], second: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "..."]:
    """Intersection over union of things that share so much area and have so much each; 0 where neither has any."""
    union = first + second - shared
    return np.asarray(np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0))


def overlap_boxes(first: Float[np.ndarray, "*a 4"], second: Float[np.ndarray, "*b 4"]) -> Float[np.ndarray, "..."]:
    """Intersection over union of boxes ``x y w h``; 0 for boxes without an area.

    Row by row, or, as numpy broadcasts, of every box with every other: ``overlap_boxes(one[:, None], two[None])``.
    """
    return divide_by_union(intersect_boxes(first, second), measure_areas(first), measure_areas(second))
