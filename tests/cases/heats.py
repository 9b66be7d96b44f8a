"""Maps of a detector with a few peaks in them."""

from collections.abc import Sequence

import numpy as np

from cender.types import Maps

Peak = tuple[int, int, int, float]


def draw_maps(centres: list[Peak], regions: Sequence[Peak] = ()) -> Maps:
    """Maps with bumps of these logits at pixels ``z y x``; boxes are of the usual size."""
    whole = np.zeros((7, 7, 24, 32), np.float32)
    whole[:, :2] = -6.0
    ys, xs = np.mgrid[0:24, 0:32]
    for number, peaks in enumerate((regions, centres)):
        for z, y, x, height in peaks:
            bump = height - 1.5 * ((ys - y) ** 2 + (xs - x) ** 2)
            for frame, lower in ((z - 1, 2.0), (z, 0.0), (z + 1, 2.0)):
                whole[frame, number] = np.maximum(whole[frame, number], bump - lower)
    return Maps.pack(whole)
