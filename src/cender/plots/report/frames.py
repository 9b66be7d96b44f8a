"""A volume of the report: the head from above and single frames, with boxes, in colours that follow identities."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cender.plots.report.labels import MARGIN_IN, OUTLINE, plot_labels
from cender.plots.report.style import INK, WIDE_IN, Hover, lighten, start_light_figure
from cender.types import Crop, Regions
from cender.types.words import say_count

INK_MAP, RED_MAP, GREEN_MAP = (
    LinearSegmentedColormap.from_list(f"cender-{name}", ["#05070a", middle, end])
    for name, middle, end in (
        ("ink", "#5f6b76", "#ffffff"),
        ("red", "#8c3a34", "#ffe3df"),
        ("green", "#2c7a4b", "#e2ffe9"),
    )
)
_UNKNOWN = "#c3ccd4"
SCALE_UM = 10.0
"""Length of the scale bar."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One volume to show: what was found in it, and its channels where the recording can be read.

    ``green`` is brought to where red has it. ``probability`` is that of the identity, NaN where it is not known.
    """

    title: str
    crop: Crop
    centre_px: Float[np.ndarray, "m 3"]
    identity: Int[np.ndarray, " m"]
    regions: Regions
    probability: Float[np.ndarray, " m"]
    red: Shaped[np.ndarray, "z y x"] | None = None
    green: Shaped[np.ndarray, "z y x"] | None = None
    pixel_um: float | None = None
    volume: int = 0


def draw_sample(sample: Sample, frames: list[int], name: Callable[[int], str]) -> tuple[Figure, list[Hover]]:
    """The whole head in red and in green, then single frames with boxes and identities; and what to say of each neuron.

    Identities stand beside the frame, with a line to their box, so that none covers another.
    """
    crop = sample.crop
    panels = 1 + (sample.green is not None) + len(frames)
    columns = panels if stands(crop) else min(panels, 2)
    rows = -(-panels // columns)
    panel_in = WIDE_IN / columns - 0.15
    per_inch = crop.w / (panel_in - 2 * MARGIN_IN)
    tall = min(max(crop.h / (panel_in * per_inch), 0.25), 2.0)
    hovers: list[Hover] = []
    with lighten():
        figure = start_light_figure(WIDE_IN, rows * (panel_in * tall + 0.32) + 0.35)
        figure.suptitle(sample.title, x=0.005, ha="left", fontsize=10.5)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes[panels:]:
            ax.set_axis_off()
        left = list(axes)
        hovers += plot_neurons(sample, name, left.pop(0))
        if sample.green is not None:
            plot_green(sample, left.pop(0))
        for ax, z in zip(left, frames, strict=False):
            hovers += plot_frame(sample, z, name, per_inch, ax)
        for ax in axes[:panels]:
            ax.set_xlim(crop.x - 0.5 - MARGIN_IN * per_inch, crop.x + crop.w - 0.5 + MARGIN_IN * per_inch)
            plot_scale_bar(sample, ax)
    return figure, hovers


def stands(crop: Crop) -> bool:
    """Whether a head is higher than wide, so that all of its pictures fit side by side."""
    return crop.h > 0.75 * crop.w


def plot_neurons(sample: Sample, name: Callable[[int], str], ax: Axes) -> list[Hover]:
    """All neurons from above, one dot per neuron in the colour of its identity, on the brightest value over z."""
    _show(None if sample.red is None else sample.red.max(axis=0), sample.crop, RED_MAP, ax)
    colours = colour_identities(sample.identity)
    known = sample.identity >= 0
    y, x = sample.centre_px[:, 1], sample.centre_px[:, 2]
    ax.scatter(x[known], y[known], s=16, c=colours[known], edgecolors="#05070a", linewidths=0.5)
    ax.scatter(x[~known], y[~known], s=14, facecolors="none", edgecolors=_UNKNOWN, linewidths=0.9)
    ax.set_title(f"red: {int(known.sum())} of {len(known)} with identity", fontsize=9.5)
    size = max(sample.crop.w / 60, 3.0)
    return [
        Hover(ax, (at_x - size, at_y - size, at_x + size, at_y + size), _describe(sample, row, name))
        for row, (at_y, at_x) in enumerate(zip(y.tolist(), x.tolist(), strict=True))
    ]


def plot_green(sample: Sample, ax: Axes) -> Axes:
    """The brightest value of green over z, where red has it."""
    _show(None if sample.green is None else sample.green.max(axis=0), sample.crop, GREEN_MAP, ax)
    ax.set_title("green", fontsize=9.5)
    return ax


def plot_frame(sample: Sample, z: int, name: Callable[[int], str], per_inch: float, ax: Axes) -> list[Hover]:
    """One frame with its boxes; identities stand beside it, neurons without one have a thin grey box."""
    _show(None if sample.red is None else sample.red[z], sample.crop, INK_MAP, ax)
    regions = sample.regions
    rows = np.flatnonzero((regions.z == z) & (regions.neuron >= 0))
    neuron = regions.neuron[rows]
    identity = sample.identity[neuron]
    colours = colour_identities(identity)
    boxes = [Rectangle((x - 0.5, y - 0.5), w, h) for x, y, w, h in regions.box_px[rows]]
    widths = np.where(identity >= 0, 1.3, 0.8)
    if boxes:
        ax.add_collection(PatchCollection(boxes, facecolor="none", edgecolor=colours, linewidth=widths))
    named = identity >= 0
    centre_xy = regions.centre_px[rows][:, :0:-1]
    words = [name(one) for one in identity[named].tolist()]
    plot_labels(centre_xy[named], words, colours[named], sample.crop, per_inch, ax)
    ax.set_title(f"frame {z}: {say_count(len(rows), 'box')}", fontsize=9.5)
    return [
        Hover(ax, (x - 0.5, y - 0.5, x + w - 0.5, y + h - 0.5), _describe(sample, int(one), name))
        for one, (x, y, w, h) in zip(neuron, regions.box_px[rows].tolist(), strict=True)
    ]


def _describe(sample: Sample, row: int, name: Callable[[int], str]) -> str:
    identity, probability = int(sample.identity[row]), float(sample.probability[row])
    if identity < 0:
        return "no identity"
    named = name(identity)
    words = f"identity {identity}" if named == str(identity) else f"{named} (identity {identity})"
    return words if np.isnan(probability) else f"{words}, probability {probability:.2f}"


def plot_scale_bar(sample: Sample, ax: Axes) -> Axes:
    """A bar of 10 µm in the lower left corner, where the size of a pixel is known."""
    if sample.pixel_um is None:
        return ax
    crop, length = sample.crop, SCALE_UM / sample.pixel_um
    x, y = crop.x + 0.04 * crop.w, crop.y + 0.95 * crop.h
    ax.plot([x, x + length], [y, y], color="#ffffff", lw=2.2, solid_capstyle="butt")
    label = ax.text(x + length / 2, y - 0.015 * crop.h, f"{SCALE_UM:g} µm", color="#ffffff", fontsize=7, ha="center")
    label.set(path_effects=OUTLINE, va="bottom")
    return ax


def colour_identities(identity: Int[np.ndarray, " m"]) -> Float[np.ndarray, "m 4"]:
    """A colour for each identity, the same in every volume; grey where there is none."""
    colours = np.asarray(colormaps["hsv"]((identity * 0.61803) % 1)).reshape(-1, 4)
    # Pure hues are too dark on black where they are blue; a little white evens them out.
    colours[:, :3] = 0.72 * colours[:, :3] + 0.28
    colours[identity < 0] = (*(int(_UNKNOWN[i : i + 2], 16) / 255 for i in (1, 3, 5)), 1.0)
    return colours


def choose_frames(regions: Regions, count: int) -> list[int]:
    """Frames with many boxes, at least three apart where that is possible, in order."""
    present, boxes = np.unique(regions.z, return_counts=True)
    for gap in (3, 2, 1):
        chosen: list[int] = []
        for z in present[np.argsort(-boxes, kind="stable")].tolist():
            if all(abs(z - other) >= gap for other in chosen):
                chosen.append(z)
        if len(chosen) >= count:
            break
    return sorted(chosen[:count]) if len(present) else []


def _show(image: Shaped[np.ndarray, "y x"] | None, crop: Crop, colours: Colormap, ax: Axes) -> None:
    extent = (crop.x - 0.5, crop.x + crop.w - 0.5, crop.y + crop.h - 0.5, crop.y - 0.5)
    ax.set_facecolor("#05070a")
    if image is not None:
        part = image[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w].astype(float)
        low, high = np.percentile(part, (60, 99.9))
        # Dim neurons are shown beside bright ones.
        scale = PowerNorm(0.6, vmin=low, vmax=max(high, low + 1), clip=True)
        ax.imshow(part, cmap=colours, interpolation="nearest", extent=extent, norm=scale)
    ax.set(xlim=extent[:2], ylim=extent[2:], xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(INK)
