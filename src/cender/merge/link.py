"""Regions of neighbouring frames that belong together (paper, Stage 3: Exclusion and Continuum principles)."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment

from cender.types import Regions
from cender.types.boxes import overlap_boxes


def link_regions(regions: Regions, least_iou: float = 0.05) -> Int[np.ndarray, " n"]:
    """Row of the region of the next frame that continues each region, -1 for none.

    Each region has at most one successor and one predecessor, always in true neighbouring frames. Overlaps below
    ``least_iou`` are dropped before the assignment, which maximises the sum of the others.
    """
    link = np.full(len(regions), -1)
    for upper, lower in pair_frames(regions):
        _link_frame(link, upper, lower, regions.box_px[upper], regions.box_px[lower], least_iou)
    return link


def link_drifting(regions: Regions, least_iou: float = 0.05) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, "n 2"]]:
    """The same after moving every frame along with the head, and that shift (y, x) from each region to the next frame.

    The head moves while it is scanned. The median shift of the links of a first assignment is taken for that of the
    frame; with fewer than three links it is 0.
    """
    link = link_regions(regions, least_iou)
    drift = measure_drift(regions, link)
    for upper, lower in pair_frames(regions):
        if drift[upper].any():
            moved = regions.box_px[upper].copy()
            moved[:, :2] += drift[upper][:, ::-1]
            link[upper] = -1
            _link_frame(link, upper, lower, moved, regions.box_px[lower], least_iou)
    return link, drift


def measure_drift(regions: Regions, link: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n 2"]:
    """Shift (y, x) in pixels of the whole frame between each region's frame and the next, by the links' median."""
    centre = regions.centre_px[:, 1:]
    drift = np.zeros((len(regions), 2))
    linked = np.flatnonzero(link >= 0)
    shift = centre[link[linked]] - centre[linked]
    for frame in np.unique(regions.z[linked]):
        mine = regions.z[linked] == frame
        if mine.sum() >= 3:
            drift[regions.z == frame] = np.median(shift[mine], axis=0)
    return drift


def number_chains(link: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Number of the chain that each region belongs to, in the order of the chains' first regions."""
    first = np.ones(len(link), bool)
    first[link[link >= 0]] = False
    chain = np.full(len(link), -1)
    rows = np.flatnonzero(first)
    numbers = np.arange(len(rows))
    while len(rows):
        chain[rows] = numbers
        following = link[rows]
        rows, numbers = following[following >= 0], numbers[following >= 0]
    return chain


def pair_frames(regions: Regions) -> Iterator[tuple[Int[np.ndarray, " a"], Int[np.ndarray, " b"]]]:
    """Rows of every frame with regions and of the next one, where that has regions too."""
    order = np.argsort(regions.z, kind="stable")
    frames, starts = np.unique(regions.z[order], return_index=True)
    rows = np.split(order, starts[1:])
    for index in np.flatnonzero(np.diff(frames) == 1):
        yield rows[index], rows[index + 1]


def _link_frame(
    link: Int[np.ndarray, " n"],
    upper: Int[np.ndarray, " a"],
    lower: Int[np.ndarray, " b"],
    upper_box: Float[np.ndarray, "a 4"],
    lower_box: Float[np.ndarray, "b 4"],
    least_iou: float,
) -> None:
    """Write the best links between two frames into ``link``."""
    weight = overlap_boxes(upper_box[:, None], lower_box[None])
    weight[weight < least_iou] = 0
    row, column = linear_sum_assignment(weight, maximize=True)
    real = weight[row, column] > 0
    link[upper[row[real]]] = lower[column[real]]
