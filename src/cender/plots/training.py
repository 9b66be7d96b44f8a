"""How a training went."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cender.plots.style import ACCENT, QUIET, RED, TRUTH, save_figure, start_figure, styled


def draw_training(history: Sequence[Sequence[float]], path: Path) -> None:
    """Losses and validation figures over the steps, as PNG; rows are step, three losses, two F1 scores."""
    table = np.array(history, float).reshape(-1, 6)
    with styled():
        figure = start_figure(8, 3.2)
        left, right = figure.subplots(1, 2)
        for column, label, colour in ((1, "regions", RED), (2, "neurons", TRUTH), (3, "size and place", QUIET)):
            left.plot(table[:, 0], table[:, column], color=colour, label=label)
        left.set(title="loss", xlabel="step", yscale="log")
        for column, label, colour in ((4, "regions", RED), (5, "neurons", TRUTH)):
            right.plot(table[:, 0], 100 * table[:, column], color=colour, label=label, marker="o", markersize=3)
        if len(table):
            best = table[(table[:, 4] + table[:, 5]).argmax()]
            right.axvline(best[0], color=ACCENT, linewidth=0.8)
            right.annotate(
                "kept", (best[0], 100 * table[:, 4:].min()), color=ACCENT, xytext=(4, 0), textcoords="offset points"
            )
        right.set(title="F1 on held-out heads, %", xlabel="step")
        for axes in (left, right):
            axes.legend()
        save_figure(figure, path)
