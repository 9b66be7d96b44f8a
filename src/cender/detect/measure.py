"""Mean intensity of regions above their surroundings."""

from dataclasses import replace

import cv2
import numpy as np
from jaxtyping import Float, Int, Real

from cender.types import Regions

GAP_PX = 2.0
STRIP_PX = 4.0


def measure_regions(red: Real[np.ndarray, "z y x"], regions: Regions) -> Regions:
    """The same regions with their mean intensity above the local background.

    Background is the mean of the two darkest of four strips, left, right, above and below the box: next to a
    neighbour at least two strips usually look past it. Fractions of pixels count. A box outside of the frame is NaN.
    """
    if not len(regions):
        return regions
    tables, origin = _integrate(red, regions)
    rows = np.unique(regions.z, return_inverse=True)[1]
    x, y, w, h = (regions.box_px - np.array([origin[1], origin[0], 0, 0])).T
    inside = _average(tables, rows, np.stack([x, y, x + w, y + h], axis=1))
    near, far = GAP_PX, GAP_PX + STRIP_PX
    strips = np.array(
        [
            _average(tables, rows, np.stack(edges, axis=1))
            for edges in (
                (x - far, y, x - near, y + h),
                (x + w + near, y, x + w + far, y + h),
                (x, y - far, x + w, y - near),
                (x, y + h + near, x + w, y + h + far),
            )
        ]
    )
    # A strip outside of the frame says nothing; it sorts last. A box with fewer than two strips fills the frame.
    darkest = np.sort(np.where(np.isnan(strips), np.inf, strips), axis=0)[:2]
    known = np.isfinite(darkest)
    behind = np.where(known, darkest, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return replace(regions, intensity=inside - behind)


def _integrate(
    red: Real[np.ndarray, "z y x"], regions: Regions
) -> tuple[Float[np.ndarray, "f h w"], Int[np.ndarray, " 2"]]:
    """Integral images of the frames that have regions, cut to their surroundings, and the cut's corner (y, x)."""
    margin = GAP_PX + STRIP_PX + 1
    low = np.floor(regions.box_px[:, 1::-1].min(axis=0) - margin)
    high = np.ceil((regions.box_px[:, 1::-1] + regions.box_px[:, :1:-1]).max(axis=0) + margin)
    size = np.array(red.shape[1:])
    first = np.clip(low, 0, size - 1).astype(int)
    stop = np.clip(high, first + 1, size).astype(int)
    cut = red[np.unique(regions.z), first[0] : stop[0], first[1] : stop[1]]
    readable = cut if cut.dtype in (np.uint8, np.float32, np.float64) else cut.astype(np.float32)
    return np.stack([cv2.integral(frame, sdepth=cv2.CV_64F) for frame in readable]), first


def _average(
    tables: Float[np.ndarray, "f h w"], row: Int[np.ndarray, " n"], edges: Float[np.ndarray, "n 4"]
) -> Float[np.ndarray, " n"]:
    """Mean inside ``left top right bottom``, the part outside of the cut left out; NaN where nothing is inside."""
    limit = np.array(tables.shape[:0:-1]) - 1
    left, top, right, bottom = np.clip(edges, 0, np.tile(limit, 2)).T
    total = _look_up(tables, row, bottom, right) - _look_up(tables, row, top, right)
    total += _look_up(tables, row, top, left) - _look_up(tables, row, bottom, left)
    area = (right - left) * (bottom - top)
    mean: np.ndarray = np.divide(total, area, out=np.full(len(row), np.nan), where=area > 0)
    return mean


def _look_up(
    tables: Float[np.ndarray, "f h w"],
    row: Int[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    x: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """Integral up to a place between pixels; linear in between is exact for an image of square pixels."""
    top = np.minimum(np.floor(y).astype(int), tables.shape[1] - 2)
    left = np.minimum(np.floor(x).astype(int), tables.shape[2] - 2)
    down, along = y - top, x - left
    upper = tables[row, top, left] * (1 - along) + tables[row, top, left + 1] * along
    lower = tables[row, top + 1, left] * (1 - along) + tables[row, top + 1, left + 1] * along
    mixed: np.ndarray = upper * (1 - down) + lower * down
    return mixed
