"""Mean intensity of regions above their surroundings."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int, Real

from cender.types import Regions, VoxelSize

GAP_PX = 2
"""Pixels between a box and the strip around it that its background is measured in."""
STRIP_PX = 4
"""Width of that strip."""
LARGE_UM = 3.15
"""Median width of regions above which nuclei are larger than the network for usual rigs knows them."""


def measure_regions(red: Real[np.ndarray, "z y x"], regions: Regions) -> Regions:
    """The same regions with their mean intensity above the local background.

    Background is the mean of the two darkest of four strips, left, right, above and below the box: next to a
    neighbour at least two strips usually look past it. Fractions of pixels count. A box outside of the frame is NaN.
    """
    if not len(regions):
        return regions
    x, y, w, h = regions.box_px.T
    side = int(np.ceil(max(w.max(), h.max(), 0))) + 2 * (GAP_PX + STRIP_PX) + 2
    row, rows = _share_pixels(y, h, side, red.shape[1])
    column, columns = _share_pixels(x, w, side, red.shape[2])
    line = (regions.z[:, None] * red.shape[1] + row) * red.shape[2]
    # One index is faster than three, where the frames lie one after the other.
    patch = np.take(red.reshape(-1), line[:, :, None] + column[:, None, :]).astype(np.float32)
    # Sums over columns first, for the box's own, the left and the right columns; then over rows.
    across = patch @ columns  # n side 3
    total = np.einsum("nsk,nsj->nkj", rows, across)
    area = rows.sum(axis=1)[:, :, None] * columns.sum(axis=1)[:, None, :]
    mean = np.divide(total, area, out=np.full(total.shape, np.nan), where=area > 0)
    # A strip outside of the frame says nothing; it sorts last. A box with fewer than two strips fills the frame.
    strips = mean[:, [0, 0, 1, 2], [1, 2, 0, 0]]
    darkest = np.sort(np.where(np.isnan(strips), np.inf, strips), axis=1)[:, :2]
    known = np.isfinite(darkest)
    behind = np.where(known, darkest, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return replace(regions, intensity=mean[:, 0, 0] - behind)


def has_large_nuclei(regions: Regions, voxel_um: VoxelSize) -> bool:
    """Whether regions are wider than those of usual nuclei; without regions they are not."""
    if not len(regions):
        return False
    size_um = np.sqrt(np.prod(regions.box_px[:, 2:], axis=1) * voxel_um.y_um * voxel_um.x_um)
    return bool(np.median(size_um) > LARGE_UM)


def _share_pixels(
    start: Float[np.ndarray, " n"], length: Float[np.ndarray, " n"], side: int, limit: int
) -> tuple[Int[np.ndarray, "n s"], Float[np.ndarray, "n s 3"]]:
    """Pixels around a box along one axis, and the share of each in the box, in the strip before and that after it."""
    pixel = np.floor(start).astype(int)[:, None] - (GAP_PX + STRIP_PX + 1) + np.arange(side)
    stop = start + length
    near, far = GAP_PX, GAP_PX + STRIP_PX
    low = np.stack([start, start - far, stop + near], axis=1)[:, None]
    high = np.stack([stop, start - near, stop + far], axis=1)[:, None]
    share = np.minimum(pixel[:, :, None] + 1, high) - np.maximum(pixel[:, :, None], low)
    inside = (pixel >= 0) & (pixel < limit)
    return np.clip(pixel, 0, limit - 1), (np.clip(share, 0, 1) * inside[:, :, None]).astype(np.float32)
