"""From regions with a label to neurons."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from cender.types import Neurons, Regions


def assemble_neurons(
    regions: Regions, label: Int[np.ndarray, " n"], centre_score: Float[np.ndarray, " k"] | None = None
) -> Neurons:
    """Neurons of the regions that share a label; regions with label -1 are left out.

    Neurons are in order of their centre (z, then y, x), regions in order of neuron and frame, whatever order the
    regions came in. The centre is the mean weighted by intensity, or by score where a region has no intensity.

    Parameters
    ----------
    centre_score
        Score of the neurons with label 0, 1 …; further ones get the best score of their regions.
    """
    owned = np.flatnonzero(label >= 0)
    if not len(owned):
        return Neurons.empty()
    regions = regions.select(owned)
    known, neuron = np.unique(label[owned], return_inverse=True)
    count = len(known)
    weight = weigh_regions(regions)
    total = np.bincount(neuron, weight, count)
    centre = np.stack([np.bincount(neuron, weight * axis, count) / total for axis in regions.centre_px.T], axis=1)
    first, last, score = np.full(count, np.iinfo(int).max), np.full(count, -1), np.zeros(count)
    np.minimum.at(first, neuron, regions.z)
    np.maximum.at(last, neuron, regions.z)
    np.maximum.at(score, neuron, regions.score)
    if centre_score is not None:
        given = known < len(centre_score)
        score[given] = centre_score[known[given]]
    order = np.lexsort((centre[:, 2], centre[:, 1], centre[:, 0]))
    rank = np.empty(count, int)
    rank[order] = np.arange(count)
    rows = np.lexsort((regions.z, rank[neuron]))
    regions = replace(regions, neuron=rank[neuron]).select(rows)
    return Neurons(centre[order], first[order], last[order], score[order], regions)


def weigh_regions(regions: Regions) -> Float[np.ndarray, " n"]:
    """Weight of each region in its neuron's centre: intensity, at least a little; score where any is not known."""
    value = regions.intensity if np.isfinite(regions.intensity).all() else regions.score
    top = float(value.max())
    return np.maximum(value / top, 0.01) if top > 0 else np.ones(len(regions))


def order_regions(regions: Regions) -> Int[np.ndarray, " n"]:
    """Rows in an order that depends only on what the regions are, not on how they were listed."""
    x, y, w, h = regions.box_px.T
    return np.lexsort((regions.intensity, regions.score, h, w, x, y, regions.z))
