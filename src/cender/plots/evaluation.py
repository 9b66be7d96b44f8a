"""What went wrong in a recording, as bars."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

GOOD = "#1b9e77"
BAD = "#d95f02"
NEUTRAL = "#7570b3"

Bar = tuple[str, float, int]
"""Label, height between 0 and 1, and the count behind it."""


def draw_evaluation(
    detection: Mapping[str, int], identity: Mapping[str, int], shares: Mapping[str, Sequence[Bar]]
) -> Figure:
    """A figure of errors by kind (above) and of shares by group (below).

    Parameters
    ----------
    detection, identity
        Numbers by kind; ``right`` is drawn as the good one.
    shares
        For every title its bars.
    """
    figure = Figure(figsize=(9, 6), dpi=100, layout="constrained")
    rows = figure.subfigures(2, 1, squeeze=False)
    above, below = rows[0, 0], rows[1, 0]
    left, right = above.subplots(1, 2)
    plot_counts(detection, left).set_title("detection errors")
    plot_counts(identity, right).set_title("identities")
    if shares:
        for ax, (title, bars) in zip(below.subplots(1, len(shares), squeeze=False)[0], shares.items(), strict=True):
            plot_shares(bars, ax).set_title(title)
    return figure


def plot_counts(counts: Mapping[str, int], ax: Axes) -> Axes:
    """A bar a kind, with its number on top."""
    colours = [GOOD if kind == "right" else BAD for kind in counts]
    bars = ax.bar(list(counts), list(counts.values()), color=colours)
    ax.bar_label(bars, padding=2, fontsize=9)
    ax.set_ylim(0, 1.15 * max(1, *counts.values()))
    ax.set_ylabel("neurons")
    _trim(ax)
    return ax


def plot_shares(bars: Sequence[Bar], ax: Axes) -> Axes:
    """One bar per group, from 0 to 1, with its share and the number of neurons."""
    drawn = ax.bar([label for label, _, _ in bars], [share for _, share, _ in bars], color=NEUTRAL)
    ax.bar_label(drawn, [f"{share:.2f}\n(of {count})" for _, share, count in bars], padding=2, fontsize=8)
    ax.set_ylim(0, 1.25)
    ax.set_yticks([0, 0.5, 1])
    ax.set_ylabel("recall")
    _trim(ax)
    return ax


def _trim(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", labelsize=8)
