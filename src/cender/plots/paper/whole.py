"""The whole way from images to identities and activity: the paper's Figs 1, 7 and S3."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cender.plots.detection import choose_colours, choose_frames, cut
from cender.plots.paper.panels import (
    add_axes_of_worm,
    add_boxes,
    hide_axes,
    name_panel,
    show_crop,
    show_frame,
    split_sideways,
)
from cender.plots.paper.stages import plot_stack
from cender.plots.style import (
    GREEN_MAP,
    HEAT_MAP,
    QUIET,
    RED_MAP,
    TEXT,
    TRUTH,
    add_scale_bar,
    show_image,
    split_figure,
    start_figure,
    styled,
)
from cender.types import Head, Neurons

# Frames that are drawn with all their boxes.
BOXED_FRAMES = 3


@dataclass(frozen=True, slots=True)
class Whole:
    """One volume with all that was found in it; identity -1 where there is none."""

    red: Real[np.ndarray, "z y x"]
    head: Head
    neurons: Neurons
    identity: Int[np.ndarray, " m"]
    pixel_um: float

    @property
    def colours(self) -> Float[np.ndarray, "m 4"]:
        """The colour of every neuron's identity; grey where it has none."""
        table = choose_colours(int(self.identity.max(initial=0)) + 1)
        return np.where((self.identity >= 0)[:, None], table[self.identity], (0.55, 0.58, 0.62, 1.0))


def draw_pipeline(seen: Whole) -> Figure:
    """The four stages on one volume (paper, Fig 1)."""
    crop = seen.head.crop
    z = int(np.bincount(seen.neurons.regions.z).argmax())
    with styled():
        figure = start_figure(10.4, 5.6)
        above, below = split_figure(figure, (1.25, 1.0))
        a, b, d = above.subplots(1, 3, width_ratios=(1, 1, 1.3))
        c, e = below.subplots(1, 2)
        name_panel(plot_stack(seen.red, crop, a), "A", f"{len(seen.red)} frames of a volume")
        show_frame(seen.red.max(0), b)
        add_boxes(b, np.array([[*crop]], float), type(crop)(0, 0, 0, 0), TRUTH, 1.2)
        length = 0.5 * max(crop.w, crop.h)
        add_axes_of_worm(b, seen.head.origin_yx, seen.head.anterior_yx, seen.head.ventral_yx, length)
        name_panel(b, "B", "head and axes")
        show_crop(seen.red[z], crop, c)
        mine = seen.neurons.regions.z == z
        add_boxes(c, seen.neurons.regions.box_px[mine], crop, "#ff6b5e", 0.9)
        name_panel(c, "C", f"{int(mine.sum())} regions of frame {z}")
        _plot_side(seen, d)
        name_panel(d, "D", f"{len(seen.neurons)} neurons along z")
        plot_identities(seen, e)
        name_panel(e, "E", f"{int((seen.identity >= 0).sum())} identities")
    return figure


def _plot_side(seen: Whole, ax: Axes) -> None:
    """Every box from the side: frame against x, in the colour of its neuron."""
    regions = seen.neurons.regions
    colours = choose_colours(len(seen.neurons))[regions.neuron]
    x, _, w, _ = regions.box_px.T
    ax.hlines(regions.z, x - seen.head.crop.x, x + w - seen.head.crop.x, colors=colours, lw=1.6)
    ax.invert_yaxis()
    ax.set(xticks=[], ylabel="frame")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))


def plot_identities(seen: Whole, ax: Axes) -> Axes:
    """The projected head with its neurons in the colours of their identities."""
    crop = seen.head.crop
    show_crop(seen.red.max(0), crop, ax)
    y, x = seen.neurons.centre_px[:, 1] - crop.y, seen.neurons.centre_px[:, 2] - crop.x
    ax.scatter(x, y, s=16, c=seen.colours, linewidths=0)
    return ax


def draw_boxes_with_identities(seen: Whole) -> Figure:
    """Frames of the cropped head with all boxes and the numbers of their neurons (paper, Fig S3)."""
    crop, regions = seen.head.crop, seen.neurons.regions
    with styled():
        figure = start_figure(11, BOXED_FRAMES * (11 * crop.h / crop.w + 0.25))
        grid = figure.subplots(BOXED_FRAMES, 1, squeeze=False).ravel()
        hide_axes(grid)
        for ax, z in zip(grid, choose_frames(regions, BOXED_FRAMES + 2)[1:-1], strict=False):
            # Dim enough that boxes and numbers stand out.
            part = cut(seen.red[z], crop).astype(np.float32)
            low, high = np.percentile(part, (50, 99.95))
            show_image(part, ax, (float(low), float(1.6 * high - 0.6 * low)))
            mine = np.flatnonzero(regions.z == z)
            add_boxes(ax, regions.box_px[mine], crop, "#ff5fa8", 1.0)
            for row in mine:
                number = seen.identity[regions.neuron[row]]
                if number >= 0:
                    x, y, w, _ = regions.box_px[row]
                    place = x + w / 2 - crop.x, y - crop.y - 1
                    ax.text(*place, str(number), color=TRUTH, fontsize=6.5, ha="center", va="bottom")
            ax.set_title(f"frame {z}, {len(mine)} regions", color=QUIET, fontsize=8)
    return figure


@dataclass(frozen=True, slots=True)
class System:
    """What Fig 7 shows beside a volume: its green image, where its neurons lie there, and ratios over time.

    ``ratio`` has one row per identity, NaN where a neuron was not measured.
    """

    green: Real[np.ndarray, "y x"]
    green_yx: Float[np.ndarray, "m 2"]
    ratio: Float[np.ndarray, "n t"]
    time_s: Float[np.ndarray, " t"]


def draw_system(seen: Whole, system: System) -> Figure:
    """Red image, what is found in it, the same places in green, and the ratio of all neurons (paper, Fig 7)."""
    crop = seen.head.crop
    with styled():
        figure = start_figure(10.4, 5.0)
        left, right = split_sideways(figure, (1, 1.25))
        (a, b, c), d = left.subplots(3, 1), right.subplots()
        image = seen.red.max(0)[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w].astype(np.float32)
        show_image(image, a, _find_limits(image), RED_MAP)
        add_scale_bar(a, seen.pixel_um)
        name_panel(a, "A", "red")
        name_panel(plot_identities(seen, b), "B", f"{len(seen.neurons)} neurons")
        show_image(system.green.astype(np.float32), c, _find_limits(system.green), GREEN_MAP)
        c.scatter(system.green_yx[:, 1], system.green_yx[:, 0], s=12, facecolors="none", edgecolors=TEXT, lw=0.4)
        name_panel(c, "C", "the same places in green")
        start = np.nanmedian(system.ratio, axis=1, keepdims=True)
        change = system.ratio / start - 1
        # Most neurons are quiet: the colours are for those that are not.
        most = max(0.1, float(np.nanpercentile(np.abs(change), 98)))
        span = system.time_s[0], system.time_s[-1], len(change) - 0.5, -0.5
        drawn = d.imshow(change, aspect="auto", cmap=HEAT_MAP, vmin=-most, vmax=most, extent=span, interpolation="none")
        bar = right.colorbar(drawn, ax=d, shrink=0.9)
        bar.set_label("R / median − 1", color=QUIET)
        d.set(xlabel="time, s", ylabel="identity")
        name_panel(d, "D", f"R = green / red of {len(change)} neurons")
    return figure


def _find_limits(image: Real[np.ndarray, "y x"]) -> tuple[float, float]:
    low, high = np.percentile(image, (60, 99.8))
    return float(low), float(high)
