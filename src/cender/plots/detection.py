"""What was found in a volume: the head with its axes, and boxes over frames (paper, Fig. S3)."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Shaped
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cender.plots.head import plot_head
from cender.plots.style import ACCENT, GREY_MAP, QUIET, show_image, split_figure, start_figure, styled
from cender.types import Crop, Outcome, Regions

COLUMNS = 4
WIDTH_IN = 11.0


def draw_detection(red: Shaped[np.ndarray, "z y x"], outcome: Outcome, frames: int = 8) -> Figure:
    """The head of one volume above, frames of it with their boxes below."""
    rows = -(-frames // COLUMNS)
    shape = 1.0 if outcome.head is None else outcome.head.crop.h / outcome.head.crop.w
    heights = 5.0, rows * (WIDTH_IN / COLUMNS * shape + 0.3)
    with styled():
        figure = start_figure(WIDTH_IN, sum(heights))
        above, below = split_figure(figure, heights)
        left, right = above.subplots(1, 2)
        plot_head(red, outcome.head, left)
        neurons = outcome.neurons
        if outcome.head is None or neurons is None:
            right.set_axis_off()
            return figure
        crop = outcome.head.crop
        show_image(cut(red.max(0), crop), right)
        y, x = neurons.centre_px[:, 1] - crop.y, neurons.centre_px[:, 2] - crop.x
        right.scatter(x, y, s=7, color=ACCENT, linewidths=0)
        right.set_title(f"{len(neurons)} neurons, {len(neurons.regions)} regions")
        colours = choose_colours(len(neurons))
        grid = below.subplots(rows, COLUMNS, squeeze=False).ravel()
        for ax in grid:
            ax.set_axis_off()
        for ax, z in zip(grid, choose_frames(neurons.regions, frames), strict=False):
            plot_regions(red[z], neurons.regions, z, crop, ax, colours)
    return figure


def plot_regions(
    frame: Shaped[np.ndarray, "y x"],
    regions: Regions,
    z: int,
    crop: Crop,
    ax: Axes,
    colours: Float[np.ndarray, "m 4"],
) -> Axes:
    """One frame of the head with its boxes in the colours of their neurons."""
    show_image(cut(frame, crop), ax, colours=GREY_MAP)
    rows = np.flatnonzero(regions.z == z)
    boxes = [Rectangle((x - crop.x - 0.5, y - crop.y - 0.5), w, h) for x, y, w, h in regions.box_px[rows]]
    edge = colours[regions.neuron[rows]] if len(rows) else "none"
    ax.add_collection(PatchCollection(boxes, facecolor="none", edgecolor=edge, linewidth=0.9))
    ax.set_title(f"frame {z}", color=QUIET, fontsize=8.5)
    return ax


def draw_timings(milliseconds: Mapping[str, Sequence[float]]) -> Figure:
    """Time of every stage, a box over the volumes."""
    with styled():
        figure = start_figure(6, 0.6 * len(milliseconds) + 1.2)
        ax = figure.subplots()
        names = list(milliseconds)
        ax.boxplot(
            [list(milliseconds[name]) for name in names],
            orientation="horizontal",
            tick_labels=names,
            showfliers=False,
            boxprops={"color": ACCENT},
            medianprops={"color": ACCENT},
            whiskerprops={"color": QUIET},
            capprops={"color": QUIET},
        )
        ax.invert_yaxis()
        ax.set_xlim(left=0)
        ax.set(title="time for a volume, by stage", xlabel="ms")
    return figure


def cut(image: Shaped[np.ndarray, "y x"], crop: Crop) -> Shaped[np.ndarray, "h w"]:
    """The part of an image inside a rectangle."""
    return image[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w]


def choose_colours(count: int) -> Float[np.ndarray, "m 4"]:
    """A colour for each neuron; numbers that follow each other are far apart in hue."""
    return np.asarray(colormaps["hsv"]((np.arange(count) * 0.61803) % 1)).reshape(-1, 4)


def choose_frames(regions: Regions, count: int) -> list[int]:
    """Frames with boxes, spread evenly."""
    present = np.unique(regions.z)
    if not len(present):
        return []
    return [int(z) for z in present[np.unique(np.linspace(0, len(present) - 1, count).round().astype(int))]]
