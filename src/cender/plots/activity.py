"""Bleaching of both channels, with the curves that were taken off; maps and traces are in `report_activity`."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cender.plots.report.style import GREEN, QUIET, RED, WIDE_IN, lighten, start_light_figure

COLOURS = {"red": RED, "green": GREEN}


class Fading(NamedTuple):
    """Levels of a channel over time relative to its start, the curve through them, and why there is none."""

    times_s: Float[np.ndarray, " b"]
    level: Float[np.ndarray, " b"]
    fit: Float[np.ndarray, " b"]
    reason: str = ""


def draw_bleaching(channels: Mapping[Literal["red", "green"], Fading]) -> Figure:
    """Both channels side by side on one scale."""
    with lighten():
        figure = start_light_figure(WIDE_IN, 2.8)
        axes = figure.subplots(1, max(len(channels), 1), sharey=True, squeeze=False)[0]
        for ax, (name, fading) in zip(axes, channels.items(), strict=False):
            plot_bleaching(fading, ax, COLOURS[name]).set_title(name)
        axes[0].set_ylabel("level of all identities,\nrelative to the start")
    return figure


def plot_bleaching(fading: Fading, ax: Axes, colour: str = QUIET) -> Axes:
    """Measured levels as dots and the curve as a line; where nothing was corrected, the reason instead."""
    ax.plot(fading.times_s, fading.level, ls="", marker="o", markersize=3.5, color=colour, alpha=0.55, mec="none")
    if fading.reason:
        said = ax.annotate(
            f"not corrected:\n{fading.reason}", (0.03, 0.05), xycoords="axes fraction", color=QUIET, wrap=True
        )
        said.set_fontsize(8.5)
    else:
        ax.plot(fading.times_s, fading.fit, color=colour, lw=1.8)
        left = f"{100 * fading.fit[-1]:.0f} % left"
        ax.annotate(left, (fading.times_s[-1], fading.fit[-1]), (0, 8), textcoords="offset points", ha="right")
    ax.set_xlabel("time (s)")
    top = float(np.max(fading.level)) if len(fading.level) else 1.0
    ax.set_ylim(0, 1.15 * max(top, 1.0))
    return ax
