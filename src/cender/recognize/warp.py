"""Smooth warps between two sights of the same neurons: an affine map and a Gaussian process for what it leaves."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

LENGTH = 0.3
SPREAD = 0.05
NOISE = 0.022
RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Warps:
    """Maps from several references into one volume, fitted to the neurons that both have.

    ``error`` is the robust residual of the affine part, by which references are compared.
    """

    source: Float[np.ndarray, "r i 3"]
    used: Bool[np.ndarray, "r i"]
    affine: Float[np.ndarray, "r 4 3"]
    inverse: Float[np.ndarray, "r i i"]
    residual: Float[np.ndarray, "r i 3"]
    error: Float[np.ndarray, " r"]


def fit_affine(
    source: Float[np.ndarray, "r i 3"],
    target: Float[np.ndarray, "r i 3"],
    used: Bool[np.ndarray, "r i"],
    rounds: int = 3,
) -> tuple[Float[np.ndarray, "r 4 3"], Float[np.ndarray, " r"]]:
    """Robust affine maps of the used pairs, and the median length of what they leave (infinite without pairs)."""
    homogeneous = np.concatenate([source, np.ones((*source.shape[:2], 1))], axis=2)
    homogeneous = np.where(used[..., None], homogeneous, 0.0)
    wanted = np.where(used[..., None], target, 0.0)
    weight = used.astype(float)
    # Few pairs say little about shear: the ridge pulls towards no deformation at all.
    prior = np.concatenate([np.eye(3), np.zeros((1, 3))])
    ridge = np.diag([RIDGE, RIDGE, RIDGE, 1e-9]) * 50
    affine = np.zeros((len(source), 4, 3))
    left = np.zeros(used.shape)
    for _ in range(rounds):
        weighted = homogeneous * weight[..., None]
        normal = weighted.transpose(0, 2, 1) @ homogeneous + ridge
        affine = np.linalg.solve(normal, weighted.transpose(0, 2, 1) @ wanted + ridge @ prior)
        left = np.linalg.norm(wanted - homogeneous @ affine, axis=2)
        scale = _median(left, used)[:, None] + 1e-6
        weight = used / (1 + (left / (2 * scale)) ** 2)
    return affine, np.where(used.any(axis=1), _median(left, used), np.inf)


def fit_warps(
    source: Float[np.ndarray, "r i 3"],
    target: Float[np.ndarray, "i 3"],
    used: Bool[np.ndarray, "r i"],
    affine: Float[np.ndarray, "r 4 3"],
    error: Float[np.ndarray, " r"],
    *,
    length: float = LENGTH,
    noise: float = NOISE,
) -> Warps:
    """Gaussian processes on what the affine maps leave of the used pairs."""
    filled = np.where(used[..., None], source, 0.0)
    kernel = _measure_kernel(filled, filled, length)
    both = used[:, :, None] & used[:, None, :]
    # An unused row becomes one of the unit matrix: it changes nothing and the stack keeps one shape.
    kernel = np.where(both, kernel, 0.0)
    diagonal = np.arange(source.shape[1])
    kernel[:, diagonal, diagonal] = np.where(used, SPREAD**2 + noise**2, 1.0)
    moved = filled @ affine[:, :3] + affine[:, 3:]
    residual = np.where(used[..., None], target - moved, 0.0)
    return Warps(filled, used, affine, np.linalg.inv(kernel), residual, error)


def predict_points(
    warps: Warps, points: Float[np.ndarray, "r k 3"], *, length: float = LENGTH, noise: float = NOISE
) -> tuple[Float[np.ndarray, "r k 3"], Float[np.ndarray, "r k"]]:
    """Where points of the references lie in the volume, and the variance of each coordinate."""
    kernel = np.where(warps.used[:, None, :], _measure_kernel(points, warps.source, length), 0.0)
    gain = kernel @ warps.inverse
    mean = points @ warps.affine[:, :3] + warps.affine[:, 3:] + gain @ warps.residual
    variance = SPREAD**2 - np.sum(gain * kernel, axis=2) + noise**2
    return mean, np.maximum(variance, noise**2)


def predict_held_out(
    warps: Warps, *, noise: float = NOISE
) -> tuple[Float[np.ndarray, "r i 3"], Float[np.ndarray, "r i"]]:
    """Where each used pair would lie were it not known (leave-one-out), and the variance; nonsense elsewhere."""
    own = np.diagonal(warps.inverse, axis1=1, axis2=2)
    moved = warps.source @ warps.affine[:, :3] + warps.affine[:, 3:]
    mean = moved + warps.residual - (warps.inverse @ warps.residual) / own[..., None]
    return mean, np.maximum(1 / own, noise**2)


def _measure_kernel(
    a: Float[np.ndarray, "r k 3"], b: Float[np.ndarray, "r i 3"], length: float
) -> Float[np.ndarray, "r k i"]:
    square = (a**2).sum(2)[:, :, None] + (b**2).sum(2)[:, None, :] - 2 * a @ b.transpose(0, 2, 1)
    kernel: np.ndarray = SPREAD**2 * np.exp(np.maximum(square, 0.0) / (-2 * length**2))
    return kernel


def _median(values: Float[np.ndarray, "r i"], used: Bool[np.ndarray, "r i"]) -> Float[np.ndarray, " r"]:
    """Median of the used values of each row, 0 where there are none."""
    ordered = np.sort(np.where(used, values, np.inf), axis=1)
    middle = ordered[np.arange(len(values)), np.maximum(used.sum(axis=1) - 1, 0) // 2]
    return np.where(np.isfinite(middle), middle, 0.0)
