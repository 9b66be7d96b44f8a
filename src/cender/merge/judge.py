"""Whether what a centre has gathered is a neuron: judged by its depth, its regions and its surroundings together."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.spatial import cKDTree

from cender.merge.depth import DepthBounds
from cender.merge.split import measure_sides
from cender.types import Neurons, VoxelSize

# Log-odds that a neuron is real: weights of the columns of `describe_neurons`, fitted by `python -m
# cender.training.shipped.judge` to what the shipped weights find in simulated animals, usual ones and others.
NEURON_WEIGHTS = np.array([-3.29, 0.46, -0.76, -0.03, 0.69, 3.16, -0.11, -0.2, -0.63, -0.15])

_STEP_UM, _SPACING_UM, _WIDTH_UM = 1.5, 3.0, 2.5
"""Usual distance between frames and between neurons, and width of a nucleus, which columns are relative to."""
# Scores are trusted to one in a thousand.
_SUREST = 1e-3


def describe_neurons(
    neurons: Neurons, seen_whole: Bool[np.ndarray, " m"], depth: DepthBounds, voxel_um: VoxelSize
) -> Float[np.ndarray, "m 10"]:
    """What tells neurons from mistakes, one row per neuron.

    Columns: 1; log-odds of its score, where the detector saw a whole neuron; that it did not; log-odds of its best
    region, and their mean; logarithm of its depth (1.5 µm is 0); that it has a single frame; logarithm of the distance
    to the next neuron (3 µm is 0), between -1 and 1; its width beyond 2.5 µm; how well its depth suits its width.

    Parameters
    ----------
    seen_whole
        Which neurons come from a 3D centre; the others are chains of regions.
    """
    count, regions = len(neurons), neurons.regions
    frames = np.bincount(regions.neuron, minlength=count)
    sure = _to_odds(regions.score)
    best = np.full(count, -np.inf)
    np.maximum.at(best, regions.neuron, sure)
    width_um = np.bincount(regions.neuron, measure_sides(regions), count) / frames
    width_um *= np.sqrt(voxel_um.y_um * voxel_um.x_um)
    deep_um = frames * voxel_um.z_um
    apart = _measure_spacing(neurons.centre_px * np.array(voxel_um))
    return np.column_stack(
        [
            np.ones(count),
            np.where(seen_whole, _to_odds(neurons.score), 0.0),
            ~seen_whole,
            best,
            np.bincount(regions.neuron, sure, count) / frames,
            np.log(deep_um / _STEP_UM),
            frames == 1,
            np.clip(np.log(apart / _SPACING_UM), -1, 1),
            width_um - _WIDTH_UM,
            np.maximum(depth.rate(deep_um, width_um), -6),
        ]
    ).astype(float)


def keep_likely(neurons: Neurons, odds: Float[np.ndarray, " m"], least: float = 0.5) -> Neurons:
    """The neurons that are real with a chance of at least ``least``; that chance is their new score."""
    chance = (1 + np.tanh(odds / 2)) / 2
    return replace(neurons, score=chance).select(chance >= least)


def _to_odds(score: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    safe = np.clip(score, _SUREST, 1 - _SUREST)
    return np.asarray(np.log(safe / (1 - safe)))


def _measure_spacing(centre_um: Float[np.ndarray, "m 3"]) -> Float[np.ndarray, " m"]:
    """Distance of every neuron to the next one; far where there is none."""
    if len(centre_um) < 2:
        return np.full(len(centre_um), np.inf)
    distance, _ = cKDTree(centre_um).query(centre_um, k=2)
    return np.asarray(np.maximum(distance[:, 1], 1e-3))
