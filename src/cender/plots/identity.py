"""How well neurons are recognized: by annotated volumes, over time, across animals; how honest probabilities are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from scipy.ndimage import median_filter

from cender.plots.style import ACCENT, FAINT, QUIET, RED, TEXT, TRUTH, start_figure, styled

COLOURS = {"default": TRUTH, "paper": RED}
MARKS = "*^osDv"
# Volumes recognized worse than this share are marked.
LOW_ACCURACY = 0.6
# Groups of equal size in which probabilities are compared with how often they are right.
BINS = 15


@dataclass(frozen=True, slots=True)
class Curve:
    """Accuracy (0 to 1) at several numbers of annotated volumes; ``spread`` is its standard deviation, NaN for none.

    A ``broken`` line tells a curve from another one of its method.
    """

    method: str
    split: str
    volumes: tuple[int, ...]
    accuracy: tuple[float, ...]
    spread: tuple[float, ...]
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Published:
    """A figure of the literature: accuracy between 0 and 1 at a number of annotated volumes."""

    label: str
    volumes: int
    accuracy: float


def draw_curves(curves: Sequence[Curve], published: Sequence[Published], title: str) -> Figure:
    """Accuracy against the number of annotated volumes (paper, Fig. 5 C and E)."""
    with styled():
        figure = start_figure(7.5, 4.4)
        plot_curves(curves, published, figure.subplots()).set_title(title)
    return figure


def plot_curves(curves: Sequence[Curve], published: Sequence[Published], ax: Axes) -> Axes:
    """One line per method and split, full for random and broken for blocked; published figures as single marks."""
    for curve in sorted(curves, key=lambda curve: (curve.method, curve.split), reverse=True):
        broken = curve.broken or curve.split == "blocked"
        spread = np.nan_to_num(100 * np.array(curve.spread))
        ax.errorbar(
            curve.volumes,
            100 * np.array(curve.accuracy),
            yerr=spread if spread.any() else None,
            color=COLOURS.get(curve.method, QUIET),
            linestyle="--" if broken else "-",
            marker="o",
            markersize=5,
            markerfacecolor="none" if broken else None,
            capsize=2,
            linewidth=1.5,
            label=_name_curve(curve),
        )
    for mark, label in zip(MARKS, dict.fromkeys(point.label for point in published), strict=False):
        mine = [(point.volumes, 100 * point.accuracy) for point in published if point.label == label]
        ax.plot(*zip(*mine, strict=True), mark, color=ACCENT, markersize=9, label=label)
    counts = sorted({count for curve in curves for count in curve.volumes} | {point.volumes for point in published})
    ax.set_xscale("symlog", linthresh=1)
    ax.xaxis.set_major_locator(FixedLocator(_keep_apart(counts)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set(xlabel="annotated volumes", ylabel="accuracy, %")
    ax.legend(loc="lower right")
    return ax


def draw_over_time(
    runs: Mapping[str, tuple[Float[np.ndarray, " v"], Float[np.ndarray, " v"]]],
    unit: str,
    blocks: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Accuracy of every test volume through the recording, one panel per run (paper, Fig. 5 D and F).

    Parameters
    ----------
    runs
        Times and accuracies by label.
    blocks
        Where the training volumes of a run all lie, by the same labels.
    """
    with styled():
        figure = start_figure(9, 0.6 + 1.9 * max(len(runs), 1))
        panels = figure.subplots(max(len(runs), 1), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for ax, (label, (time, accuracy)) in zip(panels, runs.items(), strict=False):
            plot_over_time(time, accuracy, ax).set_title(label)
            if blocks is not None and label in blocks:
                ax.axvspan(*blocks[label], color=FAINT, alpha=0.5, linewidth=0)
        panels[-1].set_xlabel(unit)
    return figure


def plot_over_time(time: Float[np.ndarray, " v"], accuracy: Float[np.ndarray, " v"], ax: Axes) -> Axes:
    """One dot per volume, those below 60 % in red, and the running median of 15 volumes."""
    order = np.argsort(time)
    time, accuracy = time[order], accuracy[order]
    bad, below = accuracy < LOW_ACCURACY, f"below {100 * LOW_ACCURACY:.0f} %"
    ax.scatter(time[~bad], 100 * accuracy[~bad], s=5, color=QUIET, linewidths=0)
    ax.scatter(time[bad], 100 * accuracy[bad], s=12, color=RED, linewidths=0, label=f"{below}: {bad.sum()}")
    if len(time):
        running = median_filter(accuracy, min(15, len(time)), mode="nearest")
        ax.plot(*_break_at_gaps(time, 100 * running), color=TRUTH, linewidth=1.4)
    ax.axhline(100 * LOW_ACCURACY, color=FAINT, linewidth=0.8)
    ax.set(ylim=(0, 103), ylabel="accuracy, %")
    ax.legend(loc="lower right")
    return ax


def draw_reliability(runs: Mapping[str, tuple[Float[np.ndarray, " n"], Bool[np.ndarray, " n"]]]) -> Figure:
    """How often identities are right at the probability they are given with, one panel per run."""
    with styled():
        figure = start_figure(3.6 * max(len(runs), 1), 3.9)
        panels = figure.subplots(1, max(len(runs), 1), sharey=True, squeeze=False)[0]
        for ax, (label, (probability, right)) in zip(panels, runs.items(), strict=False):
            plot_reliability(probability, right, ax).set_title(label)
        panels[0].set_ylabel("right")
    return figure


def plot_reliability(probability: Float[np.ndarray, " n"], right: Bool[np.ndarray, " n"], ax: Axes) -> Axes:
    """Share of right identities against mean probability, in 15 bins of equal counts; ideally they lie on the line."""
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.9, linestyle="--")
    parts = [part for part in np.array_split(np.argsort(probability, kind="stable"), BINS) if len(part)]
    mean = [float(probability[part].mean()) for part in parts]
    share = [float(right[part].mean()) for part in parts]
    for x, y in zip(mean, share, strict=True):
        ax.plot([x, x], [x, y], color=RED, linewidth=1.2)
    ax.plot(mean, share, "o-", color=TRUTH, markersize=4, linewidth=1.2)
    if parts:
        error = np.average(np.abs(np.subtract(mean, share)), weights=[len(part) for part in parts])
        ax.text(
            0.97, 0.05, f"error {error:.3f}\n{len(right)} identities", color=TEXT, ha="right", transform=ax.transAxes
        )
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="probability", aspect="equal")
    return ax


