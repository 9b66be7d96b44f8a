"""Learns from annotated regions which links join two neurons."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize

from cender.merge.depth import VOXEL_UM, DepthBounds
from cender.merge.link import link_drifting
from cender.merge.split import describe_links
from cender.types import Regions, VoxelSize

# Detectors place boxes less well than people: links are also learnt from boxes moved and resized by these sd.
MOVE_PX = 0.7
RESIZE = 0.12


def learn_link_weights(
    volumes: Iterable[Regions],
    depth: DepthBounds,
    rng: np.random.Generator,
    voxel_um: VoxelSize = VOXEL_UM,
    jitters: tuple[float, ...] = (0.0, 0.5, 1.0, 1.5),
) -> Float[np.ndarray, " 10"]:
    """Weights of the columns of `describe_links` in the log-odds that a link joins two neurons (logistic regression).

    Parameters
    ----------
    volumes
        True regions with their neurons and measured intensities.
    jitters
        Each volume is used once for every entry, its boxes moved and resized by so many times the usual error.
    """
    tables, wrong = [], []
    for regions in volumes:
        for jitter in jitters:
            moved = move_boxes(regions, jitter, rng)
            link, drift = link_drifting(moved)
            upper = np.flatnonzero(link >= 0)
            tables.append(describe_links(moved, link, drift, depth, voxel_um))
            wrong.append(moved.neuron[upper] != moved.neuron[link[upper]])
    return fit_odds(np.concatenate(tables), np.concatenate(wrong))


def move_boxes(regions: Regions, jitter: float, rng: np.random.Generator) -> Regions:
    """The same regions, found less well."""
    box = regions.box_px
    middle = box[:, :2] + box[:, 2:] / 2 + rng.normal(0, MOVE_PX * jitter, (len(box), 2))
    size = box[:, 2:] * np.exp(rng.normal(0, RESIZE * jitter, (len(box), 2)))
    return replace(regions, box_px=np.concatenate([middle - size / 2, size], axis=1))


def fit_odds(
    table: Float[np.ndarray, "n k"],
    truth: Bool[np.ndarray, " n"],
    penalty: float = 1.0,
    prior: Float[np.ndarray, " k"] | None = None,
) -> Float[np.ndarray, " k"]:
    """Weights of a logistic regression whose first column is constant and not penalised.

    The others are penalised for their distance from ``prior``, which is zero where it is not given.
    """
    start = np.zeros(table.shape[1]) if prior is None else prior

    def cost(weights: Float[np.ndarray, " k"]) -> tuple[float, Float[np.ndarray, " k"]]:
        odds = table @ weights
        slopes = np.concatenate([[0.0], weights[1:] - start[1:]])
        total = float((np.logaddexp(0, odds) - truth * odds).sum() + penalty * (slopes**2).sum())
        # tanh is the logistic function without its overflow.
        return total, table.T @ ((1 + np.tanh(odds / 2)) / 2 - truth) + 2 * penalty * slopes

    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000})
    return np.asarray(found.x)
