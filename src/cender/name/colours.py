"""NeuroPAL colours of one animal as features that can be compared between animals and microscopes."""

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

CHANNELS = 4
"""Channels that features know: the three landmark colours and the pan-neuronal one, in this order."""
RATIOS = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
"""Pairs of channels whose ratios describe a colour."""
FEATURES = 2 * CHANNELS + len(RATIOS) + 2
"""Features per neuron: normal scores, compressed values, ratios, and two flags (colour, fourth channel)."""
FEWEST = 8
"""Neurons below which ranks within an animal say nothing."""


def describe_colours(colour: Float[np.ndarray, "n c"]) -> Float[np.ndarray, "n f"]:
    """Features of each neuron's colour relative to its own animal; zeros where a channel is missing.

    Ranks make animals comparable whatever gain, offset and exposure a microscope had; the compressed values keep how
    far apart two ranks are.
    """
    count = len(colour)
    features = np.zeros((count, FEATURES))
    given = np.full((count, CHANNELS), np.nan)
    width = min(CHANNELS, colour.shape[1])
    given[:, :width] = colour[:, :width]
    known = (np.isfinite(given).sum(0) >= FEWEST) & (np.nanmax(np.where(np.isfinite(given), given, -np.inf), 0) > 0)
    if not known[:3].any():
        return features
    level = np.log(np.clip(given - _floor(given), 0, None) + _spread(given))
    for channel in np.flatnonzero(known):
        features[:, channel] = _score_ranks(given[:, channel])
        features[:, CHANNELS + channel] = _compress(level[:, channel])
    for place, (first, second) in enumerate(RATIOS):
        if known[first] and known[second]:
            features[:, 2 * CHANNELS + place] = _score_ranks(level[:, first] - level[:, second])
    features[:, -2] = 1.0
    features[:, -1] = float(known[3])
    return features


def _floor(values: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " c"]:
    """A low value of each channel, taken as its background."""
    return np.array([np.percentile(one[np.isfinite(one)], 2) if np.isfinite(one).any() else 0.0 for one in values.T])


def _spread(values: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " c"]:
    """A tenth of the usual range of each channel, added before the logarithm so that dim neurons stay together."""
    return np.array(
        [
            0.1 * float(np.ptp(np.percentile(one[np.isfinite(one)], (5, 95)))) + 1e-6 if np.isfinite(one).any() else 1.0
            for one in values.T
        ]
    )


def _score_ranks(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Normal scores of the ranks; zero where there is no value."""
    there = np.isfinite(values)
    scores = np.zeros(len(values))
    order = np.argsort(np.argsort(values[there], kind="stable"), kind="stable")
    scores[there] = ndtri((order + 0.5) / max(1, int(there.sum())))
    return scores


def _compress(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Values around their median in units of their spread, bounded; zero where there is none."""
    there = np.isfinite(values)
    low, middle, high = np.percentile(values[there], (16, 50, 84))
    scaled = np.zeros(len(values))
    scaled[there] = np.clip((values[there] - middle) / max(0.5 * (high - low), 1e-6), -3, 3)
    return scaled
