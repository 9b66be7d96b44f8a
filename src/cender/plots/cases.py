"""A prediction drawn over the truth, volume by volume."""

from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cender.types import Annotation, Annotations, Head

TRUTH_COLOUR = "#1f77b4"
PREDICTED_COLOUR = "#d95f02"
TRUTH_BOX: dict[str, Any] = {"facecolor": "#c6dcec", "edgecolor": TRUTH_COLOUR, "linewidth": 0.8}
PREDICTED_BOX: dict[str, Any] = {
    "facecolor": "none",
    "edgecolor": PREDICTED_COLOUR,
    "linestyle": "--",
    "linewidth": 1.2,
}
View = Literal["yx", "zx"]
VIEWS: tuple[View, ...] = ("yx", "zx")


def draw_case(truth: Annotations, predicted: Annotations) -> Figure:
    """A figure of both sides: the ratios where there are some, else every volume seen along z and along y."""
    volumes = sorted(truth.annotations)
    figure = Figure(figsize=(max(2.6, 1.9 * len(volumes)), 2.6), dpi=90, layout="constrained")
    if truth.ratio:
        plot_ratios(truth, predicted, figure.subplots())
        return figure
    grid = figure.subplots(2, len(volumes), squeeze=False, height_ratios=(3, 2))
    for column, volume in enumerate(volumes):
        both = truth.annotations[volume], predicted.annotations.get(volume)
        for ax, view in zip(grid[:, column], VIEWS, strict=True):
            plot_sides(*both, ax, view)
            if column == 0:
                ax.set_ylabel("y" if view == "yx" else "z (frames)", fontsize=7)
        grid[0, column].set_title(_describe(volume, *both), fontsize=7)
    return figure


def plot_sides(truth: Annotation, predicted: Annotation | None, ax: Axes, view: View = "yx") -> Axes:
    """Truth filled, prediction dashed, with their identities; along z (``yx``) or along y (``zx``)."""
    _plot_side(truth, ax, view, is_truth=True)
    if predicted is not None:
        _plot_side(predicted, ax, view, is_truth=False)
    ax.set_aspect("equal" if view == "yx" else "auto", adjustable="datalim")
    ax.margins(0.2)
    if view == "yx":
        ax.invert_yaxis()
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def plot_ratios(truth: Annotations, predicted: Annotations, ax: Axes) -> Axes:
    """True ratios as lines, predicted ones dashed, one above the other by identity."""
    for side, colour, line in ((truth, TRUTH_COLOUR, "-"), (predicted, PREDICTED_COLOUR, "--")):
        for identity in sorted({key[0] for key in truth.ratio}):
            points = sorted((volume, value) for (number, volume), value in side.ratio.items() if number == identity)
            if points:
                volume, ratio = np.array(points).T
                ax.plot(volume, ratio - ratio.mean() + 3 * identity, line, color=colour)
    ax.set_yticks([3 * identity for identity in sorted({key[0] for key in truth.ratio})])
    ax.set_yticklabels([f"{identity}" for identity in sorted({key[0] for key in truth.ratio})])
    ax.set_ylabel("identity", fontsize=7)
    ax.set_xlabel("volume", fontsize=7)
    ax.set_xticks(sorted(truth.annotations))
    ax.tick_params(labelsize=7)
    return ax


def _plot_side(annotation: Annotation, ax: Axes, view: View, is_truth: bool) -> None:
    colour, box = (TRUTH_COLOUR, TRUTH_BOX) if is_truth else (PREDICTED_COLOUR, PREDICTED_BOX)
    for x, y, w, h in sorted(_list_boxes(annotation, view)):
        ax.add_patch(Rectangle((x, y), w, h, **box))
    places = _locate(annotation, view)
    if not len(annotation.regions):
        ax.plot(places[:, 1], places[:, 0], "o" if is_truth else "+", color=colour, ms=6, alpha=0.7)
    elif view == "zx":
        _plot_spines(annotation, ax, colour, 0.0 if is_truth else 0.25)
    if view == "yx":
        _plot_identities(annotation, ax, colour, is_truth)
        if annotation.head is not None:
            _plot_axes(annotation.head, ax, colour, is_truth)


