"""Draws what each stage does to one recording, and the picture of README: ``python docs/draw_stages.py DEMO``.

DEMO is the folder that ``cender demo --out DEMO`` made: a simulated recording, run with no annotation at all.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import cender
from cender.plots.head import plot_head
from cender.plots.report.activity import plot_unsure_trace
from cender.plots.report.frames import colour_identities
from cender.plots.report.labels import MARGIN_IN, plot_labels
from cender.plots.report.style import WIDE_IN, lighten, render_figure, start_light_figure
from cender.report.folder import read_folder
from cender.report.traces import choose_varying
from cender.types import Annotation, Crop, Volume
from cender.types.doubt import UNSURE_BELOW

FIGURES = Path(__file__).parent / "figures" / "stages"
INK = "#05070a"


def show(image: np.ndarray, crop: Crop, ax: Axes) -> None:
    """A part of a frame, dim neurons beside bright ones."""
    part = image[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w].astype(float)
    low, high = np.percentile(part, (50, 99.9))
    extent = (crop.x - 0.5, crop.x + crop.w - 0.5, crop.y + crop.h - 0.5, crop.y - 0.5)
    ax.imshow(np.clip((part - low) / (high - low), 0, 1) ** 0.6, cmap="gray", extent=extent, interpolation="nearest")
    ax.set(xticks=[], yticks=[], facecolor=INK)


def start(columns: int, height_in: float) -> tuple[Figure, np.ndarray]:
    """A figure with pictures side by side."""
    with lighten():
        figure = start_light_figure(WIDE_IN, height_in)
        return figure, figure.subplots(1, columns, squeeze=False)[0]


def draw_result(folder: Path, volume: Volume, found: Annotation) -> Figure:
    """Who was found, by identity, and what the most varying of them did."""
    facts = read_folder(folder)
    rows = choose_varying(facts.traces, 9)
    shown = facts.traces.identity[rows]
    crop = found.head.crop
    with lighten():
        figure = start_light_figure(WIDE_IN, 4.4)
        grid = figure.add_gridspec(len(rows), 2, width_ratios=(1.25, 1))
        left = figure.add_subplot(grid[:, 0])
        show(volume.stack.image.max(axis=0), crop, left)
        colours = colour_identities(found.identity)
        known = found.identity >= 0
        y, x = (found.centre_um[:, 1:] / np.array(volume.stack.voxel_um[1:])).T
        left.scatter(x[known], y[known], s=18, c=colours[known], edgecolors=INK, linewidths=0.4)
        named = np.flatnonzero(np.isin(found.identity, shown))
        per_inch = crop.w / (WIDE_IN * 0.52 - 2 * MARGIN_IN)
        words = [f"{one}" for one in found.identity[named].tolist()]
        plot_labels(np.stack([x, y], axis=1)[named], words, colours[named], crop, per_inch, left)
        left.set_xlim(crop.x - MARGIN_IN * per_inch, crop.x + crop.w + MARGIN_IN * per_inch)
        left.set_title(f"volume {volume.index}: {int(known.sum())} of {len(known)} neurons with an identity")
        axes = [figure.add_subplot(grid[row, 1]) for row in range(len(rows))]
        for ax, row in zip(axes, rows.tolist(), strict=True):
            plot_unsure_trace(facts.traces, row, facts.name, UNSURE_BELOW, ax)
            ax.yaxis.label.set_color(colour_identities(facts.traces.identity[row : row + 1])[0] * 0.8)
            ax.tick_params(labelsize=7, labelbottom=ax is axes[-1])
        axes[0].set_title("ΔR/R0, as measured")
        axes[-1].set_xlabel("time (s)")
    return figure


def draw_head(volume: Volume, found: Annotation) -> Figure:
    """The brightest values over z, and the head that was found there."""
    figure, (left, right) = start(2, 4.6)
    plot_head(volume.stack.image, None, left).set_title("one volume, brightest value over z")
    plot_head(volume.stack.image, found.head, right)
    return figure


def draw_detection(volume: Volume, found: Annotation) -> Figure:
    """Three frames with the boxes that were found in them."""
    frames = np.argsort(-np.bincount(found.regions.z))[:3]
    figure, axes = start(3, 3.0)
    for ax, z in zip(axes, sorted(frames.tolist()), strict=True):
        show(volume.stack.image[z], found.head.crop, ax)
        for x, y, w, h in found.regions.box_px[found.regions.z == z]:
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), w, h, fill=False, ec="#f0b429", lw=0.9))
        ax.set_title(f"frame {z}: {int((found.regions.z == z).sum())} regions", fontsize=9)
    return figure


def draw_merging(found: Annotation) -> Figure:
    """The same regions from the side: those of one neuron have one colour."""
    figure, (ax,) = start(1, 2.9)
    regions = found.regions
    order = np.arange(len(found))
    colours = colour_identities(np.random.default_rng(0).permutation(order))
    for (x, _, w, _), z, neuron in zip(regions.box_px, regions.z, regions.neuron, strict=True):
        if neuron >= 0:
            ax.add_patch(Rectangle((x, z - 0.4), w, 0.8, fc=(*colours[neuron][:3], 0.55), ec=colours[neuron], lw=0.4))
    ax.set(xlim=(regions.box_px[:, 0].min() - 5, (regions.box_px[:, 0] + regions.box_px[:, 2]).max() + 5))
    ax.set(ylim=(regions.z.max() + 1, regions.z.min() - 1), xlabel="x (pixels)", ylabel="frame")
    ax.set_title(f"{len(regions)} regions become {len(found)} neurons", fontsize=10)
    return figure


def draw_recognition(first: Annotation, second: Annotation) -> Figure:
    """The neurons of two volumes; lines lead from an identity to itself."""
    figure, (ax,) = start(1, 3.6)
    shift = np.array([0.0, np.ptp(first.centre_um[:, 2]) + 25])
    places = []
    for one, move in ((first, np.zeros(2)), (second, shift)):
        place = one.centre_um[:, 1:] - one.centre_um[:, 1:].min(axis=0) + move
        places.append(place)
        known = one.identity >= 0
        ax.scatter(place[known, 1], place[known, 0], s=20, c=colour_identities(one.identity)[known], ec=INK, lw=0.3)
        ax.scatter(place[~known, 1], place[~known, 0], s=16, fc="none", ec="#9aa5b0", lw=0.7)
        ax.text(*place.min(axis=0)[::-1], f"volume {one.volume}", va="bottom")
    for row, identity in enumerate(first.identity.tolist()):
        there = np.flatnonzero(second.identity == identity)
        if identity >= 0 and len(there):
            (y, x), (v, u) = places[0][row], places[1][there[0]]
            ax.plot([x, u], [y, v], color=colour_identities(np.array([identity]))[0], lw=0.35, alpha=0.6, zorder=0)
    ax.set(aspect="equal", xlabel="µm", ylabel="µm")
    ax.invert_yaxis()
    return figure


def draw_activity(folder: Path) -> Figure:
    """Red, green and their ratio of the neuron that varies most."""
    facts = read_folder(folder)
    traces = facts.traces
    row = int(choose_varying(traces, 1)[0])
    with lighten():
        figure = start_light_figure(WIDE_IN, 3.2)
        axes = figure.subplots(3, 1, sharex=True)
        lines = ((traces.red, "#b3261e", "red"), (traces.green, "#1b7f5c", "green"), (traces.ratio, "#1f5fa8", "ratio"))
        for ax, (values, colour, name) in zip(axes, lines, strict=True):
            ax.plot(traces.time_s, values[row], color=colour, marker=".", markersize=4)
            ax.set_ylabel(name)
        axes[0].set_title(f"identity {traces.identity[row]}: counts above background, and green divided by red")
        axes[-1].set_xlabel("time (s)")
    return figure


def main() -> None:
    """Draw all of them."""
    if len(sys.argv) != 2:
        raise SystemExit("give the folder that `cender demo --out DEMO` made")
    run = cender.open_run(Path(sys.argv[1]) / "run")
    known = run.load().annotations
    usable = [one for one in known.values() if not one.flagged]
    best = max(usable, key=lambda one: int((one.identity >= 0).sum()))
    other = max((one for one in usable if abs(one.volume - best.volume) > 5), key=lambda one: abs(one.volume - 12))
    volume = run.recording().volume(best.volume)
    drawings = {
        "result": draw_result(run.path, volume, best),
        "head": draw_head(volume, best),
        "detection": draw_detection(volume, best),
        "merging": draw_merging(best),
        "recognition": draw_recognition(best, other),
        "activity": draw_activity(run.path),
    }
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name, figure in drawings.items():
        (FIGURES / f"{name}.png").write_bytes(render_figure(figure, photograph=True).png)


if __name__ == "__main__":
    main()
