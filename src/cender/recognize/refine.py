"""Identities made sure by geometry: where should each neuron lie, given where all the others were found?"""

import numpy as np
from jaxtyping import Bool, Float, Float32

from cender.recognize.assign import assign_classes
from cender.recognize.bumps import Bumps
from cender.recognize.references import References
from cender.recognize.warp import Warps, fit_affine, fit_warps, predict_points, predict_sources

SURE_PROBABILITY = 0.5
"""Probability above which a neuron helps to lay references over the volume."""
NEAREST = (4, 6)
"""References that are warped onto the volume: in the first round, which finds more sure ones, and in the second."""
WEIGHT = 1.5
"""How much geometry counts beside the network."""
FLOOR = 3e-2
"""Density of a neuron being anywhere, relative to the density at the expected place."""
FEWEST = 6
"""Sure neurons that a reference must share before it is warped."""
LIKELY = 16
"""References that are compared closely: those that fit best at a first look."""
LEAST = 0.022**2
"""Smallest variance of an expected place, in squared units of the frame (`frame.UNIT_UM`)."""


def refine_scores(
    position: Float[np.ndarray, "n 3"],
    score: Float[np.ndarray, "n k"],
    references: References,
) -> Float[np.ndarray, "n k"]:
    """Log-probabilities of every identity (last column: none) after comparing with the best-fitting references.

    Returns the scores as they are where too few neurons are sure to fit a warp at all.
    """
    refined, likely, bumps = score, references, None
    for number, nearest in enumerate(NEAREST):
        place = _place_seeds(position, refined)
        used = _find_pairs(place, likely)
        if not len(likely) or used.sum(axis=1).max(initial=0) < FEWEST:
            return refined
        if number == 0:
            likely, used = _choose_likely(place, used, likely)
        warps, chosen = _warp_nearest(place, used, likely, nearest, bumps)
        bumps = warps.bumps
        refined = _normalise(score + WEIGHT * _measure_density(position, warps, chosen))
    return refined


def _find_pairs(place: Float[np.ndarray, "i 3"], references: References) -> Bool[np.ndarray, "r i"]:
    """Which identities both a reference and the volume have."""
    return np.asarray(~np.isnan(references.position[:, :, 0]) & ~np.isnan(place[None, :, 0]))


def _choose_likely(
    place: Float[np.ndarray, "i 3"], used: Bool[np.ndarray, "r i"], references: References
) -> tuple[References, Bool[np.ndarray, "r i"]]:
    """The references among which the nearest will be, by a quick look at all of them."""
    source, target = _fill(references, place)
    merit = _measure_merit(fit_affine(source, target, used, rounds=1)[1], used)
    best = np.sort(np.argsort(merit, kind="stable")[:LIKELY])
    return references.select(best), used[best]


def _measure_merit(error: Float[np.ndarray, " r"], used: Bool[np.ndarray, "r i"]) -> Float[np.ndarray, " r"]:
    """Misfit of the references; infinite for one that shares few neurons, fits them easily and says little."""
    shared = used.sum(axis=1)
    return np.where(shared < 0.5 * shared.max(), np.inf, error)


def _fill(
    references: References, place: Float[np.ndarray, "i 3"]
) -> tuple[Float32[np.ndarray, "r i 3"], Float32[np.ndarray, "r i 3"]]:
    """Places in the references and in the volume (0 where unknown), in single precision, which is twice as fast."""
    source = np.nan_to_num(references.position).astype(np.float32)
    target = np.nan_to_num(place).astype(np.float32)
    return source, np.broadcast_to(target, source.shape)


def _place_seeds(position: Float[np.ndarray, "n 3"], score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "i 3"]:
    """Where the identities that are sure lie; NaN for the others."""
    classes = assign_classes(score)
    place = np.full((score.shape[1] - 1, 3), np.nan)
    rows = np.flatnonzero(classes >= 0)
    sure = rows[score[rows, classes[rows]] > np.log(SURE_PROBABILITY)]
    place[classes[sure]] = position[sure]
    return place


def _warp_nearest(
    place: Float[np.ndarray, "i 3"],
    used: Bool[np.ndarray, "r i"],
    references: References,
    nearest: int,
    bumps: Bumps | None,
) -> tuple[Warps, References]:
    """Warps of the references that fit best onto the volume, and these references."""
    source, target = _fill(references, place)
    affine, error = fit_affine(source, target, used)
    merit = _measure_merit(error, used)
    best = np.argsort(merit, kind="stable")[: min(nearest, int(np.isfinite(merit).sum()))]
    warps = fit_warps(source[best], target[0], used[best], affine[best], bumps=bumps)
    return warps, references.select(best)


def _measure_density(
    position: Float[np.ndarray, "n 3"], warps: Warps, references: References
) -> Float[np.ndarray, "n k"]:
    """Logarithm of the density of every identity, and of none, at every point; heavy-tailed, mean over references."""
    here, seen = position.astype(np.float32), ~np.isnan(references.position[:, :, 0])
    fits = _compare(here, *predict_sources(warps), seen)
    known = fits.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    other = references.other.astype(np.float32)
    others = _compare(here, *predict_points(warps, np.nan_to_num(other)), ~np.isnan(other[:, :, 0]))
    # Any of the neurons without an identity may be the one at this point, in any reference.
    none = others.max(axis=2, initial=0.0).mean(axis=0)
    return np.log(np.concatenate([known, none[:, None]], axis=1).astype(float) + FLOOR)


def _compare(
    position: Float[np.ndarray, "n 3"],
    mean: Float[np.ndarray, "r i 3"],
    variance: Float[np.ndarray, "r i"],
    seen: Bool[np.ndarray, "r i"],
) -> Float[np.ndarray, "r n i"]:
    """Density at each point relative to a neuron that lies exactly where it should with the least variance."""
    density: np.ndarray = position @ mean.transpose(0, 2, 1)
    density -= 0.5 * (position**2).sum(1)[None, :, None]
    density -= 0.5 * (mean**2).sum(2)[:, None, :]
    density /= variance[:, None, :]
    np.exp(density, out=density)
    density *= (seen * (LEAST / variance) ** 1.5)[:, None, :]
    return density


def _normalise(score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    top = score.max(axis=1, keepdims=True)
    return np.asarray(score - top - np.log(np.exp(score - top).sum(axis=1, keepdims=True)))
