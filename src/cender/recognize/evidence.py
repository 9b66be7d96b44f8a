"""What the image says of a neuron beside its place: how bright and how large it is among its fellows."""

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from cender.types import Annotation

COUNT = 2
"""Columns: brightness and size."""


def measure_evidence(annotation: Annotation) -> Float[np.ndarray, "m 2"]:
    """Brightness and size of every neuron as normal scores of their ranks in the volume; 0 where nothing is known.

    Ranks, because gain, bleaching and focus change all neurons of a volume alike.
    """
    regions, count = annotation.regions, len(annotation)
    evidence = np.zeros((count, COUNT))
    owned = (regions.neuron >= 0) & (regions.neuron < count)
    if count < 2 or not owned.any():
        return evidence
    neuron = regions.neuron[owned]
    area = regions.box_px[owned, 2] * regions.box_px[owned, 3]
    intensity = regions.intensity[owned]
    known = np.isfinite(intensity)
    if known.any():
        # The brightest frame: the mean over all frames would depend on where the neuron ends.
        brightest = np.full(count, -np.inf)
        np.maximum.at(brightest, neuron[known], intensity[known])
        evidence[:, 0] = _score_ranks(brightest)
    # The volume of the boxes, which is steadier than the largest of them.
    evidence[:, 1] = _score_ranks(np.bincount(neuron, weights=area, minlength=count))
    return evidence


def _score_ranks(values: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Normal scores of the ranks; 0 for a neuron without a value."""
    there = np.isfinite(values) & (values > 0)
    scores = np.zeros(len(values))
    count = int(there.sum())
    if count > 1:
        ranks = np.argsort(np.argsort(values[there], kind="stable"), kind="stable")
        scores[there] = ndtri((ranks + 0.5) / count)
    return scores
