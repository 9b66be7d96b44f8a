"""How identities bend as points get worse."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cender.plots.style import ACCENT, FAINT, GREEN, QUIET, RED, TRUTH, start_figure, styled

COLOURS = (TRUTH, GREEN, ACCENT, RED, QUIET)


@dataclass(frozen=True, slots=True)
class Decline:
    """Figures (0 to 1) of one method at several levels of corruption; NaN where one is not known."""

    label: str
    accuracy: tuple[float, ...]
    worst: tuple[float, ...]
    expected: tuple[float, ...]


def draw_corruption(declines: Sequence[Decline], levels: Sequence[str], title: str) -> Figure:
    """Accuracy against corruption, from the points as they are to the worst."""
    with styled():
        figure = start_figure(7.5, 4.6)
        plot_corruption(declines, levels, figure.subplots()).set_title(title)
    return figure


def plot_corruption(declines: Sequence[Decline], levels: Sequence[str], ax: Axes) -> Axes:
    """Full: accuracy; dotted: of the worst 5 % of volumes; circles: what the recording expects of itself."""
    places = np.arange(len(levels))
    for colour, one in zip(COLOURS, declines, strict=False):
        ax.plot(places, 100 * np.array(one.accuracy), "s-", color=colour, linewidth=1.7, markersize=5, label=one.label)
        ax.plot(places, 100 * np.array(one.worst), ":", color=colour, linewidth=1.2)
        ax.plot(places, 100 * np.array(one.expected), "o", color=colour, markerfacecolor="none", markersize=8)
    for style, label in (("s-", "accuracy"), (":", "worst 5 % of volumes"), ("o", "expected by the recording itself")):
        ax.plot([], [], style, color=QUIET, markerfacecolor="none" if style == "o" else QUIET, label=label)
    ax.set_xticks(places, list(levels))
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set(xlim=(-0.3, len(levels) - 0.7), ylim=(0, 103), ylabel="accuracy, %")
    ax.legend(loc="lower left")
    return ax
