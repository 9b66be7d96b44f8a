"""A volume's projection with the head's outline and the worm's axes (paper, Fig 2)."""

import numpy as np
from jaxtyping import Shaped
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from cender.plots.style import ACCENT, GREEN, GREY_MAP, QUIET, TRUTH
from cender.types import Head

COLOURS = {"A": ACCENT, "V": GREEN}


def plot_head(red: Shaped[np.ndarray, "z y x"], head: Head | None, ax: Axes) -> Axes:
    """Draw the brightest value over z, the crop, the outline, and arrows to anterior (A) and ventral (V).

    Parameters
    ----------
    red
        The reference channel.
    head
        What was found; only the projection is drawn where this is None.
    ax
        Axes to draw on.
    """
    projection = red.max(axis=0).astype(np.float32)
    low, high = np.percentile(projection, (20, 99.8))
    ax.imshow(projection, cmap=GREY_MAP, vmin=low, vmax=max(high, low + 1), interpolation="nearest")
    ax.set_axis_off()
    if head is None:
        ax.set_title("no head found", fontsize="small")
        return ax
    crop = head.crop
    ax.add_patch(Rectangle((crop.x - 0.5, crop.y - 0.5), crop.w, crop.h, fill=False, ec=QUIET, lw=0.8))
    closed = np.concatenate([head.outline_yx, head.outline_yx[:1]])
    ax.plot(closed[:, 1], closed[:, 0], color=TRUTH, lw=1)
    length = 0.3 * max(np.ptp(head.outline_yx, axis=0).max(), 10)
    for name, (dy, dx) in (("A", head.anterior_yx), ("V", head.ventral_yx)):
        y, x = head.origin_yx
        tip = (x + length * dx, y + length * dy)
        ax.annotate("", tip, (x, y), arrowprops={"arrowstyle": "->", "color": COLOURS[name], "lw": 1.5})
        ax.text(x + 1.2 * length * dx, y + 1.2 * length * dy, name, color=COLOURS[name], ha="center", va="center")
    ax.set_title(f"quality {head.quality:.2f}, axes right {head.confidence:.1%}", fontsize="small")
    return ax
