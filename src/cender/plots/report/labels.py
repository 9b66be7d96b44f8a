"""Labels beside a picture: in two columns, so that none lies on another, each with a line to what it names."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from cender.types import Crop

OUTLINE = [withStroke(linewidth=1.6, foreground="#05070a")]
FONT_PT, SMALLEST_PT = 7.0, 4.5
"""Size of labels, and the smallest that they shrink to where they are many."""
# Room for a label of four letters, and from one line of text to the next.
MARGIN_IN, LINES = 0.5, 1.25


def split_sides(x: Float[np.ndarray, " m"]) -> Bool[np.ndarray, " m"]:
    """Which of the points are labelled at the left: the left half of them, so that both columns are as full."""
    left = np.zeros(len(x), bool)
    left[np.argsort(x, kind="stable")[: len(x) // 2]] = True
    return left


def spread_heights(y: Float[np.ndarray, " m"], low: float, high: float, gap: float) -> Float[np.ndarray, " m"]:
    """Heights near the given ones, in the same order, at least ``gap`` apart and between ``low`` and ``high``.

    Where they do not fit at that distance they are as far apart as they can be.
    """
    if len(y) == 0:
        return np.zeros(0)
    gap = min(gap, (high - low) / max(len(y) - 1, 1))
    order = np.argsort(y, kind="stable")
    placed = np.clip(y[order], low, high)
    for row in range(1, len(placed)):
        placed[row] = max(placed[row], placed[row - 1] + gap)
    placed[-1] = min(placed[-1], high)
    for row in range(len(placed) - 2, -1, -1):
        placed[row] = min(placed[row], placed[row + 1] - gap)
    found = np.empty(len(y))
    found[order] = placed
    return found


def plot_labels(
    centre_xy: Float[np.ndarray, "m 2"],
    words: Sequence[str],
    colours: Float[np.ndarray, "m 4"],
    crop: Crop,
    per_inch: float,
    ax: Axes,
) -> Axes:
    """The words beside the crop, for which the axes must leave `MARGIN_IN` inches at both sides.

    ``per_inch`` are the pixels of the picture that an inch of the drawing shows.
    """
    left = split_sides(centre_xy[:, 0])
    for mine, x, side in ((left, crop.x, -1), (~left, crop.x + crop.w, 1)):
        rows = np.flatnonzero(mine)
        gap = LINES * FONT_PT / 72 * per_inch
        y = spread_heights(centre_xy[rows, 1], crop.y + gap / 2, crop.y + crop.h - gap / 2, gap)
        tight = (crop.h - gap) / max(len(rows) - 1, 1) / gap
        size = max(FONT_PT * min(1.0, tight), SMALLEST_PT)
        edge = x + side * 0.12 * per_inch
        for row, height in zip(rows, y, strict=True):
            start = centre_xy[row]
            ax.plot([start[0], x, edge], [start[1], height, height], color=colours[row], lw=0.5, alpha=0.75)
            label = ax.text(edge + side * 0.03 * per_inch, height, words[int(row)], color=colours[row], fontsize=size)
            label.set(ha="left" if side > 0 else "right", va="center", parse_math=False, path_effects=OUTLINE)
    return ax
