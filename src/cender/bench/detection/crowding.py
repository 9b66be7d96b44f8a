"""How many of the neurons are found that lie closest to another one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.spatial import cKDTree

from cender.evaluate.match import match_neurons
from cender.types import Annotation, VoxelSize

QUARTERS = 4
"""Groups of equally many neurons, by distance to the nearest neighbour."""
BLENDED_WIDTHS = 0.6
"""Distance within a frame, in widths of the wider box, below which two neurons make a single blob."""


def measure_crowding(truths: Mapping[int, Annotation], found: Mapping[int, Annotation]) -> list[dict[str, Any]]:
    """Recall (3D, by boxes) of the true neurons by quarters of the distance to their nearest true neighbour."""
    distances, hits = [np.zeros(0)], [np.zeros(0, bool)]
    for number, truth in truths.items():
        if len(truth) > 1:
            distances.append(measure_nearest_um(truth.centre_um))
            hits.append(match_neurons(truth, found[number]).partner_of_truth >= 0)
    distance, hit = np.concatenate(distances), np.concatenate(hits)
    order = np.argsort(distance, kind="stable")
    parts = [part for part in np.array_split(order, QUARTERS) if len(part)]
    return [
        {
            "from_um": float(distance[part[0]]),
            "to_um": float(distance[part[-1]]),
            "recall": float(hit[part].mean()),
        }
        for part in parts
    ]


def measure_nearest_um(centre_um: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, " n"]:
    """Distance of every one of at least two places to the nearest other."""
    return np.asarray(cKDTree(centre_um).query(centre_um, k=2)[0][:, 1])


def measure_blended(truth: Annotation, voxel_um: VoxelSize) -> float:
    """Share of the neurons that no image shows apart: within a frame and 0.6 widths of another one."""
    if len(truth) < 2:
        return 0.0
    width = np.zeros(len(truth))
    np.maximum.at(width, truth.regions.neuron, np.sqrt(np.prod(truth.regions.box_px[:, 2:], axis=1)))
    place = truth.centre_um / np.array(voxel_um)
    deep, down, right = np.abs(place[:, None] - place[None]).transpose(2, 0, 1)
    close = (np.hypot(down, right) < BLENDED_WIDTHS * np.maximum(width[:, None], width[None])) & (deep < 1)
    np.fill_diagonal(close, False)
    return float(close.any(axis=1).mean())
