"""Letters, images, boxes and arrows that the paper's figures share."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float, Shaped
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle

from cender.plots.detection import cut
from cender.plots.style import ACCENT, QUIET, TRUTH, show_image
from cender.types import Crop


def name_panel(ax: Axes, letter: str, title: str) -> Axes:
    """The letter of a panel and what it shows, above it."""
    ax.set_title(f"$\\bf{{{letter}}}$  {title}", fontsize=9)
    return ax


def split_sideways(figure: Figure | SubFigure, widths: tuple[float, ...]) -> list[SubFigure]:
    """Parts of a figure beside each other, of these relative widths."""
    parts = np.atleast_1d(np.asarray(figure.subfigures(1, len(widths), width_ratios=widths))).tolist()
    for part in parts:
        part.set_facecolor("none")
    return list(parts)


def hide_axes(axes: Iterable[Axes]) -> None:
    """Panels without frame or ticks."""
    for ax in axes:
        ax.set_axis_off()


def show_frame(image: Shaped[np.ndarray, "y x"], ax: Axes) -> Axes:
    """A whole frame, its empty part black: nearly all of it is background."""
    low, high = np.percentile(image, (93, 99.9))
    return show_image(image.astype(np.float32), ax, (float(low), float(high)))


def show_crop(image: Shaped[np.ndarray, "y x"], crop: Crop, ax: Axes) -> Axes:
    """The part of a frame inside the head's rectangle."""
    part = cut(image, crop).astype(np.float32)
    low, high = np.percentile(part, (60, 99.8))
    return show_image(part, ax, (float(low), float(high)))


def add_boxes(
    ax: Axes, box_px: Float[np.ndarray, "n 4"], crop: Crop, colour: str | Float[np.ndarray, "n 4"], width: float = 0.8
) -> None:
    """Boxes ``x y w h`` of the full frame over its crop."""
    shapes = [Rectangle((x - crop.x - 0.5, y - crop.y - 0.5), w, h) for x, y, w, h in box_px]
    ax.add_collection(PatchCollection(shapes, facecolor="none", edgecolor=colour, linewidth=width))


def add_axes_of_worm(
    ax: Axes,
    origin_yx: Float[np.ndarray, " 2"],
    anterior_yx: Float[np.ndarray, " 2"],
    ventral_yx: Float[np.ndarray, " 2"],
    length_px: float,
) -> None:
    """Both axes through the origin with the letters A, P, V and D at their ends."""
    y, x = origin_yx
    for (dy, dx), (near, far), colour in ((anterior_yx, "AP", ACCENT), (ventral_yx, "VD", TRUTH)):
        reach = length_px if near == "A" else 0.3 * length_px
        ax.plot([x - reach * dx, x + reach * dx], [y - reach * dy, y + reach * dy], color=colour, lw=1.2)
        for letter, side in ((near, 1.18), (far, -1.18)):
            ax.text(x + side * reach * dx, y + side * reach * dy, letter, color=colour, ha="center", va="center")
    ax.plot(x, y, "o", color=ACCENT, markersize=5, markeredgecolor=QUIET)
