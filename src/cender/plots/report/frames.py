"""A volume of the report: the head from above and single frames, with boxes, in colours that follow identities."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from cender.plots.report.style import INK, WIDE_IN, lighten, start_light_figure
from cender.types import Crop, Regions

_INK_MAP = LinearSegmentedColormap.from_list("cender-ink", ["#05070a", "#5f6b76", "#ffffff"])
_UNKNOWN = "#c3ccd4"
SCALE_UM = 10.0
_OUTLINE = [withStroke(linewidth=1.6, foreground="#05070a")]


@dataclass(frozen=True, slots=True)
class Sample:
    """One volume to show: what was found in it, and its red channel where the recording can be read."""

    title: str
    crop: Crop
    centre_px: Float[np.ndarray, "m 3"]
    identity: Int[np.ndarray, " m"]
    regions: Regions
    red: Shaped[np.ndarray, "z y x"] | None = None
    pixel_um: float | None = None
    volume: int = 0


def draw_sample(sample: Sample, frames: list[int], name: Callable[[int], str]) -> Figure:
    """The whole head with a dot a neuron, then single frames with their boxes and the names of the identities."""
    panels = 1 + len(frames)
    crop = sample.crop
    columns = min(panels, count_columns(crop))
    rows = -(-panels // columns)
    height = rows * (WIDE_IN / columns * min(max(crop.h / max(crop.w, 1), 0.3), 2.0) + 0.3) + 0.35
    with lighten():
        figure = start_light_figure(WIDE_IN, height)
        figure.suptitle(sample.title, x=0.005, ha="left", fontsize=10.5)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes[panels:]:
            ax.set_axis_off()
        plot_neurons(sample, axes[0])
        for ax, z in zip(axes[1:], frames, strict=False):
            plot_frame(sample, z, name, ax)
        for ax in axes[:panels]:
            plot_scale_bar(sample, ax)
    return figure


def count_columns(crop: Crop) -> int:
    """Pictures side by side: two of a head that lies, three of one that stands."""
    return 3 if crop.h > 0.75 * crop.w else 2


def plot_neurons(sample: Sample, ax: Axes) -> Axes:
    """All neurons from above, a dot each in the colour of its identity, on the brightest value over z."""
    _show(None if sample.red is None else sample.red.max(axis=0), sample.crop, ax)
    colours = colour_identities(sample.identity)
    known = sample.identity >= 0
    y, x = sample.centre_px[:, 1], sample.centre_px[:, 2]
    ax.scatter(x[known], y[known], s=16, c=colours[known], edgecolors="#05070a", linewidths=0.5)
    ax.scatter(x[~known], y[~known], s=14, facecolors="none", edgecolors=_UNKNOWN, linewidths=0.9)
    ax.set_title(f"from above: {int(known.sum())} of {len(known)} with identity", fontsize=9.5)
    return ax


def plot_frame(sample: Sample, z: int, name: Callable[[int], str], ax: Axes) -> Axes:
    """One frame with its boxes and the name of each identity; neurons without one have a thin grey box."""
    _show(None if sample.red is None else sample.red[z], sample.crop, ax)
    rows = np.flatnonzero((sample.regions.z == z) & (sample.regions.neuron >= 0))
    identity = sample.identity[sample.regions.neuron[rows]]
    colours = colour_identities(identity)
    boxes = [Rectangle((x - 0.5, y - 0.5), w, h) for x, y, w, h in sample.regions.box_px[rows]]
    widths = np.where(identity >= 0, 1.3, 0.8)
    if boxes:
        ax.add_collection(PatchCollection(boxes, facecolor="none", edgecolor=colours, linewidth=widths))
    for (x, y, w, _), one, colour in zip(sample.regions.box_px[rows], identity.tolist(), colours, strict=True):
        if one >= 0:
            label = ax.text(
                x + w / 2, y - 1.5, name(one), color=colour, fontsize=7, ha="center", va="bottom", parse_math=False
            )
            label.set(path_effects=_OUTLINE, clip_on=True)
    ax.set_title(f"frame {z}: {len(rows)} boxes", fontsize=9.5)
    return ax


def plot_scale_bar(sample: Sample, ax: Axes) -> Axes:
    """A bar of 10 µm in the lower left corner, where the size of a pixel is known."""
    if sample.pixel_um is None:
        return ax
    crop, length = sample.crop, SCALE_UM / sample.pixel_um
    x, y = crop.x + 0.04 * crop.w, crop.y + 0.95 * crop.h
    ax.plot([x, x + length], [y, y], color="#ffffff", lw=2.2, solid_capstyle="butt")
    label = ax.text(x + length / 2, y - 0.015 * crop.h, f"{SCALE_UM:g} µm", color="#ffffff", fontsize=7, ha="center")
    label.set(path_effects=_OUTLINE, va="bottom")
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


def _show(image: Shaped[np.ndarray, "y x"] | None, crop: Crop, ax: Axes) -> None:
    extent = (crop.x - 0.5, crop.x + crop.w - 0.5, crop.y + crop.h - 0.5, crop.y - 0.5)
    ax.set_facecolor("#05070a")
    if image is not None:
        part = image[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w].astype(float)
        low, high = np.percentile(part, (60, 99.9))
        # Dim neurons are shown beside bright ones.
        scale = PowerNorm(0.6, vmin=low, vmax=max(high, low + 1), clip=True)
        ax.imshow(part, cmap=_INK_MAP, interpolation="nearest", extent=extent, norm=scale)
    ax.set(xlim=extent[:2], ylim=extent[2:], xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(INK)
