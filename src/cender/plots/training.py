"""How a training went."""

from collections.abc import Sequence
from itertools import groupby
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


def draw_recognizer_training(history: Sequence[tuple[str, float]], path: Path) -> None:
    """Loss over the steps, one colour per stage, as PNG; rows are the stage's name and the loss of a step."""
    with styled():
        figure = start_figure(6, 3)
        axes = figure.subplots()
        first = 0
        colours = (RED, TRUTH, ACCENT, QUIET)
        for number, (stage, rows) in enumerate(groupby(history, key=lambda row: row[0])):
            losses = np.array([loss for _, loss in rows])
            steps = first + np.arange(len(losses))
            colour = colours[number % len(colours)]
            axes.plot(steps, losses, color=colour, alpha=0.3, linewidth=0.7)
            axes.plot(steps, _smooth(losses), color=colour, label=stage)
            first += len(losses)
        axes.set(title="loss", xlabel="step", yscale="log")
        if history:
            axes.legend()
        save_figure(figure, path)


def _smooth(values: np.ndarray, memory: float = 0.95) -> np.ndarray:
    """Running mean that forgets."""
    found = np.array(values, float)
    for row in range(1, len(found)):
        found[row] = memory * found[row - 1] + (1 - memory) * found[row]
    return found
