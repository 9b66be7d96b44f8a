"""How much boxes overlap."""

import numpy as np
from jaxtyping import Float


def overlap_boxes(first: Float[np.ndarray, "*a 4"], second: Float[np.ndarray, "*b 4"]) -> Float[np.ndarray, "..."]:
    """Intersection over union of boxes ``x y w h``; 0 for boxes without an area.

    Row by row, or, as numpy broadcasts, of every box with every other: ``overlap_boxes(one[:, None], two[None])``.
    """
    low = np.maximum(first[..., :2], second[..., :2])
    high = np.minimum(first[..., :2] + first[..., 2:], second[..., :2] + second[..., 2:])
    shared = np.clip(high - low, 0, None).prod(axis=-1)
    areas = (np.clip(sides[..., 2:], 0, None).prod(axis=-1) for sides in (first, second))
    union = sum(areas) - shared
    iou: np.ndarray = np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0)
    return iou
