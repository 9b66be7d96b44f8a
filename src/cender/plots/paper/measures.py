"""Times and sizes: the paper's Figs 10 and S1."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from cender.plots.paper.panels import name_panel
from cender.plots.style import ACCENT, QUIET, RED, TEXT, TRUTH, start_figure, styled


def draw_speed(ours_ms: Mapping[str, float], published_ms: Mapping[str, float], machine: str) -> Figure:
    """Milliseconds per volume of every stage, ours and those that the paper prints (paper, Fig 10)."""
    names = list(ours_ms)
    with styled():
        figure = start_figure(7.4, 0.55 * len(names) + 1.5)
        ax = figure.subplots()
        for place, name in enumerate(names):
            bars = ((-0.18, ours_ms[name], TRUTH), (0.18, published_ms.get(name), RED))
            for shift, value, colour in bars:
                if value is None:
                    continue
                ax.barh(place + shift, value, 0.34, color=colour)
                ax.text(value, place + shift, f" {value:.0f}", color=TEXT, va="center", fontsize=8)
        ax.barh([0], [0], color=TRUTH, label=f"cender, {machine}")
        ax.barh([0], [0], color=RED, label="paper, RTX 3090 and 24 cores")
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set_xlabel("ms per volume (ours: CPU time, of all cores together), loading and saving excluded")
        ax.margins(x=0.12)
        ax.legend(loc="upper right")
    return figure


def draw_box_sizes(wide_px: Float[np.ndarray, " n"], high_px: Float[np.ndarray, " n"], source: str) -> Figure:
    """How large regions are (paper, Fig S1)."""
    side = np.sqrt(wide_px * high_px)
    with styled():
        figure = start_figure(8.4, 3.4)
        a, b = figure.subplots(1, 2)
        bins = np.arange(0.5, max(side.max(initial=16.0), 16) + 1.5).tolist()
        a.hist(side, bins, color=TRUTH)
        for value, colour, name in ((np.median(side), ACCENT, "median"), (side.mean(), RED, "mean")):
            a.axvline(float(value), color=colour, lw=1.3, label=f"{name} {value:.1f} px")
        a.set(xlabel="side, pixels of 0.3 µm", ylabel="regions")
        a.legend()
        name_panel(a, "", f"{len(side)} regions, {source}")
        b.hist2d(wide_px, high_px, bins=[bins, bins], cmap="magma")
        b.plot([0, bins[-1]], [0, bins[-1]], color=QUIET, lw=0.8)
        b.set(xlabel="width, px", ylabel="height, px", aspect="equal")
        name_panel(b, "", "width and height")
    return figure
