"""The feature of K nearest neighbours (paper, Stage 4)."""

import numpy as np
from jaxtyping import Float

from cender.recognize.paper.params import Source
from cender.recognize.paper.posture import Posture

# Where there is no further neighbour: as far away as any could be, in no direction.
NOWHERE = (1.0, 0.0, 0.0)


def describe_neighbours(posture: Posture, k: int, source: Source) -> Float[np.ndarray, "m f"]:
    """Cylindrical coordinates of the k nearest neighbours of every neuron, nearest first: ρ1, φ1, z1, ρ2, …

    ρ is scaled such that 0 is -1 and the diagonal of the head 1, φ (0 = ventral, ½ = anterior) in half turns, z by
    the head's depth, nearly as in the published code; the text does not say how they are scaled. The coordinates of a
    neuron that has fewer than k neighbours are filled up at its row's end.

    Parameters
    ----------
    posture
        Points along the worm's axes.
    k
        Number of neighbours.
    source
        Whether other neurons or other neurons' regions are the neighbours.
    """
    points, owner = posture.points(source)
    count = len(posture.objects)
    away = points[None] - posture.objects[:, None]  # m p 3
    squared = np.einsum("mpc,mpc->mp", away, away)
    squared[owner[None] == np.arange(count)[:, None]] = np.inf
    nearest = _order_nearest(squared, k)
    z, y, x = np.take_along_axis(away, nearest[..., None], axis=1).transpose(2, 0, 1)
    depth, diagonal = posture.span_um[0], float(np.hypot(*posture.span_um[1:]))
    rho = 2 * np.hypot(x, y) / (diagonal or 1.0) - 1
    found = np.stack([rho, np.arctan2(y, x) / np.pi, z / (depth or 1.0)], axis=2)  # m k 3
    missing = np.isinf(np.take_along_axis(squared, nearest, axis=1))
    found[missing] = NOWHERE
    features = np.tile(np.array(NOWHERE), (count, k, 1))
    features[:, : found.shape[1]] = found
    return features.reshape(count, 3 * k)


def _order_nearest(squared: Float[np.ndarray, "m p"], k: int) -> np.ndarray:
    """Columns of the k smallest values of each row (all, where there are fewer), in ascending order."""
    if k < squared.shape[1]:
        near = np.sort(np.argpartition(squared, k - 1, axis=1)[:, :k], axis=1)
    else:
        near = np.broadcast_to(np.arange(squared.shape[1]), squared.shape)
    order = np.argsort(np.take_along_axis(squared, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)
