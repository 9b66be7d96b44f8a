"""How well neurons are recognized within and across animals: the paper's Figs 8, 9 and S2."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cender.plots.embedding import plot_distances, plot_layout
from cender.plots.identity import Curve, Published, plot_curves, plot_over_time, plot_violins
from cender.plots.paper.panels import name_panel
from cender.plots.style import ACCENT, QUIET, RED, TEXT, TRUTH, show_image, start_figure, styled
from cender.plots.tsne import lay_out


@dataclass(frozen=True, slots=True)
class Embedded:
    """The space that was learnt: class directions, neurons of other volumes with identities (-1 for none)."""

    classes: Float[np.ndarray, "n d"]
    points: Float[np.ndarray, "m d"]
    identity: Int[np.ndarray, " m"]
    numbers: Int[np.ndarray, " n"]


@dataclass(frozen=True, slots=True)
class Followed:
    """Recognition within an animal: curves over annotated volumes, and every test volume of one training."""

    title: str
    curves: Sequence[Curve]
    published: Sequence[Published]
    time: Float[np.ndarray, " v"]
    accuracy: Float[np.ndarray, " v"]
    label: str
    unit: str
    worst: Sequence[tuple[str, Real[np.ndarray, "h w"]]] = ()


def draw_recognition(space: Embedded, own: Followed, nerve: Followed | None) -> Figure:
    """Distances, layout, accuracy over annotated volumes and over time, on both data sets (paper, Fig 8)."""
    with styled():
        figure = start_figure(11, 11.5 if nerve else 8.0)
        panels = figure.subplots(3 if nerve else 2, 2)
        a, b = panels[0]
        name_panel(plot_distances(space.classes, a), "A", a.get_title(loc="left"))
        name_panel(plot_layout(lay_out(space.points), space.identity, b), "B", b.get_title(loc="left"))
        followed = [own] if nerve is None else [own, nerve]
        if nerve is None:
            figure.supxlabel("E and F need nerve.npz: --data FOLDER", color=QUIET, fontsize=8)
        for (curve, time), letters, seen in zip(panels[1:], ("CD", "EF"), followed, strict=False):
            name_panel(plot_curves(seen.curves, seen.published, curve), letters[0], seen.title)
            # From 0 on there is room for the legend below the curves.
            curve.set_ylim(0, 103)
            plot_over_time(seen.time, seen.accuracy, time).set_xlabel(seen.unit)
            name_panel(time, letters[1], seen.label)
            for row, (words, image) in enumerate(seen.worst):
                inset = time.inset_axes((0.03 + 0.2 * row, 0.05, 0.18, 0.4))
                show_image(image.astype(np.float32), inset)
                inset.set_title(words, fontsize=6.5, color=RED, pad=1)
    return figure


def draw_across(
    curves: Sequence[Curve],
    published: Sequence[Published],
    groups: Mapping[str, Float[np.ndarray, " v"]],
    title: str,
) -> Figure:
    """Accuracy in another animal over the volumes that a model learnt from, and of its volumes (paper, Fig 9)."""
    with styled():
        figure = start_figure(11, 4.2)
        a, b = figure.subplots(1, 2)
        name_panel(plot_curves(curves, published, a), "A", title)
        a.set(xlabel="annotated volumes of the animal that was learnt from", ylim=(0, 103))
        a.legend(loc="upper left")
        name_panel(plot_violins(groups, b), "B", "volumes of the animal that is recognized")
        b.tick_params(axis="x", labelsize=7)
    return figure


def draw_clusters(space: Embedded) -> Figure:
    """How tight clusters are, and that class directions are their centres (paper, Fig S2)."""
    known = np.flatnonzero(space.identity >= 0)
    row = {int(number): place for place, number in enumerate(space.numbers)}
    own = np.array([row[int(number)] for number in space.identity[known]])
    apart = 1 - (space.points[known] * space.classes[own]).sum(1)
    clusters = [np.flatnonzero(own == place) for place in range(len(space.classes))]
    filled = [place for place, mine in enumerate(clusters) if len(mine)]
    centre = np.stack([space.points[known[clusters[place]]].mean(0) for place in filled])
    centre /= np.maximum(np.linalg.norm(centre, axis=1, keepdims=True), 1e-9)
    distance = 1 - (centre * space.classes[filled]).sum(1)
    with styled():
        figure = start_figure(11, 4.4)
        a, b, c = figure.subplots(1, 3)
        _plot_spread([apart[clusters[place]] for place in filled], a)
        b.hist(distance, 30, color=TRUTH)
        b.axvline(float(np.median(distance)), color=ACCENT, lw=1.2)
        b.text(0.95, 0.9, f"median {np.median(distance):.3f}", color=TEXT, ha="right", transform=b.transAxes)
        b.set(xlabel="cosine distance, cluster centre to class direction", ylabel="clusters")
        name_panel(b, "B", "class directions are centres")
        place = lay_out(np.concatenate([centre, space.classes[filled]]))
        c.scatter(*place[: len(centre)].T, s=16, facecolors="none", edgecolors=TRUTH, lw=0.9, label="cluster centre")
        c.scatter(*place[len(centre) :].T, s=6, color=RED, linewidths=0, label="class direction")
        c.set(xticks=[], yticks=[])
        c.legend(loc="lower right")
        name_panel(c, "C", "both, laid out by t-SNE")
    return figure


def _plot_spread(values: Sequence[Float[np.ndarray, " c"]], ax: Axes) -> None:
    """The middle half of each cluster's distances and its median, tight clusters first."""
    order = np.argsort([np.median(one) for one in values])
    for place, number in enumerate(order):
        low, middle, high = np.percentile(values[number], (25, 50, 75))
        ax.plot([low, high], [place, place], color=QUIET, lw=0.8)
        ax.plot(middle, place, ".", color=TRUTH, ms=3)
    ax.set(xlabel="cosine distance to own class", ylabel="cluster")
    ax.set_xlim(left=0)
    name_panel(ax, "A", f"spread of {len(values)} clusters")
