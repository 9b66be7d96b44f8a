"""A recording from its first to its last volume: what became of the volumes, who is present, how sure we are."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from cender.plots.report.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    QUIET,
    STATUS,
    WIDE_IN,
    lighten,
    start_light_figure,
)

Clock = Literal["time (s)", "volume"]


def draw_outcomes(
    clock: Float[np.ndarray, " n"], label: Clock, status: Sequence[str], quality: Float[np.ndarray, " n"]
) -> Figure:
    """The status of every volume as a strip, and the quality of its head below."""
    with lighten():
        figure = start_light_figure(WIDE_IN, 2.7)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2.6))
        plot_status(clock, status, above)
        plot_quality(clock, quality, status, below)
        below.set_xlabel(label)
    return figure


def draw_presence(
    clock: Float[np.ndarray, " n"],
    label: Clock,
    counts: dict[str, Float[np.ndarray, " n"]],
    probability: Float[np.ndarray, "3 n"],
    threshold: float,
) -> Figure:
    """Neurons found and recognized above; the probability of identities (10th percentile, mean, 90th) below.

    Without any probability there is nothing below.
    """
    with lighten():
        if not np.isfinite(probability).any():
            figure = start_light_figure(WIDE_IN, 2.4)
            plot_counts(clock, counts, figure.subplots()).set_xlabel(label)
            return figure
        figure = start_light_figure(WIDE_IN, 4.4)
        above, below = figure.subplots(2, 1, sharex=True)
        plot_counts(clock, counts, above)
        plot_probability(clock, probability, threshold, below)
        below.set_xlabel(label)
    return figure


def plot_status(clock: Float[np.ndarray, " n"], status: Sequence[str], ax: Axes) -> Axes:
    """A coloured bar for each volume; flagged and failed ones also reach higher, so that colour is not all."""
    names = list(STATUS)
    code = np.array([names.index(one) for one in status], float)
    height = np.array([0.45, 0.75, 1.0])[code.astype(int)] if len(code) else np.zeros(0)
    levels = np.linspace(0, 1, 24)[:, None]
    image = np.where(levels <= height[None], code[None], np.nan)
    low, high = _find_edges(clock)
    ax.imshow(
        image,
        cmap=ListedColormap(list(STATUS.values())),
        vmin=-0.5,
        vmax=2.5,
        aspect="auto",
        interpolation="nearest",
        origin="lower",
        extent=(low, high, 0, 1),
    )
    handles = [ax.plot([], [], "s", color=STATUS[one], label=f"{one} ({list(status).count(one)})")[0] for one in names]
    ax.legend(handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0, handletextpad=0.2)
    ax.set_title("what became of each volume")
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    return ax


def plot_quality(
    clock: Float[np.ndarray, " n"], quality: Float[np.ndarray, " n"], status: Sequence[str], ax: Axes
) -> Axes:
    """Quality of the head, 0 to 1; flagged volumes are marked with a cross."""
    ax.plot(clock, quality, color=GREY, lw=0.8, zorder=1)
    odd = np.array([one != "ok" for one in status], bool)
    ax.scatter(clock[~odd], quality[~odd], s=5, color=BLUE, linewidths=0, zorder=2)
    ax.scatter(clock[odd], quality[odd], s=22, marker="x", color=ORANGE, linewidths=1.2, zorder=3)
    ax.set(ylim=(-0.03, 1.05), ylabel="quality of head")
    _add_grid(ax)
    return ax


def plot_counts(clock: Float[np.ndarray, " n"], counts: dict[str, Float[np.ndarray, " n"]], ax: Axes) -> Axes:
    """Numbers of neurons through the recording, a line each, named at its end."""
    for (name, values), colour in zip(counts.items(), (GREY, BLUE, ORANGE), strict=False):
        ax.plot(clock, values, color=colour, label=name)
    ax.set_ylim(bottom=0)
    ax.set(title="neurons in each volume", ylabel="neurons")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0)
    _add_grid(ax)
    return ax


def plot_probability(
    clock: Float[np.ndarray, " n"], probability: Float[np.ndarray, "3 n"], threshold: float, ax: Axes
) -> Axes:
    """Mean probability of the identities of a volume with its 10th to 90th percentile, and a line to compare with."""
    low, mean, high = probability
    ax.fill_between(clock, low, high, color=BLUE, alpha=0.18, linewidth=0, label="10th to 90th percentile")
    ax.plot(clock, mean, color=BLUE, label="mean")
    ax.axhline(threshold, color=QUIET, lw=0.9, ls=(0, (4, 3)))
    ax.annotate(
        f"{threshold:g}", (1, threshold), xycoords=("axes fraction", "data"), xytext=(3, 0),
        textcoords="offset points", va="center", color=INK, fontsize=8.5,
    )  # fmt: skip
    ax.set(ylim=(0, 1.03), title="probability that an identity is right", ylabel="probability")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
    _add_grid(ax)
    return ax


def _find_edges(clock: Float[np.ndarray, " n"]) -> tuple[float, float]:
    if len(clock) < 2:
        centre = float(clock[0]) if len(clock) else 0.0
        return centre - 0.5, centre + 0.5
    half = float(clock[-1] - clock[0]) / (len(clock) - 1) / 2
    return float(clock[0]) - half, float(clock[-1]) + half


def _add_grid(ax: Axes) -> None:
    ax.grid(axis="y", color=FAINT, lw=0.7)
    ax.set_axisbelow(True)
