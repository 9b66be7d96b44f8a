"""The neuronal density feature (paper, Stage 4)."""

import numpy as np
from jaxtyping import Float

from cender.recognize.paper.params import Source
from cender.recognize.paper.posture import Posture

TERRITORIES = 4
"""Quarters around a neuron (left or right, ventral or dorsal) in which others are counted."""
# Boxes lie in whole frames, so many points lie on the edge of a shell, up to rounding; there they are inside.
ROUNDING = 1e-6


def describe_density(posture: Posture, q: int, source: Source) -> Float[np.ndarray, "m f"]:
    """Share of the points in each of q shells and 4 territories around every neuron.

    Shells lie between concentric cylinders about the dorso-ventral plane's normal whose radius and height grow in equal
    steps, the last as wide and as deep as the whole head. The territories are, in this order, left and ventral, right
    and ventral, left and dorsal, right and dorsal; each row holds the q shells of the first, then of the second, and
    so on, and sums to 1 (to 0 where there is no other point). A neuron's own regions are not counted. The text counts
    points; shares of them, as in the published code, do not depend on how many neurons a volume has.

    Parameters
    ----------
    posture
        Points along the worm's axes.
    q
        Number of shells.
    source
        Whether neurons or regions are counted.
    """
    points, owner = posture.points(source)
    count = len(posture.objects)
    z, y, x = (points[None] - posture.objects[:, None]).transpose(2, 0, 1)  # each m p
    depth, diagonal = posture.span_um[0], float(np.hypot(*posture.span_um[1:]))
    outward = np.maximum(np.hypot(x, y) / (diagonal or 1.0), np.abs(z) / (depth or 1.0))
    shell = np.clip(np.ceil(outward * q - ROUNDING).astype(int) - 1, 0, q - 1)
    territory = (z <= 0) + 2 * (x <= 0)
    row = np.arange(count)[:, None]
    cell = (row * TERRITORIES + territory) * q + shell
    others = owner[None] != row
    counts = np.bincount(cell[others], minlength=count * TERRITORIES * q).reshape(count, TERRITORIES * q)
    return np.asarray(counts / np.maximum(others.sum(axis=1), 1)[:, None])
