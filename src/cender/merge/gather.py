"""Neurons from 3D centres: every centre gathers its regions, frame by frame."""

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.optimize import linear_sum_assignment

from cender.merge.depth import DepthBounds
from cender.merge.link import link_regions, measure_drift
from cender.types import Detections, Regions, VoxelSize

# A region this many spreads beyond the expected half depth is never gathered.
_SPREADS = 1.5
# Cost of leaving a region out, in the units of the cost of taking it; a cost of 2 is at both limits.
_LEAVE = 2.0
# A region within this share of its width of a centre is part of that neuron or a double, never another neuron.
_DOUBLE = 0.5


def gather_regions(
    detections: Detections,
    path: Float[np.ndarray, "f 3"],
    depth: DepthBounds,
    voxel_um: VoxelSize,
    reach: float,
) -> tuple[Int[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Row of the centre that each region belongs to, -1 for none; and which regions are no centre's business at all.

    In every frame an assignment gives each centre at most one region: the squared distance, in units of ``reach``
    widths across and of the largest plausible half depth along z, is smallest in sum. Centres are moved along with
    the head's drift during the scan. Of a centre's regions only the run of consecutive frames nearest to it stays; what
    lies beyond a missing frame, or close to a centre that has a better region there, belongs to no other neuron either.

    Parameters
    ----------
    path
        The head's drift, of `trace_drift`.
    reach
        Largest distance across, in widths of the region.
    """
    regions, centres = detections.regions, detections.centre_px
    owner, free = np.full(len(regions), -1), np.ones(len(regions), bool)
    if not len(regions) or not len(centres):
        return owner, free
    start, middle = _look_up(path, centres[:, 0]), regions.centre_px[:, 1:]
    pixel_um = float(np.sqrt(voxel_um.y_um * voxel_um.x_um))
    side = np.sqrt(np.prod(regions.box_px[:, 2:], axis=1))
    half = depth.expect_um(side * pixel_um) / 2 + _SPREADS * depth.spread_um
    farthest = half.max() / voxel_um.z_um
    for frame in np.unique(regions.z):
        rows = np.flatnonzero(regions.z == frame)
        near = np.flatnonzero(np.abs(frame - centres[:, 0]) < farthest)
        place = centres[near, 1:] + _look_up(path, np.array([float(frame)])) - start[near]
        down, right = middle[rows].T[:, :, None] - place.T[:, None, :]
        across = np.sqrt(down * down + right * right) / side[rows, None]
        along = np.abs(frame - centres[None, near, 0]) * voxel_um.z_um / half[rows, None]
        cost = np.where((across < reach) & (along < 1), (across / reach) ** 2 + along**2 - _LEAVE, 0.0)
        free[rows] = ~((across < _DOUBLE) & (along < 1)).any(axis=1)
        row, column = linear_sum_assignment(cost)
        taken = cost[row, column] < 0
        owner[rows[row[taken]]] = near[column[taken]]
    return keep_nearest_run(regions.z, owner, centres[:, 0]), free & (owner < 0)


def trace_drift(regions: Regions) -> Float[np.ndarray, "f 3"]:
    """Frame number and summed shift (y, x) since the first, for every frame from the first with regions to the last.

    Without regions there is one frame and no shift.
    """
    if not len(regions):
        return np.zeros((1, 3))
    first, last = int(regions.z.min()), int(regions.z.max())
    drift = measure_drift(regions, link_regions(regions))
    step = np.zeros((last - first + 1, 2))
    step[regions.z - first] = drift
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(step[:-1], axis=0)])
    return np.column_stack([np.arange(first, last + 1), total])


def keep_nearest_run(
    z: Int[np.ndarray, " n"], owner: Int[np.ndarray, " n"], centre_z: Float[np.ndarray, " m"]
) -> Int[np.ndarray, " n"]:
    """Owners with -1 for regions that a missing frame separates from the region nearest to the centre."""
    rows = np.flatnonzero(owner >= 0)
    rows = rows[np.lexsort((z[rows], owner[rows]))]
    broken = (np.diff(owner[rows]) != 0) | (np.diff(z[rows]) != 1)
    run = np.concatenate([[0], np.cumsum(broken)]) if len(rows) else np.zeros(0, int)
    distance = np.abs(z[rows] - centre_z[owner[rows]])
    order = np.lexsort((z[rows], distance, owner[rows]))
    _, place = np.unique(owner[rows][order], return_index=True)
    kept = np.isin(run, run[order[place]])
    result = np.full(len(owner), -1)
    result[rows[kept]] = owner[rows[kept]]
    return result


def _look_up(path: Float[np.ndarray, "f 3"], z: Float[np.ndarray, " k"]) -> Float[np.ndarray, "k 2"]:
    """Shift at fractional frames."""
    return np.stack([np.interp(z, path[:, 0], path[:, column]) for column in (1, 2)], axis=1)