def draw_violins(groups: Mapping[str, Float[np.ndarray, " v"]], title: str) -> Figure:
    """Accuracy of volumes of another animal, one violin per method (paper, Fig. 6 B)."""
    with styled():
        figure = start_figure(max(5.0, 1.6 + 1.7 * len(groups)), 4)
        plot_violins(groups, figure.subplots()).set_title(title)
    return figure


def plot_violins(groups: Mapping[str, Float[np.ndarray, " v"]], ax: Axes) -> Axes:
    """One violin per group of volumes, with a box from the 25th to the 75th percentile and the mean as a circle."""
    filled = {label: 100 * values for label, values in groups.items() if len(values)}
    places = np.arange(1, len(filled) + 1)
    for place, (label, values) in zip(places, filled.items(), strict=True):
        colour = COLOURS.get(label.split(",")[0], QUIET)
        # A kernel density needs values that differ.
        if np.ptp(values) > 0:
            for body in list(ax.violinplot([values], [place], widths=0.8, showextrema=False)["bodies"]):  # type: ignore[call-overload]
                body.set(facecolor=colour, edgecolor=colour, alpha=0.45)
        ax.plot([place, place], np.percentile(values, (25, 75)), color=colour, linewidth=6, solid_capstyle="butt")
        ax.plot(place, values.mean(), "o", color=TEXT, markersize=5)
        ax.text(place + 0.09, values.mean(), f"{values.mean():.1f}", color=TEXT, fontsize=8, va="center")
    ax.set_xticks(places, list(filled))
    ax.set(ylim=(0, 103), ylabel="accuracy of a volume, %")
    return ax


def _break_at_gaps(
    time: Float[np.ndarray, " v"], value: Float[np.ndarray, " v"]
) -> tuple[Float[np.ndarray, " w"], Float[np.ndarray, " w"]]:
    """The same line, interrupted where nothing was measured for much longer than usual."""
    step = np.diff(time)
    gaps = np.flatnonzero(step > 10 * np.median(step)) + 1 if len(step) else np.zeros(0, int)
    return np.insert(time, gaps, np.nan), np.insert(value, gaps, np.nan)


def _name_curve(curve: Curve) -> str:
    method = {"default": "ours", "paper": "the paper's method, run here"}.get(curve.method, curve.method)
    return f"{method}, {curve.split}"


def _keep_apart(counts: Sequence[int]) -> list[int]:
    """Counts whose labels do not touch on the axis."""
    kept: list[int] = []
    for count in counts:
        if not kept or count <= 1 or count >= 1.4 * kept[-1]:
            kept.append(count)
    return kept
