"""Postures of volumes, from where their neurons lie: recordings and bare points have them alike."""

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.annotate.candidates import SeenNeurons

OFTEN_SHARE, SURE_PROBABILITY = 0.3, 0.5
"""Share of the volumes in which an identity is seen, and its probability there, for it to tell of the posture."""
FEWEST = 6
"""Identities that a volume needs to be registered."""
COMPONENTS = 12
"""Principal components that describe a posture."""
ROUNDS = 3
"""Times that volumes are registered to their mean, and that gaps are filled in."""


def describe_postures(neurons: SeenNeurons, volumes: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n p"]:
    """Posture of each of these volumes (ascending), in micrometres: volumes that lie alike have nearby vectors.

    The neurons of all volumes are registered to their mean shape by rotation and shift, over the identities that they
    share; a posture is what is left, as its first principal components, scaled so that a distance is the root mean
    square over neurons. Where hardly anything has an identity the extent of the cloud along its own axes takes the
    place of that. A volume that cannot be registered has the mean posture.
    """
    place = _gather(neurons, volumes)
    if place.shape[1] < FEWEST or not len(volumes):
        return _measure_extent(neurons, volumes)
    return _measure(place)


def describe_known_postures(neurons: SeenNeurons, volumes: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n p"]:
    """The same, but NaN for volumes whose posture is not known because too few identities tell of it."""
    place = _gather(neurons, volumes)
    known = (~np.isnan(place[:, :, 0])).sum(axis=1) >= FEWEST
    return np.where(known[:, None], _measure(place), np.nan) if known.any() else np.full((len(volumes), 1), np.nan)


def _measure(place: Float[np.ndarray, "n i 3"]) -> Float[np.ndarray, "n p"]:
    there = ~np.isnan(place[:, :, 0])
    return _reduce(_register(np.nan_to_num(place), there), there)


def _gather(neurons: SeenNeurons, volumes: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n i 3"]:
    """Place of every identity that is seen often; NaN where it is not."""
    spans = np.searchsorted(neurons.volume, volumes), np.searchsorted(neurons.volume, volumes, side="right")
    rows = np.concatenate([np.arange(*span) for span in zip(*spans, strict=True)] or [np.zeros(0, int)])
    sure = neurons.human[rows] | (np.nan_to_num(neurons.probability[rows]) >= SURE_PROBABILITY)
    used = rows[(neurons.identity[rows] >= 0) & sure]
    identity, column = np.unique(neurons.identity[used], return_inverse=True)
    place = np.full((len(volumes), len(identity), 3), np.nan)
    place[np.searchsorted(volumes, neurons.volume[used]), column] = neurons.centre_um[used]
    often = (~np.isnan(place[:, :, 0])).sum(axis=0) >= OFTEN_SHARE * len(volumes)
    return place[:, often]


def _register(place: Float[np.ndarray, "n i 3"], there: Bool[np.ndarray, "n i"]) -> Float[np.ndarray, "n i 3"]:
    """Places after each volume was turned and shifted onto the mean of all, minus that mean; 0 where there is none."""
    mean = place[int(there.sum(axis=1).argmax())]
    known = there[int(there.sum(axis=1).argmax())]
    moved = place
    for _ in range(ROUNDS):
        both = (there & known)[..., None]
        count = np.maximum(both.sum(axis=1, keepdims=True), 1)
        middle = (place * both).sum(axis=1, keepdims=True) / count
        target = (mean * both).sum(axis=1, keepdims=True) / count
        left, _, right = np.linalg.svd(np.einsum("nia,nib->nab", (place - middle) * both, (mean - target) * both))
        # A mirror image is no rotation.
        left[:, :, -1] *= np.where(np.linalg.det(left @ right) < 0, -1.0, 1.0)[:, None]
        moved = np.where(there[..., None], (place - middle) @ (left @ right) + target, 0.0)
        good = there & ((there & known).sum(axis=1) >= FEWEST)[:, None]
        known = good.any(axis=0)
        mean = (moved * good[..., None]).sum(axis=0) / np.maximum(good.sum(axis=0), 1)[:, None]
    fits = there & known & ((there & known).sum(axis=1) >= FEWEST)[:, None]
    return np.where(fits[..., None], moved - mean, 0.0)


def _reduce(rest: Float[np.ndarray, "n i 3"], there: Bool[np.ndarray, "n i"]) -> Float[np.ndarray, "n p"]:
    """Principal components; what is missing is filled by what the others say of it."""
    count = len(rest)
    flat = rest.reshape(count, -1) / np.sqrt(rest.shape[1])
    given = np.repeat(there, 3, axis=1) & (rest.reshape(count, -1) != 0)
    filled = flat
    components = min(COMPONENTS, count, flat.shape[1])
    for _ in range(ROUNDS):
        _, _, axes = np.linalg.svd(filled - filled.mean(axis=0), full_matrices=False)
        kept = axes[:components]
        guess = (filled - filled.mean(axis=0)) @ kept.T @ kept + filled.mean(axis=0)
        filled = np.where(given, flat, guess)
    return np.asarray((filled - filled.mean(axis=0)) @ kept.T)


def _measure_extent(neurons: SeenNeurons, volumes: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n 3"]:
    """Standard deviation of the cloud along its three own axes, the longest first."""
    first = np.searchsorted(neurons.volume, volumes)
    stop = np.searchsorted(neurons.volume, volumes, side="right")
    extent = np.full((len(volumes), 3), np.nan)
    for row, (start, end) in enumerate(zip(first.tolist(), stop.tolist(), strict=True)):
        if end - start >= FEWEST:
            cloud = neurons.centre_um[start:end]
            extent[row] = np.linalg.svd(cloud - cloud.mean(axis=0), compute_uv=False) / np.sqrt(end - start)
    known = ~np.isnan(extent[:, 0])
    return np.where(known[:, None], extent, extent[known].mean(axis=0) if known.any() else 0.0)