def _list_boxes(annotation: Annotation, view: View) -> set[tuple[float, float, float, float]]:
    """The boxes of this view, each once."""
    regions = annotation.regions
    rows = zip(regions.z.tolist(), regions.box_px.tolist(), strict=True)
    # A frame is drawn as a bar around its index, a little thinner than the step to the next.
    return {(x, y, w, h) if view == "yx" else (x, z - 0.35, w, 0.7) for z, (x, y, w, h) in rows}


def _plot_spines(annotation: Annotation, ax: Axes, colour: str, shift: float) -> None:
    """A line through the frames that belong to one neuron."""
    places = _locate(annotation, "zx")
    for neuron, (_, x) in enumerate(places):
        frames = annotation.regions.z[annotation.regions.neuron == neuron]
        ax.plot([x + shift] * 2, [frames.min(), frames.max()], ".-", color=colour, ms=3, lw=1)


def _plot_identities(annotation: Annotation, ax: Axes, colour: str, is_truth: bool) -> None:
    align, lift = ("bottom", 3) if is_truth else ("top", -3)
    for neuron, (y, x) in enumerate(_locate(annotation, "yx")):
        if annotation.identity[neuron] < 0:
            continue
        edge, own = y, annotation.regions.box_px[annotation.regions.neuron == neuron]
        if len(own):
            edge = own[:, 1].min() if is_truth else (own[:, 1] + own[:, 3]).max()
        style: dict[str, Any] = {
            "color": colour,
            "fontsize": 8,
            "weight": "bold",
            "ha": "center",
            "va": align,
        }
        words = str(annotation.identity[neuron])
        if not is_truth and annotation.probability[neuron] < 1:
            words += f" ({annotation.probability[neuron]:g})"
        ax.annotate(words, (x, edge), (0, lift), textcoords="offset points", **style)


def _locate(annotation: Annotation, view: View) -> Float[np.ndarray, "m 2"]:
    """Where the neurons are in this view: in pixels from their boxes, else in µm."""
    columns = [1, 2] if view == "yx" else [0, 2]
    if not len(annotation.regions):
        return np.asarray(annotation.centre_um[:, columns])
    # The centre of pixel i is drawn at i + 1/2, where the half-open boxes have it.
    shift = np.array([0.5, 0.5] if view == "yx" else [0.0, 0.5])
    centre = annotation.regions.centre_px[:, columns] + shift
    owned = np.arange(len(annotation))[:, None] == annotation.regions.neuron[None]
    return np.asarray(owned @ centre / np.maximum(owned.sum(axis=1, keepdims=True), 1))


def _plot_axes(head: Head, ax: Axes, colour: str, is_truth: bool) -> None:
    start = np.array([-7.0, 1.5]) + (0.0 if is_truth else 0.6)
    for name, direction in (("A", head.anterior_yx), ("V", head.ventral_yx)):
        end, label = start + 4 * direction, start + 5 * direction
        arrow = {"arrowstyle": "->", "color": colour, "linestyle": "-" if is_truth else "--"}
        ax.annotate("", (end[1], end[0]), (start[1], start[0]), arrowprops=arrow)
        ax.text(label[1], label[0], name, color=colour, fontsize=7, ha="center", va="center")
        ax.update_datalim([start[::-1], label[::-1]])


def _describe(volume: int, truth: Annotation, predicted: Annotation | None) -> str:
    words = [f"volume {volume}"]
    if predicted is None:
        words.append("not processed")
    elif predicted.flagged:
        words.append("flagged")
    if not truth.complete:
        words.append("partly annotated")
    return ", ".join(words)
