"""Of boxes that overlap in one frame, and of centres too close to be two neurons, keep the best."""

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.spatial import cKDTree

from cender.types.boxes import overlap_boxes


def pair_overlaps(
    z: Int[np.ndarray, " n"], boxes: Float[np.ndarray, "n 4"]
) -> tuple[Int[np.ndarray, " p"], Int[np.ndarray, " p"], Float[np.ndarray, " p"]]:
    """Rows (first < second) and overlap of all pairs of boxes that share area in one frame."""
    firsts, seconds = [np.zeros(0, int)], [np.zeros(0, int)]
    for frame in np.unique(z):
        rows = np.flatnonzero(z == frame)
        low, high = boxes[rows, :2], boxes[rows, :2] + boxes[rows, 2:]
        meet = (low[:, None, 0] < high[None, :, 0]) & (low[None, :, 0] < high[:, None, 0])
        meet &= (low[:, None, 1] < high[None, :, 1]) & (low[None, :, 1] < high[:, None, 1])
        one, two = np.nonzero(np.triu(meet, 1))
        firsts.append(rows[one])
        seconds.append(rows[two])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    return first, second, overlap_boxes(boxes[first], boxes[second])


def suppress_boxes(
    z: Int[np.ndarray, " n"], boxes: Float[np.ndarray, "n 4"], score: Float[np.ndarray, " n"], iou: float = 0.2
) -> Bool[np.ndarray, " n"]:
    """Which boxes stay when each, best first, removes those of its frame that overlap it by more than ``iou``.

    Equal scores are decided by the boxes' coordinates, so that the order of the rows does not matter.
    """
    first, second, overlap = pair_overlaps(z, boxes)
    close = overlap > iou
    return _keep_best(np.column_stack([-score, z, boxes]), first[close], second[close])


def suppress_centres(
    centre_um: Float[np.ndarray, "n 3"], score: Float[np.ndarray, " n"], spacing_um: Float[np.ndarray, " n"]
) -> Bool[np.ndarray, " n"]:
    """Which centres stay when each, best first, removes those that need more distance from better ones.

    ``spacing_um`` is what each of them needs, not more for a better one than for a worse one.
    """
    if not len(centre_um):
        return np.zeros(0, bool)
    first, second = cKDTree(centre_um).query_pairs(float(spacing_um.max()), output_type="ndarray").T
    apart = np.linalg.norm(centre_um[first] - centre_um[second], axis=1)
    near = apart <= np.maximum(spacing_um[first], spacing_um[second])
    return _keep_best(np.column_stack([-score, centre_um]), first[near], second[near])


def _keep_best(
    keys: Float[np.ndarray, "n k"], first: Int[np.ndarray, " p"], second: Int[np.ndarray, " p"]
) -> Bool[np.ndarray, " n"]:
    """Which rows stay when each, in the order of its keys, removes those it is paired with."""
    order = np.lexsort(keys.T[::-1])
    rank = np.empty(len(order), int)
    rank[order] = np.arange(len(order))
    better = np.where(rank[first] < rank[second], first, second)
    worse = np.where(rank[first] < rank[second], second, first)
    # All rows that nothing better can still remove stay at once; few rounds are needed.
    keep = np.zeros(len(order), bool)
    open_ = np.ones(len(order), bool)
    while open_.any():
        threatened = np.zeros(len(order), bool)
        live = open_[better] & open_[worse]
        threatened[worse[live]] = True
        winners = open_ & ~threatened
        keep |= winners
        open_ &= ~winners
        open_[worse[winners[better]]] = False
    return keep
