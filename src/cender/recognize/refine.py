"""Names made sure by geometry: where should each neuron lie, given where all the others were found?"""

import numpy as np
from jaxtyping import Bool, Float

from cender.recognize.assign import assign_names
from cender.recognize.references import References
from cender.recognize.warp import Warps, fit_affine, fit_warps, predict_held_out, predict_points

SURE = 0.5
NEAREST = 8
WEIGHT = 1.5
FLOOR = 3e-2
"""Density of a neuron being anywhere, relative to the density at the expected place."""
FEWEST = 6


def refine_scores(
    position: Float[np.ndarray, "n 3"],
    score: Float[np.ndarray, "n k"],
    references: References,
    rounds: int = 2,
) -> Float[np.ndarray, "n k"]:
    """Log-probabilities of every identity (last column: none) after comparing with the best-fitting references.

    Returns the scores as they are where too few neurons are sure to fit a warp at all.
    """
    refined = score
    for _ in range(rounds):
        place = _place_seeds(position, refined)
        used = ~np.isnan(references.position[:, :, 0]) & ~np.isnan(place[None, :, 0])
        if not len(references) or used.sum(axis=1).max(initial=0) < FEWEST:
            return refined
        refined = _normalise(score + WEIGHT * _measure_density(position, place, used, references))
    return refined


def _place_seeds(position: Float[np.ndarray, "n 3"], score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "i 3"]:
    """Where the surely named identities lie; NaN for the others."""
    names = assign_names(score)
    place = np.full((score.shape[1] - 1, 3), np.nan)
    rows = np.flatnonzero(names >= 0)
    sure = rows[score[rows, names[rows]] > np.log(SURE)]
    place[names[sure]] = position[sure]
    return place


def _measure_density(
    position: Float[np.ndarray, "n 3"],
    place: Float[np.ndarray, "i 3"],
    used: Bool[np.ndarray, "r i"],
    references: References,
) -> Float[np.ndarray, "n k"]:
    """Logarithm of the density of every identity, and of none, at every point; heavy-tailed, mean over references."""
    source = np.where(used[..., None], references.position, 0.0)
    target = np.broadcast_to(np.where(np.isnan(place), 0.0, place), source.shape)
    affine, error = fit_affine(source, target, used)
    # A reference that shares few neurons fits them easily and says little of the rest.
    merit = error + np.where(used.sum(axis=1) < 0.5 * used.sum(axis=1).max(), np.inf, 0.0)
    best = np.argsort(merit, kind="stable")[: min(NEAREST, int(np.isfinite(merit).sum()))]
    warps = fit_warps(source[best], target[0], used[best], affine[best], error[best])
    names = _compare(position, *_predict_identities(warps, references.position[best]))
    there = np.isfinite(references.other[best]).all(axis=2)
    mean, variance = predict_points(warps, np.nan_to_num(references.other[best]))
    others = _compare(position, np.where(there[..., None], mean, np.nan), variance)
    # Any of the unnamed neurons may be the one at this point, in any reference.
    none = others.max(axis=2, initial=0.0).mean(axis=0)
    seen = ~np.isnan(references.position[best, :, 0])
    count = np.maximum(seen.sum(axis=0), 1)
    named = names.sum(axis=0) / count
    return np.log(np.concatenate([named, none[:, None]], axis=1) + FLOOR)


def _predict_identities(
    warps: Warps, position: Float[np.ndarray, "r i 3"]
) -> tuple[Float[np.ndarray, "r i 3"], Float[np.ndarray, "r i"]]:
    """Expected place and variance of every identity; a seed is judged by all the others."""
    mean, variance = predict_points(warps, np.nan_to_num(position))
    held_mean, held_variance = predict_held_out(warps)
    mean = np.where(warps.used[..., None], held_mean, mean)
    mean = np.where(np.isnan(position), np.nan, mean)
    return mean, np.where(warps.used, held_variance, variance)


def _compare(
    position: Float[np.ndarray, "n 3"], mean: Float[np.ndarray, "r i 3"], variance: Float[np.ndarray, "r i"]
) -> Float[np.ndarray, "r n i"]:
    """Density at each point relative to a neuron that lies exactly where it should with the least variance; 0 = NaN."""
    here, there = position, np.nan_to_num(mean, nan=1e3)
    square = (here**2).sum(1)[None, :, None] + (there**2).sum(2)[:, None, :] - 2 * here @ there.transpose(0, 2, 1)
    least = 0.022**2
    density: np.ndarray = (least / variance[:, None, :]) ** 1.5 * np.exp(-0.5 * square / variance[:, None, :])
    return density


def _normalise(score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    top = score.max(axis=1, keepdims=True)
    return np.asarray(score - top - np.log(np.exp(score - top).sum(axis=1, keepdims=True)))
