"""One neuron through the recording: how it looks in red and green, above its trace."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from cender.plots.report.frames import GREEN_MAP, RED_MAP
from cender.plots.report.labels import OUTLINE
from cender.plots.report.style import BLUE, FAINT, ORANGE, WIDE_IN, lighten, start_light_figure

BAR_UM = 5.0
"""Length of the scale bar."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Patches around one neuron, and its trace.

    ``red`` and ``green`` are ``n y x``, one patch per time in ``shown_s``; green is None where there is none.
    """

    title: str
    clock_label: str
    shown_s: Float[np.ndarray, " n"]
    red: Float[np.ndarray, "n y x"]
    green: Float[np.ndarray, "n y x"] | None
    pixel_um: float | None
    clock: Float[np.ndarray, " t"]
    values: Float[np.ndarray, " t"]
    values_label: str


def draw_passage(passage: Passage) -> Figure:
    """Rows of patches with one contrast each, so that a change is the neuron's; below, the trace with their times."""
    channels = [("red", passage.red, RED_MAP)]
    if passage.green is not None:
        channels.append(("green", passage.green, GREEN_MAP))
    count = len(passage.shown_s)
    side = (WIDE_IN - 0.6) / count
    with lighten():
        figure = start_light_figure(WIDE_IN, side * len(channels) + 2.0)
        figure.suptitle(passage.title, x=0.005, ha="left", fontsize=10.5, parse_math=False)
        heights = [side] * len(channels) + [1.4]
        grid = figure.add_gridspec(len(channels) + 1, count, height_ratios=heights)
        for row, (name, patches, colours) in enumerate(channels):
            low, high = np.nanpercentile(patches, (30, 99.8))
            scale = PowerNorm(0.7, vmin=low, vmax=max(high, low + 1), clip=True)
            for column, patch in enumerate(patches):
                ax = figure.add_subplot(grid[row, column])
                ax.imshow(patch, cmap=colours, norm=scale, interpolation="nearest")
                ax.set(xticks=[], yticks=[], facecolor="#05070a")
                if row == 0:
                    ax.set_title(f"{passage.shown_s[column]:.4g}", fontsize=8, loc="center")
                if column == 0:
                    ax.set_ylabel(name)
                    _plot_bar(patch.shape[0], passage.pixel_um, ax)
        plot_visits(passage, figure.add_subplot(grid[-1, :]))
    return figure


def plot_visits(passage: Passage, ax: Axes) -> Axes:
    """The trace of the neuron, with lines where the patches were taken."""
    for time in passage.shown_s:
        ax.axvline(time, color=ORANGE, lw=0.8, zorder=0)
    ax.plot(passage.clock, passage.values, color=BLUE, lw=1.1, marker=".", markersize=2.5)
    ax.axhline(0, color=FAINT, lw=0.8, zorder=0)
    ax.set(xlabel=passage.clock_label, ylabel=passage.values_label)
    ax.margins(x=0.01)
    return ax


def _plot_bar(side_px: int, pixel_um: float | None, ax: Axes) -> None:
    if pixel_um is None or BAR_UM / pixel_um > side_px:
        return
    x, y = 0.08 * side_px, 0.9 * side_px
    ax.plot([x, x + BAR_UM / pixel_um], [y, y], color="#ffffff", lw=2, solid_capstyle="butt")
    ax.text(x, y - 0.06 * side_px, f"{BAR_UM:g} µm", color="#ffffff", fontsize=6.5, va="bottom").set(
        path_effects=OUTLINE
    )


def choose_visits(seen: Sequence[int], count: int) -> list[int]:
    """Volumes in which a neuron was seen, evenly spread over these, the first and the last among them."""
    rows = np.unique(np.linspace(0, len(seen) - 1, min(count, len(seen))).round().astype(int))
    return [int(seen[row]) for row in rows] if len(seen) else []
