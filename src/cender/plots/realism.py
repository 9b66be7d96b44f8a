"""Real and simulated camera frames side by side, with the histograms of their pixels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Real, UInt16
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cender.plots.style import (
    ACCENT,
    GREY_MAP,
    QUIET,
    TEXT,
    TRUTH,
    show_image,
    split_figure,
    start_figure,
    styled,
)

WINDOW_PX = 320
"""Side of the part of a frame that is shown."""
# Simulated recordings beside the real one.
SHOWN = 2
Frames = UInt16[np.ndarray, "k y x"]


def draw_realism(real: Frames, simulated: Sequence[Frames]) -> Figure:
    """Whole frames and windows around the head, real and simulated, pixel by pixel and at the same brightness."""
    sides = [("real", real), *((f"simulated {n + 1}", one) for n, one in enumerate(simulated[:SHOWN]))]
    dark = float(np.median(real))
    limits = dark, float(np.percentile(real, 99.97))
    with styled():
        figure = start_figure(11.0, 10.2)
        pictures, charts = split_figure(figure, (2.6, 1))
        grid = pictures.subplots(len(sides), 4, squeeze=False)
        for row, (name, frames) in zip(grid, sides, strict=True):
            _draw_side(row, name, frames, limits)
        counts, noise, columns = charts.subplots(1, 3)
        plot_histograms([real, *simulated], counts)
        plot_dark(real, simulated, noise)
        plot_columns(real, simulated, columns)
    return figure


def _draw_side(row: Sequence[Axes], name: str, frames: Frames, limits: tuple[float, float]) -> None:
    projection = frames.max(0)
    top, left = find_window(projection, WINDOW_PX)
    show_image(projection, row[0], limits, GREY_MAP).set_title(f"{name}: {len(frames)} frames, projected")
    for ax, frame in zip(row[1:], np.linspace(0, len(frames) - 1, 3).round().astype(int), strict=True):
        window = frames[frame, top : top + WINDOW_PX, left : left + WINDOW_PX]
        show_image(window, ax, limits, GREY_MAP)
        ax.set_title(f"frame {frame}, {WINDOW_PX} × {WINDOW_PX} px", color=QUIET)


def find_window(projection: Real[np.ndarray, "y x"], size: int) -> tuple[int, int]:
    """Upper left corner of the square that holds the most bright pixels."""
    bright = projection > np.percentile(projection, 99.3)
    sums = np.pad(bright.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    rows, columns = (min(size, side) for side in projection.shape)
    inside = sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns]
    top, left = np.unravel_index(int(np.argmax(inside)), inside.shape)
    return int(top), int(left)


def plot_histograms(sides: Sequence[Frames], ax: Axes) -> Axes:
    """Share of pixels by count, logarithmic: the real recording over the simulated ones."""
    edges = np.arange(60, 460, 4)
    for index, frames in reversed(list(enumerate(sides))):
        share = np.histogram(frames, edges)[0] / frames.size
        ax.stairs(np.maximum(share, 1e-9), edges, label=("real", "simulated", None)[min(index, 2)], **_line(index))
    ax.set_yscale("log")
    ax.set_ylim(2e-7, 0.3)
    ax.set_title("all pixels")
    ax.set_xlabel("camera counts")
    ax.set_ylabel("share of pixels")
    ax.legend(labelcolor=TEXT)
    return ax


def plot_dark(real: Frames, simulated: Sequence[Frames], ax: Axes) -> Axes:
    """Differences between successive frames where there is no light: the noise."""
    edges = np.arange(-60, 61, 2)
    for index, frames in reversed(list(enumerate([real, *simulated]))):
        values = np.diff(frames[:, _dark_rows(frames)].astype(float), axis=0) / np.sqrt(2)
        share = np.histogram(values, edges)[0] / values.size
        ax.stairs(
            np.maximum(share, 1e-9),
            edges,
            color=ACCENT if index == 0 else TRUTH,
            lw=1.6 if index == 0 else 0.9,
        )
    ax.set_yscale("log")
    ax.set_ylim(2e-6, 0.2)
    ax.set_title("noise of dark pixels")
    ax.set_xlabel("counts")
    return ax


def plot_columns(real: Frames, simulated: Sequence[Frames], ax: Axes) -> Axes:
    """Means of columns over dark rows: the pattern that a camera always has."""
    for frames, colour, lift in ((simulated[0], TRUTH, -7.0), (real, ACCENT, 0.0)):
        ax.plot(_column_means(frames) + lift, color=colour, lw=0.6)
    ax.set_title("dark columns (simulated 7 lower)")
    ax.set_xlabel("column")
    ax.set_ylabel("camera counts")
    return ax


def _line(index: int) -> dict[str, Any]:
    """The real recording comes first and stands out."""
    return {"color": ACCENT, "lw": 1.6} if index == 0 else {"color": TRUTH, "lw": 0.9}


def _column_means(frames: Frames) -> Float[np.ndarray, " x"]:
    return np.asarray(frames[:, _dark_rows(frames)].mean((0, 1)))


def _dark_rows(frames: Frames) -> slice:
    """The eighth of the rows, at one end of the upper or lower half, with the least light."""
    height = frames.shape[1] // 8
    starts = range(0, frames.shape[1] - height + 1, height)
    first = min(starts, key=lambda start: float(np.percentile(frames[:, start : start + height], 99.9)))
    return slice(first, first + height)
