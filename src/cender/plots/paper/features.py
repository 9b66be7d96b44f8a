"""What recognition looks at: the paper's Figs 5 and 6."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from cender.plots.paper.panels import hide_axes, name_panel, split_sideways
from cender.plots.style import (
    ACCENT,
    FAINT,
    GREEN,
    HEAT_MAP,
    QUIET,
    RED,
    TEXT,
    TRUTH,
    show_image,
    split_figure,
    start_figure,
    styled,
)

TERRITORY_COLOURS = (TRUTH, "#2f6f9f", ACCENT, "#9a7b2f")
TERRITORIES = ("left, ventral", "right, ventral", "left, dorsal", "right, dorsal")
"""The paper's quarters around a neuron, in the order of the feature."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """Patches around neurons, ``patches[n][v]`` of neuron n in volume v, and points (anterior, ventral) of two volumes.

    ``rows`` says where the neurons lie among the points of each of the two volumes.
    """

    names: Sequence[str]
    volumes: Sequence[int]
    patches: Real[np.ndarray, "n v s s"]
    points: Sequence[Float[np.ndarray, "_ 2"]]
    rows: Sequence[Int[np.ndarray, " n"]]
    shown: tuple[int, int]


def draw_appearance(seen: Appearance) -> Figure:
    """One neuron looks different in every volume, but its neighbours stay where they are (paper, Fig 5)."""
    with styled():
        figure = start_figure(10.4, 3.2)
        left, right = split_sideways(figure, (1, 1))
        grid = left.subplots(len(seen.names), len(seen.volumes), squeeze=False)
        for axes, name, patches in zip(grid, seen.names, seen.patches, strict=True):
            for ax, volume, patch in zip(axes, seen.volumes, patches, strict=True):
                show_image(patch.astype(np.float32), ax)
                ax.set_title(f"volume {volume}", color=QUIET, fontsize=8)
            axes[0].set_ylabel(name)
        name_panel(grid[0][0], "A", f"volume {seen.volumes[0]}")
        for number, (ax, points, rows) in enumerate(zip(right.subplots(2, 1), seen.points, seen.rows, strict=True)):
            ax.scatter(points[:, 0], points[:, 1], s=6, color=QUIET, linewidths=0)
            for row, colour in zip(rows, (RED, TRUTH, ACCENT), strict=False):
                near = np.argsort(np.linalg.norm(points - points[row], axis=1))[1:6]
                for other in near:
                    ax.plot(*zip(points[row], points[other], strict=True), color=colour, lw=0.9)
                ax.plot(*points[row], "o", color=colour, ms=6)
            ax.set(aspect="equal", xticks=[], yticks=[])
            name_panel(ax, "B" if number == 0 else "", f"volume {seen.shown[number]}")
    return figure


@dataclass(frozen=True, slots=True)
class Features:
    """Points of a volume about one neuron, and what becomes of them.

    ``away_um`` are all other points from the neuron (left, anterior, ventral), ``near`` the rows of its nearest
    neighbours, ``density`` four territories × shells, ``vector`` the whole feature, ``embedding`` what the network
    makes of it. ``own`` and ``nearest`` are cosines of test neurons to their class and to the best other one, by
    training.
    """

    away_um: Float[np.ndarray, "n 3"]
    neuron_um: Float[np.ndarray, "m 3"]
    near: Int[np.ndarray, " k"]
    reach_um: tuple[float, float]
    density: Float[np.ndarray, "4 q"]
    vector: Float[np.ndarray, " f"]
    embedding: Float[np.ndarray, " d"]
    cosines: Mapping[str, tuple[Float[np.ndarray, " t"], Float[np.ndarray, " t"]]]
    sizes: str


def draw_features(seen: Features) -> Figure:
    """Density and neighbours of a neuron, its embedding, and what the margins do (paper, Fig 6)."""
    with styled():
        figure = start_figure(10.6, 7.4)
        above, below = split_figure(figure, (1.1, 1.0))
        a, b, c = above.subplots(1, 3, width_ratios=(1, 1, 1.05))
        _plot_shells(seen, a)
        _plot_neighbours(seen, b)
        _plot_vector(seen, c)
        panels = below.subplots(1, 2 + len(seen.cosines))
        for number, (ax, (name, both)) in enumerate(zip(panels, seen.cosines.items(), strict=False)):
            _plot_cosines(name, both, ax)
            name_panel(ax, "D" if number == 0 else "", name)
        _plot_density(seen, panels[-2])
        _plot_boundaries(panels[-1])
    return figure


def _plot_shells(seen: Features, ax: Axes) -> None:
    """All regions around the neuron from above, in the shells that count them."""
    q = seen.density.shape[1]
    radius, depth = seen.reach_um
    outward = np.maximum(np.hypot(seen.away_um[:, 1], seen.away_um[:, 2]) / radius, np.abs(seen.away_um[:, 0]) / depth)
    ax.scatter(seen.away_um[:, 2], seen.away_um[:, 1], s=5, c=outward, cmap=HEAT_MAP, vmin=0, vmax=1, linewidths=0)
    for shell in range(1, q + 1, max(q // 8, 1)):
        ax.add_patch(Circle((0, 0), shell * radius / q, fill=False, ec=FAINT, lw=0.7))
    ax.plot(0, 0, "o", color=RED, ms=6)
    span = 1.05 * np.abs(seen.away_um[:, 1:]).max()
    ax.set(xlim=(-span, span), ylim=(-span, span), aspect="equal", xlabel="ventral, µm", ylabel="anterior, µm")
    name_panel(ax, "A", f"{len(seen.away_um)} regions in {q} shells")


def _plot_neighbours(seen: Features, ax: Axes) -> None:
    ax.scatter(seen.neuron_um[:, 2], seen.neuron_um[:, 1], s=7, color=QUIET, linewidths=0)
    for row in seen.near:
        ax.plot([0, seen.neuron_um[row, 2]], [0, seen.neuron_um[row, 1]], color=TRUTH, lw=0.9)
    ax.plot(0, 0, "o", color=RED, ms=6)
    span = 1.05 * np.abs(seen.neuron_um[:, 1:]).max()
    ax.set(xlim=(-span, span), ylim=(-span, span), aspect="equal", xlabel="ventral, µm", yticks=[])
    name_panel(ax, "B", f"{len(seen.near)} nearest neurons")


def _plot_vector(seen: Features, ax: Axes) -> None:
    """The feature and its embedding as strips, with the network between them."""
    hide_axes([ax])
    ax.set(xlim=(0, 1), ylim=(0, 1))
    for values, bottom, label in ((seen.vector, 0.80, "feature"), (seen.embedding, 0.14, "embedding c")):
        inset = ax.inset_axes((0.02, bottom, 0.96, 0.08))
        inset.imshow(values[None], aspect="auto", cmap=HEAT_MAP, interpolation="nearest")
        inset.set(xticks=[], yticks=[])
        inset.set_title(f"{label}: {len(values)} values", color=QUIET, fontsize=8.5)
    ax.text(0.5, 0.52, seen.sizes, color=TEXT, ha="center", va="center", fontsize=8.5, linespacing=1.6)
    for start, end in ((0.78, 0.70), (0.36, 0.28)):
        ax.annotate("", (0.5, end), (0.5, start), arrowprops={"arrowstyle": "->", "color": QUIET})
    name_panel(ax, "C", "network")


def _plot_cosines(name: str, both: tuple[Float[np.ndarray, " t"], Float[np.ndarray, " t"]], ax: Axes) -> None:
    own, other = both
    bins = np.linspace(-0.5, 1, 46).tolist()
    ax.hist(own, bins, color=GREEN, alpha=0.75, label="own class")
    ax.hist(other, bins, color=RED, alpha=0.6, label="nearest other")
    ax.set(xlabel="cosine", yticks=[])
    ax.text(0.03, 0.86, f"{100 * np.mean(own > other):.1f} %\nnearest is right", transform=ax.transAxes, fontsize=8)
    ax.legend(loc="center left")


def _plot_density(seen: Features, ax: Axes) -> None:
    bottom = np.zeros(seen.density.shape[1])
    for row, name, colour in zip(seen.density, TERRITORIES, TERRITORY_COLOURS, strict=True):
        ax.bar(np.arange(1, len(row) + 1), 100 * row, bottom=bottom, color=colour, label=name, width=0.9)
        bottom += 100 * row
    ax.set(xlabel="shell", ylabel="% of all regions")
    ax.legend(fontsize=7)
    ax.set_title("density of the neuron in A", fontsize=9)


def _plot_boundaries(ax: Axes) -> None:
    """Where two classes meet, in the angles to them, for each kind of margin alone."""
    angle = np.linspace(0, np.pi / 2, 300)
    kinds = {
        "none": ((1.0, 0.0, 0.0), QUIET),
        "m1 = 1.35": ((1.35, 0.0, 0.0), TRUTH),
        "m2 = 0.5": ((1.0, 0.5, 0.0), GREEN),
        "m3 = 0.35": ((1.0, 0.0, 0.35), ACCENT),
    }
    for name, ((m1, m2, m3), colour) in kinds.items():
        value = np.cos(np.minimum(m1 * angle + m2, np.pi)) - m3
        other = np.degrees(np.arccos(np.clip(value, -1, 1)))
        ax.plot(np.degrees(angle), np.where(value >= -1, other, np.nan), color=colour, lw=1.4, label=name)
    ax.set(xlim=(0, 90), ylim=(0, 90), aspect="equal", xlabel="angle to own class, °", ylabel="to another, °")
    ax.legend(loc="lower right", fontsize=7)
    name_panel(ax, "E", "decision boundaries")
