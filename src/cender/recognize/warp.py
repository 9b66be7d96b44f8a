"""Smooth warps between two sights of the same neurons: an affine map and a Gaussian process for what it leaves."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from cender.recognize.bumps import Bumps, invert_roots, lay_bumps

LENGTH, SPREAD, NOISE = 0.3, 0.05, 0.022
"""Of the Gaussian process, in units of the frame (`frame.UNIT_UM`): length, sd, and sd of single neurons around it."""
RIDGE = 1e-3
"""Keeps the affine map finite where few neurons, or neurons in a plane, are shared."""


@dataclass(frozen=True, slots=True)
class Warps:
    """Maps from several references into one volume, fitted to the neurons that both have.

    ``features`` are those of all sources, ``residual`` is what the affine part leaves of the used ones (0 elsewhere),
    and ``root`` times its transpose is the inverse of the covariance in the basis of the bumps.
    """

    source: Float[np.ndarray, "r i 3"]
    used: Bool[np.ndarray, "r i"]
    affine: Float[np.ndarray, "r 4 3"]
    residual: Float[np.ndarray, "r i 3"]
    bumps: Bumps
    features: Float[np.ndarray, "r i m"]
    root: Float[np.ndarray, "r m m"]
    slope: Float[np.ndarray, "r m 3"]


def fit_affine(
    source: Float[np.ndarray, "r i 3"],
    target: Float[np.ndarray, "r i 3"],
    used: Bool[np.ndarray, "r i"],
    rounds: int = 3,
) -> tuple[Float[np.ndarray, "r 4 3"], Float[np.ndarray, " r"]]:
    """Robust affine maps of the used pairs, and the median length of what they leave (infinite without pairs).

    Everything here is computed in the precision of ``source``. One round is the plain least-squares fit.
    """
    precision = source.dtype
    weight = used.astype(precision)
    homogeneous = np.concatenate([source, np.ones((*source.shape[:2], 1), precision)], axis=2) * weight[..., None]
    wanted = target * weight[..., None]
    # Few pairs say little about shear: the ridge pulls towards no deformation at all.
    ridge = np.diag([RIDGE, RIDGE, RIDGE, 1e-9]).astype(precision) * 50
    pull = ridge @ np.eye(4, 3, dtype=precision)
    affine = np.zeros((len(source), 4, 3), precision)
    middle = np.zeros(len(source), precision)
    for number in range(rounds):
        weighted = homogeneous * weight[..., None] if number else homogeneous
        flat = weighted.transpose(0, 2, 1)  # r 4 i
        affine = np.linalg.solve(flat @ homogeneous + ridge, flat @ wanted + pull)
        left = wanted - homogeneous @ affine
        length = np.sqrt(np.einsum("rik,rik->ri", left, left))
        middle = _median(length, used)
        weight = 1 / (1 + (length / (2 * middle[:, None] + 2e-6)) ** 2)
    return affine, np.where(used.any(axis=1), middle, np.inf)


def fit_warps(
    source: Float[np.ndarray, "r i 3"],
    target: Float[np.ndarray, "i 3"],
    used: Bool[np.ndarray, "r i"],
    affine: Float[np.ndarray, "r 4 3"],
    *,
    length: float = LENGTH,
    bumps: Bumps | None = None,
) -> Warps:
    """Gaussian processes on what the affine maps leave of the used pairs.

    ``bumps`` may have been laid before, over sources that are used again and again.
    """
    bumps = bumps or lay_bumps(source[used], length, SPREAD)
    features = bumps.describe(source)
    seen = features * used[..., None]
    residual = np.where(used[..., None], target - _move(affine, source), 0.0).astype(source.dtype)
    across = seen.transpose(0, 2, 1)  # r m i
    root = invert_roots(across @ seen + NOISE**2 * np.eye(len(bumps.nodes), dtype=features.dtype))
    slope = root @ (root.transpose(0, 2, 1) @ (across @ residual))
    return Warps(source, used, affine, residual, bumps, features, root, slope)


def carry_points(warps: Warps, points: Float[np.ndarray, "r k 3"]) -> Float[np.ndarray, "r k 3"]:
    """Where points of the references lie in the volume."""
    return np.asarray(_move(warps.affine, points) + warps.bumps.describe(points) @ warps.slope)


def predict_points(
    warps: Warps, points: Float[np.ndarray, "r k 3"]
) -> tuple[Float[np.ndarray, "r k 3"], Float[np.ndarray, "r k"]]:
    """Where points of the references lie in the volume, and the variance of each coordinate."""
    features = warps.bumps.describe(points)
    mean = _move(warps.affine, points) + features @ warps.slope
    return mean, NOISE**2 * (1 + _measure_leverage(warps, features)) + _measure_unexplained(features)


def predict_sources(warps: Warps) -> tuple[Float[np.ndarray, "r i 3"], Float[np.ndarray, "r i"]]:
    """Where the sources lie in the volume and the variance, a used one as if it were not known (leave-one-out)."""
    field, leverage = warps.features @ warps.slope, _measure_leverage(warps, warps.features)
    free = np.maximum(1 - leverage, 1e-3)
    left_out = warps.residual - (warps.residual - field) / free[..., None]
    mean = _move(warps.affine, warps.source) + np.where(warps.used[..., None], left_out, field)
    spread = NOISE**2 * np.where(warps.used, 1 / free, 1 + leverage)
    return mean, spread + _measure_unexplained(warps.features)


def _move(affine: Float[np.ndarray, "r 4 3"], points: Float[np.ndarray, "r k 3"]) -> Float[np.ndarray, "r k 3"]:
    return np.asarray(points @ affine[:, :3] + affine[:, 3:])


def _measure_leverage(warps: Warps, features: Float[np.ndarray, "r k m"]) -> Float[np.ndarray, "r k"]:
    """Variance of the field at points with these features, in units of the noise."""
    seen = features @ warps.root
    return np.asarray(np.einsum("rkm,rkm->rk", seen, seen))


def _measure_unexplained(features: Float[np.ndarray, "r k m"]) -> Float[np.ndarray, "r k"]:
    """Variance that no bump accounts for: all of it far away from every neuron."""
    return np.asarray(np.maximum(SPREAD**2 - np.einsum("rkm,rkm->rk", features, features), 0.0))


def _median(values: Float[np.ndarray, "r i"], used: Bool[np.ndarray, "r i"]) -> Float[np.ndarray, " r"]:
    """Median of the used values of each row, 0 where there are none."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    middle = ordered[np.arange(len(values)), np.maximum(used.sum(axis=1) - 1, 0) // 2]
    return np.where(np.isfinite(middle), middle, 0.0)
