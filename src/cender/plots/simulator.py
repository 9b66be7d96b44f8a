"""A simulated recording and its truth in one picture, and the panels it is made of."""

import numpy as np
from jaxtyping import Float, Int, Real
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cender.plots.style import (
    ACCENT,
    GREEN_MAP,
    GREY_MAP,
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
from cender.types import Annotation, Annotations, Crop, Volume

HEAD_MARGIN_PX = 16
"""Room around the head that is shown."""
SHOWN_FRAMES = 6
"""Frames of a volume that are shown."""


def draw_simulation(volume: Volume, truth: Annotations) -> Figure:
    """Both channels projected, frames with their true boxes, the path of the head and the true activity."""
    annotation = truth.annotations[volume.index]
    with styled():
        figure = start_figure(11.0, 9.6)
        upper, middle, lower = split_figure(figure, (1.3, 1.0, 0.8))
        left, centre, right = upper.subplots(1, 3)
        plot_projection(volume, "red", left).set_title("red, projected along z")
        plot_projection(volume, "green", centre).set_title("green, projected along z")
        plot_projection(volume, "red", right, crop_head(annotation, volume)).set_title("the head, projected")
        for ax, frame in zip(middle.subplots(1, 4), pick_frames(annotation, 4), strict=True):
            plot_frame(volume, annotation, frame, ax)
        path, activity = lower.subplots(1, 2, width_ratios=(1, 2.6))
        plot_path(truth, path)
        plot_activity(truth, activity)
    return figure


def draw_projections(volume: Volume) -> Figure:
    """Red and green of one volume, projected along z."""
    with styled():
        figure = start_figure(9.0, 4.7)
        for ax, role in zip(figure.subplots(1, 2), ("red", "green"), strict=True):
            plot_projection(volume, role, ax).set_title(f"{role}, volume {volume.index}, projected along z")
    return figure


def draw_frames(volume: Volume, annotation: Annotation) -> Figure:
    """Frames of the head with the true boxes."""
    count = SHOWN_FRAMES
    with styled():
        columns = min(3, count)
        figure = start_figure(3.4 * columns, 3.3 * -(-count // columns))
        grid = figure.subplots(-(-count // columns), columns, squeeze=False).ravel()
        for ax, frame in zip(grid, pick_frames(annotation, count), strict=False):
            plot_frame(volume, annotation, frame, ax)
    return figure


def draw_activity(truth: Annotations) -> Figure:
    """The true ratio of every neuron through time."""
    with styled():
        figure = start_figure(9.0, 5.0)
        plot_activity(truth, figure.subplots())
    return figure


def draw_motion(truth: Annotations) -> Figure:
    """The path of the head and its direction through time."""
    with styled():
        figure = start_figure(9.0, 4.0)
        path, heading = figure.subplots(1, 2, width_ratios=(1, 1.4))
        plot_path(truth, path)
        plot_heading(truth, heading)
    return figure


def crop_head(annotation: Annotation, volume: Volume) -> Crop:
    """Square around the middle nine tenths of the true boxes, inside the image."""
    rows, columns = volume.data.shape[2:]
    if not len(annotation.regions):
        return Crop(0, 0, columns, rows)
    low, high = np.percentile(annotation.regions.centre_px[:, 1:], (5, 95), axis=0)
    size = min(rows, columns, int(np.max(high - low)) + 2 * HEAD_MARGIN_PX)
    middle = (low + high) / 2
    top, left = np.clip(np.rint(middle - size / 2), 0, (rows - size, columns - size)).astype(int)
    return Crop(int(left), int(top), size, size)


def pick_frames(annotation: Annotation, count: int) -> list[int]:
    """Frames spread over those that have boxes."""
    known = np.unique(annotation.regions.z)
    if not len(known):
        return list(range(count))
    return [int(known[round(place)]) for place in np.linspace(0, len(known) - 1, count + 2)[1:-1]]


def plot_projection(volume: Volume, role: str, ax: Axes, crop: Crop | None = None) -> Axes:
    """One channel projected along z, as a whole or cut to a rectangle."""
    data = volume.red if role == "red" else volume.green
    if data is None:
        raise ValueError(f"volume {volume.index} has no {role} channel")
    colours = RED_MAP if role == "red" else GREEN_MAP
    projection = data.max(0)
    limits = _find_limits(projection)
    show_image(projection, ax, limits, colours)
    if crop is not None:
        ax.set_xlim(crop.x - 0.5, crop.x + crop.w - 0.5)
        ax.set_ylim(crop.y + crop.h - 0.5, crop.y - 0.5)
    if volume.voxel_um is not None:
        add_scale_bar(ax, volume.voxel_um.x_um, 50.0 if crop is None else 20.0)
    return ax


def plot_frame(volume: Volume, annotation: Annotation, frame: int, ax: Axes) -> Axes:
    """One frame of the head in the red channel, with the true boxes."""
    red = volume.red
    if red is None:
        raise ValueError(f"volume {volume.index} has no red channel")
    crop = crop_head(annotation, volume)
    show_image(red[frame], ax, _find_limits(red[frame]), GREY_MAP)
    ax.set_xlim(crop.x - 0.5, crop.x + crop.w - 0.5)
    ax.set_ylim(crop.y + crop.h - 0.5, crop.y - 0.5)
    plot_boxes(annotation, ax, frame=frame)
    ax.set_title(f"frame {frame}, true boxes", color=QUIET, fontsize=8.5)
    return ax


def plot_boxes(annotation: Annotation, ax: Axes, frame: int) -> Axes:
    """True boxes of one frame."""
    chosen = annotation.regions.box_px[annotation.regions.z == frame]
    # Pixels are drawn around their index; a half-open box begins half a pixel before its first.
    boxes = [Rectangle((x - 0.5, y - 0.5), w, h) for x, y, w, h in chosen]
    ax.add_collection(PatchCollection(boxes, facecolor="none", edgecolor=TRUTH, linewidth=0.8))
    return ax


def plot_activity(truth: Annotations, ax: Axes) -> Axes:
    """Heat map of every neuron's ratio against its rest, neurons that act alike side by side."""
    times_s, change = tabulate_activity(truth)
    limit = float(np.nanpercentile(change, 99)) if np.isfinite(change).any() else 1.0
    extent = (times_s[0], times_s[-1] + (times_s[1] - times_s[0] if len(times_s) > 1 else 1), len(change), 0)
    image = ax.imshow(
        change,
        cmap=HEAT_MAP,
        vmin=0,
        vmax=max(limit, 0.1),
        aspect="auto",
        extent=extent,
        interpolation="nearest",
    )
    ax.set_xlabel("time (s)")
    ax.set_ylabel("neuron")
    ax.set_title("true activity, ΔR/R₀")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.01, aspect=30)
    bar.outline.set_visible(False)
    return ax


def tabulate_activity(truth: Annotations) -> tuple[Float[np.ndarray, " t"], Float[np.ndarray, "n t"]]:
    """Times, and ΔR/R₀ of the neurons that are seen in half of the volumes; NaN where one is not."""
    volumes = sorted(truth.annotations)
    identities = sorted({identity for identity, _ in truth.ratio})
    ratio = np.array([[truth.ratio.get((i, v), np.nan) for v in volumes] for i in identities])
    ratio = ratio.reshape(len(identities), len(volumes))
    ratio = ratio[np.isfinite(ratio).mean(1) >= 0.5]
    rest = np.nanpercentile(ratio, 20, axis=1, keepdims=True)
    change = ratio / rest - 1
    filled = np.nan_to_num(change)
    times_s = np.array([truth.time_s.get(volume, float(volume)) for volume in volumes])
    return times_s, change[_order_alike(filled)]


def plot_path(truth: Annotations, ax: Axes) -> Axes:
    """Path of the head in the image, from dark to bright, with where it points."""
    origin_um, anterior, _ = tabulate_heads(truth)
    pieces = np.stack([origin_um[:-1, ::-1], origin_um[1:, ::-1]], axis=1)
    lines = LineCollection(list(pieces), cmap=HEAT_MAP, linewidth=1.4)
    lines.set_array(np.linspace(0.25, 0.9, len(pieces)))
    lines.set_clim(0, 1)
    ax.add_collection(lines)
    every = max(1, len(origin_um) // 12)
    place, way = origin_um[::every, ::-1].T, anterior[::every, ::-1].T
    ax.quiver(*place, *way, angles="xy", color=ACCENT, alpha=0.9, width=0.006, scale=14)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.15)
    ax.autoscale_view()
    ax.invert_yaxis()
    ax.set_xlabel("x (µm)")
    ax.set_ylabel("y (µm)")
    ax.set_title("path of the head, and where it points")
    return ax


def plot_heading(truth: Annotations, ax: Axes) -> Axes:
    """Direction in which the head points through time."""
    _, anterior, times_s = tabulate_heads(truth)
    angle = np.rad2deg(np.unwrap(np.arctan2(-anterior[:, 0], anterior[:, 1])))
    ax.plot(times_s, angle, color=ACCENT, lw=1.4)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("degrees, anticlockwise")
    ax.set_title("direction of the head")
    ax.grid(axis="y", color=TEXT, alpha=0.08)
    return ax


def tabulate_heads(
    truth: Annotations,
) -> tuple[Float[np.ndarray, "t 2"], Float[np.ndarray, "t 2"], Float[np.ndarray, " t"]]:
    """Origin (``y x``, µm), anterior direction and time of every volume whose head is known."""
    pixel_um = np.array(truth.scale[1:])
    heads = [(v, one.head) for v, one in sorted(truth.annotations.items()) if one.head is not None]
    origin = np.array([head.origin_yx * pixel_um for _, head in heads]).reshape(-1, 2)
    anterior = np.array([head.anterior_yx for _, head in heads]).reshape(-1, 2)
    return origin, anterior, np.array([truth.time_s.get(volume, float(volume)) for volume, _ in heads])


def _find_limits(image: Real[np.ndarray, "y x"]) -> tuple[float, float]:
    """From just above the noise of the dark pixels to the bright spots."""
    dark, above = np.percentile(image, (50, 84))
    return float(dark + 0.5 * (above - dark)), float(max(np.percentile(image, 99.9), dark + 8 * (above - dark)))


def _order_alike(change: Float[np.ndarray, "n t"]) -> Int[np.ndarray, " n"]:
    """Rows in the order of their place around the first two principal components, quiet ones last."""
    centred = change - change.mean(1, keepdims=True)
    scale = centred.std(1)
    lively = scale > 0.02
    if lively.sum() < 3:
        return np.argsort(-scale)
    score = np.linalg.svd(centred[lively] / scale[lively, None], full_matrices=False)[0]
    angle = np.arctan2(score[:, 1], score[:, 0])
    rows = np.flatnonzero(lively)
    return np.concatenate([rows[np.argsort(angle)], np.flatnonzero(~lively)])
