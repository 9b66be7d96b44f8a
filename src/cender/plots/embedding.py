"""The space that the paper's recognition learns: how far identities lie apart, and how volumes cluster in it."""

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from cender.plots.detection import choose_colours
from cender.plots.style import FAINT, HEAT_MAP, QUIET, start_figure, styled
from cender.plots.tsne import lay_out


def draw_embedding(
    classes: Float[np.ndarray, "n d"], points: Float[np.ndarray, "m d"], identity: Int[np.ndarray, " m"]
) -> Figure:
    """Distances between identities, and a t-SNE of neurons of many volumes (paper, Fig. 5 A and B).

    Parameters
    ----------
    classes
        Direction of every identity, of length 1.
    points
        Embeddings of neurons, of length 1; at most 2,500.
    identity
        Of every point, -1 for none.
    """
    with styled():
        figure = start_figure(10, 4.7)
        left, right = figure.subplots(1, 2)
        plot_distances(classes, left)
        plot_layout(lay_out(points), identity, right)
    return figure


def plot_distances(classes: Float[np.ndarray, "n d"], ax: Axes) -> Axes:
    """Cosine distance between every two identities, neighbours beside each other (hierarchical clustering)."""
    distance = np.clip(1 - classes @ classes.T, 0, 2)
    distance = (distance + distance.T) / 2
    np.fill_diagonal(distance, 0)
    if len(classes) > 2:
        order = leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True))
        distance = distance[np.ix_(order, order)]
    image = ax.imshow(distance, cmap=HEAT_MAP, interpolation="nearest")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.85)
    bar.outline.set_edgecolor(FAINT)
    bar.set_label("cosine distance", color=QUIET)
    apart = distance[~np.eye(len(distance), dtype=bool)]
    span = f", {apart.min():.2f} to {apart.max():.2f}" if len(apart) else ""
    ax.set(title=f"{len(classes)} identities{span}", xticks=[], yticks=[])
    return ax


def plot_layout(place: Float[np.ndarray, "m 2"], identity: Int[np.ndarray, " m"], ax: Axes) -> Axes:
    """Neurons laid out in a plane, in the colour of their identity; those without one are grey."""
    none = identity < 0
    ax.scatter(place[none, 0], place[none, 1], s=3, color=QUIET, alpha=0.4, linewidths=0)
    numbers, row = np.unique(identity[~none], return_inverse=True)
    ax.scatter(place[~none, 0], place[~none, 1], s=6, c=choose_colours(len(numbers))[row], linewidths=0)
    ax.set(title=f"{len(place)} neurons of {len(numbers)} identities (t-SNE)", xticks=[], yticks=[])
    ax.set_aspect("equal", "datalim")
    return ax
