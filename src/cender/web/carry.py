"""Identities of one volume carried to another: by neurons that both know, then by place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

NEAR_UM = 4.0
"""Distance up to which a neuron of one volume is taken for the nearest one of another."""
FEWEST_SEEDS = 5
"""Neurons with partners that a map between two volumes needs."""
_ROUNDS = 6
"""Rounds of matching and mapping, each with a smaller reach."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Names by neuron key, and where identities are expected that no neuron of the volume has (``z y x`` in µm)."""

    names: Mapping[str, int]
    expected_um: Mapping[int, tuple[float, float, float]]


def carry_identities(source: Sequence[Mapping[str, Any]], target: Sequence[Mapping[str, Any]]) -> Carried:
    """Identities of the neurons of ``source`` for those of ``target``, as the page describes neurons.

    An affine map is fitted to the neurons that have the same identity in both volumes (to the middles of both where
    they are few), then to pairs of neurons that it brings together, the surest first. What a person named in the target
    keeps its name.
    """
    known = [one for one in source if one["identity"] >= 0]
    if not known or not target:
        return Carried({}, {})
    from_um = np.array([one["centre_um"] for one in known], float)
    to_um = np.array([one["centre_um"] for one in target], float)
    moved = _align(known, target, from_um, to_um)
    names, free = _match(known, target, moved, to_um)
    taken = {one["identity"] for one in target} | set(names.values())
    expected = {
        int(known[row]["identity"]): (float(moved[row, 0]), float(moved[row, 1]), float(moved[row, 2]))
        for row in free
        if known[row]["identity"] not in taken
    }
    return Carried(names, expected)


def _align(
    known: Sequence[Mapping[str, Any]],
    target: Sequence[Mapping[str, Any]],
    from_um: Float[np.ndarray, "m 3"],
    to_um: Float[np.ndarray, "n 3"],
) -> Float[np.ndarray, "m 3"]:
    row_of = {one["identity"]: row for row, one in enumerate(target) if one["identity"] >= 0}
    seeds = [(a, row_of[one["identity"]]) for a, one in enumerate(known) if one["identity"] in row_of]
    if len(seeds) >= FEWEST_SEEDS:
        rows, columns = np.array(seeds).T
        moved = _fit(from_um, rows, to_um[columns])
    else:
        moved = from_um + to_um.mean(axis=0) - from_um.mean(axis=0)
    for reach in np.linspace(2.5 * NEAR_UM, NEAR_UM, _ROUNDS):
        distance = cdist(moved, to_um)
        rows, columns = linear_sum_assignment(np.minimum(distance, reach))
        near = distance[rows, columns] < reach
        if near.sum() < FEWEST_SEEDS:
            break
        moved = _fit(from_um, rows[near], to_um[columns[near]])
    return moved


def _fit(from_um: Float[np.ndarray, "m 3"], rows: np.ndarray, to_um: Float[np.ndarray, "k 3"]) -> np.ndarray:
    """All points under the affine map that fits the pairs, drawn towards a mere shift where there are few of them."""
    middle, there = from_um[rows].mean(axis=0), to_um.mean(axis=0)
    x, y = from_um[rows] - middle, to_um - there
    ridge = np.eye(3) * (x.var() + 1e-6) * 3
    slope = np.eye(3) + np.linalg.solve(x.T @ x + ridge, x.T @ (y - x))
    return np.asarray((from_um - middle) @ slope + there)


def _match(
    known: Sequence[Mapping[str, Any]], target: Sequence[Mapping[str, Any]], moved: np.ndarray, to_um: np.ndarray
) -> tuple[dict[str, int], list[int]]:
    """Names for neurons that no person named, and the rows of the source that found no neuron."""
    fixed = {one["identity"] for one in target if one["human"]}
    rows = [row for row, one in enumerate(known) if one["identity"] not in fixed]
    columns = [row for row, one in enumerate(target) if not one["human"]]
    if not rows or not columns:
        return {}, rows
    distance = cdist(moved[rows], to_um[columns])
    a, b = linear_sum_assignment(np.minimum(distance, NEAR_UM))
    pairs = [(rows[i], columns[j]) for i, j in zip(a, b, strict=True) if distance[i, j] < NEAR_UM]
    found = {row for row, _ in pairs}
    return {target[j]["key"]: int(known[i]["identity"]) for i, j in pairs}, [row for row in rows if row not in found]
