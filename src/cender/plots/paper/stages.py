"""Stages 1 to 3 of the paper on one volume: its Figs 2, 3 and 4."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cender.plots.detection import choose_colours
from cender.plots.paper.panels import (
    add_axes_of_worm,
    add_boxes,
    hide_axes,
    name_panel,
    show_crop,
    show_frame,
    split_sideways,
)
from cender.plots.style import (
    ACCENT,
    GREEN,
    HEAT_MAP,
    QUIET,
    RED,
    TRUTH,
    add_scale_bar,
    show_image,
    split_figure,
    start_figure,
    styled,
)
from cender.types import Crop, Head, Regions

ANCHOR_COLOURS = {7: GREEN, 9: "#c08552", 11: ACCENT}
BODY = "#ff9ecb"
# Cards of a stack that are drawn.
SHOWN_FRAMES = 4


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """What Fig 2 shows: images on the way, contours (``y x``, the head's first), points of interest and the head."""

    frames: Real[np.ndarray, "z y x"]
    projection: Real[np.ndarray, "y x"]
    closed: Real[np.ndarray, "y x"]
    bright: Bool[np.ndarray, "y x"]
    contours: Sequence[Float[np.ndarray, "_ 2"]]
    points: Float[np.ndarray, "k 2"]
    head: Head
    pixel_um: float


def draw_preprocessing(seen: Preprocessing) -> Figure:
    """How a head and its axes are found in a volume (paper, Fig 2)."""
    with styled():
        figure = start_figure(9.6, 6.6)
        (a, b, c), (d, e, f) = figure.subplots(2, 3)
        plot_stack(seen.frames, seen.head.crop, a)
        name_panel(a, "A", "frames of one volume")
        show_frame(seen.projection, b)
        add_scale_bar(b, seen.pixel_um, 50.0)
        name_panel(b, "B", "maximum over z")
        show_image(seen.closed.astype(np.float32), c)
        name_panel(c, "C", "median filter and closing")
        show_image(seen.bright.astype(np.float32), d, (0.0, 1.0))
        name_panel(d, "D", "above mean + standard deviation")
        show_frame(seen.projection, e)
        for row, contour in enumerate(seen.contours):
            e.plot(contour[:, 1], contour[:, 0], color=ACCENT if row == 0 else BODY, lw=1.1)
        name_panel(e, "E", f"contours: head, {len(seen.contours) - 1} other")
        crop = seen.head.crop
        show_crop(seen.projection, crop, f)
        offset = np.array([crop.y, crop.x])
        f.scatter(*(seen.points - offset).T[::-1], s=1.5, color=RED, linewidths=0, alpha=0.5)
        half = 0.4 * max(crop.w, crop.h)
        add_axes_of_worm(f, seen.head.origin_yx - offset, seen.head.anterior_yx, seen.head.ventral_yx, half)
        name_panel(f, "F", f"{len(seen.points)} points of interest, axes")
    return figure


def plot_stack(frames: Real[np.ndarray, "z y x"], crop: Crop, ax: Axes) -> Axes:
    """Some frames of a volume around its head, as cards of which each hides little of the one behind it."""
    edge = max(crop.h // 4, 1)
    top, left = max(crop.y - edge, 0), max(crop.x - edge, 0)
    part = frames[:, top : crop.y + crop.h + edge, left : crop.x + crop.w + edge]
    chosen = np.linspace(0.2 * len(part), 0.8 * len(part), SHOWN_FRAMES).round().astype(int)
    low, high = np.percentile(part[chosen], (80, 99.8))
    height, width = part.shape[1:]
    for place, z in enumerate(chosen):
        x, y = 0.07 * width * place, 0.72 * height * place
        extent = (x, x + width, y + height, y)
        ax.imshow(part[z], cmap="gray", vmin=low, vmax=max(high, low + 1), extent=extent, interpolation="nearest")
        ax.add_patch(Rectangle((x, y), width, height, fill=False, ec=QUIET, lw=0.7))
        ax.text(x + 0.02 * width, y + 0.05 * height, f"z = {z}", color=QUIET, fontsize=6.5, va="top")
    ax.set(
        xlim=(-2, width * (1 + 0.07 * (SHOWN_FRAMES - 1)) + 2), ylim=(height * (1 + 0.72 * (SHOWN_FRAMES - 1)) + 2, -2)
    )
    ax.set_aspect("equal")
    hide_axes([ax])
    return ax


@dataclass(frozen=True, slots=True)
class Detecting:
    """What Fig 3 shows: a frame, its peaks (``y x``), the fields of one anchor, its candidates and the regions."""

    frame: Real[np.ndarray, "y x"]
    crop: Crop
    peaks_yx: Float[np.ndarray, "n 2"]
    fields: Float[np.ndarray, "5 s s"]
    field_px: Sequence[int]
    candidates: Float[np.ndarray, "c 4"]
    scores: Float[np.ndarray, " c"]
    regions_px: Float[np.ndarray, "r 4"]


def draw_detecting(seen: Detecting, middle: int) -> Figure:
    """Peaks, anchors, five fields, candidates and regions of one frame (paper, Fig 3).

    Parameters
    ----------
    middle
        Row of the peak that is looked at more closely.
    """
    crop = seen.crop
    with styled():
        figure = start_figure(10.2, 6.6)
        above, below = split_figure(figure, (1.7, 1.0))
        left, right = split_sideways(above, (1, 1))
        a, b, e = left.subplots(3, 1)
        c = right.subplots()
        show_crop(seen.frame, crop, a)
        name_panel(a, "A", "a frame of the head")
        show_crop(seen.frame, crop, b)
        local = seen.peaks_yx - np.array([crop.y, crop.x])
        b.plot(local[:, 1], local[:, 0], ".", color=TRUTH, markersize=1)
        name_panel(b, "B", f"{len(local)} local maxima")
        _plot_anchors(seen, local, middle, c)
        show_crop(seen.frame, crop, e)
        add_boxes(e, seen.regions_px, crop, TRUTH, 1.0)
        name_panel(e, "E", f"{len(seen.regions_px)} regions kept")
        panels = below.subplots(1, len(seen.fields) + 1)
        for ax, field, side in zip(panels, seen.fields, seen.field_px, strict=False):
            show_image(field, ax, (-0.5, 6.0))
            ax.set_title(f"{side} px", color=QUIET, fontsize=8.5)
        name_panel(panels[0], "D", f"fields: {seen.field_px[0]} px")
        _plot_candidates(seen, local[middle], panels[-1])
    return figure


def _plot_anchors(seen: Detecting, local: Float[np.ndarray, "n 2"], middle: int, ax: Axes) -> None:
    """Anchor boxes of three sizes around the three peaks that lie closest to the middle one."""
    show_crop(seen.frame, seen.crop, ax)
    near = np.argsort(np.linalg.norm(local - local[middle], axis=1))[:3]
    for y, x in local[near]:
        for size, colour in ANCHOR_COLOURS.items():
            corner = x - size // 2 - 0.5, y - size // 2 - 0.5
            ax.add_patch(Rectangle(corner, size, size, fill=False, ec=colour, lw=1.2))
    ax.plot(local[near, 1], local[near, 0], ".", color=TRUTH, markersize=5)
    y, x = local[middle]
    ax.set(xlim=(x - 25, x + 25), ylim=(y + 25, y - 25))
    name_panel(ax, "C", "anchors of 7, 9 and 11 px")


def _plot_candidates(seen: Detecting, peak: Float[np.ndarray, " 2"], ax: Axes) -> None:
    show_crop(seen.frame, seen.crop, ax)
    best = int(seen.scores.argmax()) if len(seen.scores) else -1
    for row, box in enumerate(seen.candidates):
        add_boxes(ax, box[None], seen.crop, ACCENT if row == best else QUIET, 1.8 if row == best else 0.7)
    y, x = peak
    ax.set(xlim=(x - 16, x + 16), ylim=(y + 16, y - 16))
    if best >= 0:
        ax.set_title(f"{len(seen.scores)} corrected, best S = {seen.scores[best]:.2f}", color=QUIET, fontsize=8.5)


@dataclass(frozen=True, slots=True)
class Merging:
    """What Fig 4 shows: regions with their chain before and after cutting, and the overlaps of two frames.

    ``overlap`` has the boxes of one frame as rows and those of the next as columns; ``pairs`` are the matched ones.
    ``profile`` is the chain whose intensity has a minimum, ``cut_z`` where it is cut.
    """

    regions: Regions
    chain: Int[np.ndarray, " n"]
    moving: Sequence[int]
    overlap: Float[np.ndarray, "a b"]
    pairs: Int[np.ndarray, "k 2"]
    frames: tuple[int, int]
    profile_z: Int[np.ndarray, " p"]
    profile: Float[np.ndarray, " p"]
    cut_z: float


def draw_merging(seen: Merging) -> Figure:
    """Boxes that move from frame to frame, their matching, and where a chain is cut (paper, Fig 4)."""
    with styled():
        figure = start_figure(10.4, 3.9)
        a, b, c, d = figure.subplots(1, 4, width_ratios=(1.15, 1, 1, 1))
        colours = choose_colours(len(seen.moving))
        for colour, number in zip(colours, seen.moving, strict=True):
            rows = np.flatnonzero(seen.chain == number)
            centre = seen.regions.centre_px[rows]
            a.plot(centre[:, 2] - centre[:, 2].mean(), centre[:, 0], "o-", color=colour, ms=4, lw=1.2)
        a.set(xlabel="x from the chain's mean, px", ylabel="frame")
        a.invert_yaxis()
        name_panel(a, "A", "boxes move during a scan")
        first, second = seen.frames
        b.imshow(seen.overlap, cmap=HEAT_MAP, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        b.set(xlabel=f"boxes of frame {second}", ylabel=f"boxes of frame {first}", xticks=[], yticks=[])
        name_panel(b, "B", "overlap (IoU)")
        rest_rows = np.setdiff1d(np.arange(seen.overlap.shape[0]), seen.pairs[:, 0])
        rest_columns = np.setdiff1d(np.arange(seen.overlap.shape[1]), seen.pairs[:, 1])
        order = np.r_[seen.pairs[:, 0], rest_rows], np.r_[seen.pairs[:, 1], rest_columns]
        c.imshow(seen.overlap[np.ix_(*order)], cmap=HEAT_MAP, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        c.set(xlabel="reordered", xticks=[], yticks=[])
        name_panel(c, "C", f"{len(seen.pairs)} matched pairs")
        d.plot(seen.profile_z, seen.profile, "o-", color=TRUTH, lw=1.3, ms=4)
        d.axvline(seen.cut_z, color=RED, lw=1.3)
        d.set(xlabel="frame", ylabel="mean intensity of a box")
        name_panel(d, "D", "cut at a minimum")
    return figure
