"""Cell names: the atlas with how far cells stray, which cells are taken for each other, accuracy by ganglion."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from cender.plots.style import ACCENT, FAINT, GREEN, HEAT_MAP, QUIET, RED, TEXT, TRUTH, start_figure, styled

SIDES = {"L": TRUTH, "R": RED, "": ACCENT}
MOST = 30
"""Cells that a picture of confusions can show."""


def draw_atlas(
    names: Sequence[str],
    mean_um: Float[np.ndarray, "k 3"],
    covariance_um2: Float[np.ndarray, "k 3 3"],
    seen: Float[np.ndarray, " k"],
) -> Figure:
    """The average head from the side and from above, one ellipse of one standard deviation per cell."""
    with styled():
        figure = start_figure(16, 7.4)
        for ax, (down, across), title in zip(
            figure.subplots(2, 1), ((1, 2), (0, 2)), ("from the side", "from above"), strict=True
        ):
            for row, name in enumerate(names):
                values, axes = np.linalg.eigh(covariance_um2[row][np.ix_((across, down), (across, down))])
                width, height = 2 * np.sqrt(np.maximum(values[::-1], 0))
                turn = float(np.degrees(np.arctan2(axes[1, 1], axes[0, 1])))
                paired = name[-1:] in {"L", "R"} and f"{name[:-1]}{'R' if name[-1] == 'L' else 'L'}" in names
                colour = SIDES[name[-1] if paired else ""]
                at = (float(mean_um[row, across]), float(mean_um[row, down]))
                strength = 0.15 + 0.45 * float(seen[row]) / max(float(np.max(seen)), 1.0)
                ax.add_patch(Ellipse(at, width, height, angle=turn, color=colour, alpha=strength, linewidth=0))
                ax.text(*at, name, fontsize=5, color=TEXT, ha="center", va="center")
            ax.set_aspect("equal")
            ax.autoscale_view()
            ax.invert_yaxis()
            ax.set_title(f"{title}, ± one standard deviation; left blue, right red, unpaired yellow; seldom seen pale")
            ax.set_xlabel("along the body, µm")
            ax.set_ylabel("µm")
        return figure


def draw_confusion(pairs: Mapping[tuple[str, str], int]) -> Figure:
    """Which cells are taken for which: the true name across, the name given down, counted over animals."""
    worst = sorted((pair for pair in pairs if pair[0] != pair[1]), key=lambda pair: (-pairs[pair], pair))
    shown: list[str] = []
    for pair in worst:
        shown += [name for name in pair if name not in shown]
        if len(shown) >= MOST:
            break
    shown = sorted(shown[:MOST])
    grid = np.array([[pairs.get((true, said), 0) if true != said else 0 for true in shown] for said in shown])
    with styled():
        figure = start_figure(9, 8.4)
        ax = figure.subplots()
        ax.set_title("cells that are most often taken for each other" if shown else "no cell was taken for another")
        if not shown:
            return figure
        image = ax.imshow(grid.reshape(len(shown), len(shown)), cmap=HEAT_MAP)
        ax.set_xticks(range(len(shown)), shown, rotation=90, fontsize=7)
        ax.set_yticks(range(len(shown)), shown, fontsize=7)
        ax.set_xlabel("true name")
        ax.set_ylabel("name given")
        figure.colorbar(image, ax=ax, label="neurons", shrink=0.7)
        return figure


def draw_groups(right: Mapping[str, tuple[int, int]]) -> Figure:
    """Share of right names in each group of cells, with the number of neurons behind it."""
    groups = sorted(right, key=lambda group: right[group][0] / max(right[group][1], 1))
    share = [100 * right[group][0] / max(right[group][1], 1) for group in groups]
    with styled():
        figure = start_figure(8, 0.8 + 0.32 * max(len(groups), 3))
        ax = figure.subplots()
        ax.barh(range(len(groups)), share, color=GREEN, height=0.6)
        for row, (group, value) in enumerate(zip(groups, share, strict=True)):
            ax.text(value + 1, row, f"{value:.0f} %, {right[group][1]}", va="center", fontsize=8, color=QUIET)
        ax.set_yticks(range(len(groups)), groups)
        ax.set_xlim(0, 118)
        ax.axvline(100, color=FAINT, lw=0.8)
        ax.set_xlabel("names right, %, and neurons")
        return figure


def draw_worms(points: Sequence[tuple[str, float, float]], rival: str) -> Figure:
    """Share of right names in each animal, ours against another method's: (laboratory, ours, theirs)."""
    with styled():
        figure = start_figure(6.4, 6)
        ax = figure.subplots()
        for colour, lab in zip(
            cycle((ACCENT, GREEN, RED, TRUTH, QUIET, TEXT)), dict.fromkeys(one[0] for one in points)
        ):
            here = np.array([one[1:] for one in points if one[0] == lab])
            ax.scatter(100 * here[:, 1], 100 * here[:, 0], s=22, color=colour, label=f"{lab} ({len(here)})", alpha=0.85)
        ax.plot((0, 100), (0, 100), color=FAINT, lw=0.8)
        ax.set_xlim(0, 102)
        ax.set_ylim(0, 102)
        ax.set_aspect("equal")
        ax.set_xlabel(f"names right, %, {rival}")
        ax.set_ylabel("names right, %, cender")
        ax.set_title("one dot per animal; above the line cender is better")
        ax.legend(frameon=False, loc="lower right")
        return figure
