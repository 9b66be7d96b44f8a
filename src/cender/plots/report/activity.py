"""Activity on the report: all identities as a map, single traces with what is unsure, and the red channel beside."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.cluster.hierarchy import leaves_list, linkage

from cender.plots.report.style import (
    BLUE,
    FAINT,
    ORANGE,
    QUIET,
    RED,
    WIDE_IN,
    Hover,
    lighten,
    start_light_figure,
)
from cender.types import Traces

Name = Callable[[int], str]
_MISSING = "#e3e7eb"


def draw_heat_map(traces: Traces, name: Name, label: str) -> tuple[Figure, list[Hover]]:
    """ΔR/R0 of every identity, one row per identity in the order of `order_by_clustering`; and what to say of each.

    ``label`` is what the values are called.
    """
    count = len(traces.identity)
    with lighten():
        figure = start_light_figure(WIDE_IN, min(max(0.05 * count + 1.4, 2.6), 8.5))
        hovers = plot_activity_map(traces, name, label, figure.subplots())
    return figure, hovers


def draw_traces(traces: Traces, rows: Sequence[int], name: Name, threshold: float, label: str) -> Figure:
    """Single traces one below the other, each on its own scale; ``label`` is what the values are called."""
    with lighten():
        figure = start_light_figure(WIDE_IN, 0.72 * max(len(rows), 1) + 0.7)
        axes = figure.subplots(max(len(rows), 1), 1, sharex=True, squeeze=False)[:, 0]
        for ax, row in zip(axes, rows, strict=False):
            plot_unsure_trace(traces, row, name, threshold, ax)
        axes[-1].set_xlabel(_clock(traces)[1])
        figure.supylabel(label, fontsize=10)
    return figure


def draw_motion(
    traces: Traces, correlation: Float[np.ndarray, " k"], chance: float, followers: Sequence[int], name: Name
) -> Figure:
    """Correlation of all ratios with red at the left, the ratio of the strongest one against red at the right."""
    with lighten():
        figure = start_light_figure(WIDE_IN, 3.3)
        left, right = figure.subplots(1, 2)
        plot_red_correlation(correlation, chance, followers, left)
        if np.isfinite(correlation).any():
            plot_against_red(traces, int(np.nanargmax(np.abs(correlation))), name, right)
        else:
            right.set_axis_off()
    return figure


def plot_activity_map(traces: Traces, name: Name, label: str, ax: Axes) -> list[Hover]:
    """All traces as an image; the colours end at the 98th percentile, what is missing is grey."""
    order = order_by_clustering(traces.dr_r0)
    values = traces.dr_r0[order]
    known = values[np.isfinite(values)]
    top = max(float(np.percentile(known, 98)), 0.1) if len(known) else 1.0
    clock, clock_label = _clock(traces)
    half = float(clock[-1] - clock[0]) / max(len(clock) - 1, 1) / 2 or 0.5
    ax.set_facecolor(_MISSING)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        aspect="auto",
        interpolation="nearest",
        cmap=colormaps["viridis"],
        vmin=0,
        vmax=top,
        extent=(clock[0] - half, clock[-1] + half, len(order) - 0.5, -0.5),
    )
    bar = ax.figure.colorbar(image, ax=ax, pad=0.01, fraction=0.03, extend="both")
    bar.set_label(label)
    bar.outline.set_visible(False)
    # Names stay legible: with many identities only every n-th row is named.
    step = max(1, int(np.ceil(len(order) / 50)))
    shown = range(0, len(order), step)
    labels = [name(int(traces.identity[order[row]])) for row in shown]
    ax.set_yticks(list(shown), labels, fontsize=7, parse_math=False)
    ax.set(xlabel=clock_label, ylabel="identity" + (f" (every {step}th is named)" if step > 1 else ""))
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    left, right = ax.get_xlim()
    return [
        Hover(ax, (left, row - 0.5, right, row + 0.5), _describe(traces, int(one), name))
        for row, one in enumerate(order)
    ]


def _describe(traces: Traces, row: int, name: Name) -> str:
    number, named = int(traces.identity[row]), name(int(traces.identity[row]))
    words = f"identity {number}" if named == str(number) else f"{named} (identity {number})"
    return f"{words}: valid in {traces.valid[row].mean():.0%} of the volumes"


def plot_unsure_trace(traces: Traces, row: int, name: Name, threshold: float, ax: Axes) -> Axes:
    """ΔR/R0 of one identity; grey bands where there is no valid value, orange where its identity is unsure."""
    clock, _ = _clock(traces)
    values = traces.dr_r0[row]
    _shade(clock, ~np.isfinite(values), ax)
    ax.plot(clock, values, color=BLUE, lw=1.1)
    unsure = np.isfinite(values) & (np.nan_to_num(traces.probability[row], nan=1.0) < threshold)
    ax.plot(clock, np.where(unsure, values, np.nan), color=ORANGE, lw=1.6, marker=".", markersize=3.5)
    ax.axhline(0, color=FAINT, lw=0.8, zorder=0)
    ax.margins(x=0)
    ax.locator_params(axis="y", nbins=3)
    ax.set_ylabel(name(int(traces.identity[row])), rotation=0, ha="right", va="center", parse_math=False)
    return ax


def plot_red_correlation(
    correlation: Float[np.ndarray, " k"], chance: float, followers: Sequence[int], ax: Axes
) -> Axes:
    """A histogram of correlations from -1 to 1; dashed lines are what chance reaches."""
    edges = np.linspace(-1, 1, 41).tolist()
    odd = np.zeros(len(correlation), bool)
    odd[list(followers)] = True
    rest = correlation[~odd & np.isfinite(correlation)]
    ax.hist([rest, correlation[odd]], edges, stacked=True, color=[BLUE, RED], label=["others", "follow red"])
    if np.isfinite(chance):
        for edge in (-chance, chance):
            ax.axvline(edge, color=QUIET, lw=1, ls=(0, (4, 3)))
    ax.set(xlim=(-1, 1), xlabel="correlation of ratio and red", ylabel="identities", title="all identities")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    if odd.any():
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
    return ax


def plot_against_red(traces: Traces, row: int, name: Name, ax: Axes) -> Axes:
    """Ratio against red brightness of one identity, one dot per volume, early ones light and late ones dark."""
    use = np.isfinite(traces.ratio[row]) & np.isfinite(traces.red[row])
    age = np.flatnonzero(use) / max(len(use) - 1, 1)
    colours = colormaps["viridis_r"](0.15 + 0.85 * age)
    ax.scatter(traces.red[row][use], traces.ratio[row][use], s=10, color=colours, linewidths=0)
    ax.set_title(f"strongest: {name(int(traces.identity[row]))}", parse_math=False)
    ax.set(xlabel="red (counts above background)", ylabel="ratio R")
    ax.grid(color=FAINT, lw=0.7)
    ax.set_axisbelow(True)
    return ax


def order_by_clustering(values: Float[np.ndarray, "k t"]) -> Int[np.ndarray, " k"]:
    """Rows in an order that puts alike ones together (average linkage on correlation, leaves arranged optimally).

    Missing values count as the row's mean; rows without any change come last, in the order given.
    """
    with np.errstate(invalid="ignore"):
        known = np.isfinite(values)
        mean = np.where(known, values, 0).sum(axis=1, keepdims=True) / np.maximum(known.sum(axis=1, keepdims=True), 1)
        centred = np.where(known, values - mean, 0.0)
    length = np.linalg.norm(centred, axis=1)
    moving, still = np.flatnonzero(length > 1e-12), np.flatnonzero(length <= 1e-12)
    if len(moving) < 3:
        return np.concatenate([moving, still])
    unit = centred[moving] / length[moving, None]
    distance = np.clip(1 - unit @ unit.T, 0, 2)
    condensed = distance[np.triu_indices(len(moving), 1)]
    order = leaves_list(linkage(condensed, "average", optimal_ordering=True))
    return np.concatenate([moving[order], still])


def _clock(traces: Traces) -> tuple[Float[np.ndarray, " t"], str]:
    if np.isfinite(traces.time_s).all():
        return traces.time_s, "time (s)"
    return traces.volume.astype(float), "volume"


def _shade(clock: Float[np.ndarray, " t"], where: Bool[np.ndarray, " t"], ax: Axes) -> None:
    """Grey bands over the volumes in ``where``."""
    if not where.any():
        return
    half = float(clock[-1] - clock[0]) / max(len(clock) - 1, 1) / 2
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(int)))
    spans = [
        (clock[a] - half, clock[b - 1] - clock[a] + 2 * half) for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]
    ax.broken_barh(spans, (0, 1), transform=ax.get_xaxis_transform(), facecolors=_MISSING, linewidths=0, zorder=0)
