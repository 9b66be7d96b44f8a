"""Smooth fields as sums of a few bumps: Gaussian processes at a fraction of their price."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import get_lapack_funcs

SPACING = 0.85
"""Distance of neighbouring bumps in lengths of the kernel; covariances are then right to about one percent."""
REACH = 1.5
"""What lies farther from the middle than this is a stray point: no bumps are laid there."""
JITTER = 1e-5
"""Added to the diagonal of a kernel, relative to its variance, so that it can be inverted."""


@dataclass(frozen=True, slots=True)
class Bumps:
    """A basis in which the squared-exponential covariance of two points is the product of their features (Nyström).

    ``nodes`` are the centres of the bumps, ``whiten`` makes them independent of each other.
    """

    nodes: Float[np.ndarray, "m 3"]
    whiten: Float[np.ndarray, "m m"]
    length: float

    def describe(self, points: Float[np.ndarray, "*r k 3"]) -> Float[np.ndarray, "*r k m"]:
        """Features of points; those of a point far from all bumps are zero."""
        return np.asarray(measure_closeness(points, self.nodes, self.length) @ self.whiten)


def lay_bumps(points: Float[np.ndarray, "n 3"], length: float, spread: float) -> Bumps:
    """Bumps on the corners of the cells of a grid in which there are points, for fields with this spread."""
    nodes = _find_corners(points, SPACING * length).astype(float)
    kernel = spread**2 * (measure_closeness(nodes, nodes, length) + JITTER * np.eye(len(nodes)))
    whiten = spread**2 * invert_roots(kernel[None])[0]
    return Bumps(nodes.astype(points.dtype), whiten.astype(points.dtype), length)


def invert_roots(stack: Float[np.ndarray, "r m m"]) -> Float[np.ndarray, "r m m"]:
    """Upper triangles, each of which times its transpose is the inverse of a positive matrix.

    Half the price of inverting the matrices, which is much of what a warp costs.
    """
    lower = np.linalg.cholesky(stack)
    (invert,) = get_lapack_funcs(("trtri",), (lower,))
    roots = np.empty_like(lower)
    for row, one in enumerate(lower):
        roots[row] = invert(one.T)[0]
    return roots


def measure_closeness(
    a: Float[np.ndarray, "*r k 3"], b: Float[np.ndarray, "m 3"], length: float
) -> Float[np.ndarray, "*r k m"]:
    """The squared-exponential kernel: 1 where two points coincide, falling to 0 over this length."""
    a, b = a / length, b / length
    # In place: such stacks are what a volume's time is spent on.
    close: np.ndarray = a @ b.T
    close -= 0.5 * (a**2).sum(axis=-1)[..., None]
    close -= 0.5 * (b**2).sum(axis=-1)
    np.minimum(close, 0.0, out=close)
    np.exp(close, out=close)
    return close


def _find_corners(points: Float[np.ndarray, "n 3"], step: float) -> Float[np.ndarray, "m 3"]:
    """Corners of the cells of a grid about the origin in which there are points."""
    near = points[np.abs(points).max(axis=1, initial=0.0) <= REACH]
    half = int(np.ceil(REACH / step)) + 1
    taken = np.zeros((2 * half + 1,) * 3, bool)
    z, y, x = (np.floor(near / step).astype(int) + half).T
    for dz, dy, dx in np.ndindex(2, 2, 2):
        taken[z + dz, y + dy, x + dx] = True
    found: Int[np.ndarray, "m 3"] = np.argwhere(taken) - half
    return np.asarray(found * step)
