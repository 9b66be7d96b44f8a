"""Names that neighbouring volumes agree on: a pass of its own, after every volume was named by itself."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree

from cender.recognize.frame import UNIT_UM
from cender.recognize.warp import fit_affine
from cender.types import Annotation, Identities

REACH = 2
"""Volumes before and after that have a say."""
NEAR_UM = 2.5
FEWEST = 8
OWN = 1.5
"""Weight of a volume's own name against that of one neighbour."""
SILENT = 0.25
"""Votes for "none of these", so that a single weak vote is not certainty."""


def link_names(volumes: Sequence[Annotation], known: Mapping[int, Identities]) -> dict[int, Identities]:
    """Identities after every volume has heard its neighbours: a swapped pair is put right, a refused neuron named.

    Parameters
    ----------
    volumes
        Volumes in order of time; a neighbour is at most two volumes away by number.
    known
        Identities of every volume by itself; volumes without stay without.
    """
    places = {one.volume: one.centre_um for one in volumes if one.volume in known}
    return {volume: _vote(volume, places, known) for volume in places}


def _vote(volume: int, places: Mapping[int, Float[np.ndarray, "_ 3"]], known: Mapping[int, Identities]) -> Identities:
    own, here = known[volume], places[volume]
    names = np.unique(np.concatenate([known[v].identity for v in _find_neighbours(volume, places)] + [own.identity]))
    names = names[names >= 0]
    if not len(names) or not len(here):
        return own
    votes = np.zeros((len(here), len(names)))
    _count(votes, np.arange(len(here)), own.identity, OWN * own.probability, names)
    for other in _find_neighbours(volume, places):
        rows, partners = _align(here, own, places[other], known[other])
        _count(votes, rows, known[other].identity[partners], known[other].probability[partners], names)
    row, column = linear_sum_assignment(-votes)
    given = votes[row, column] > 0
    identity, probability = np.full(len(here), -1), np.zeros(len(here))
    identity[row[given]] = names[column[given]]
    share = votes[row, column] / (votes[row].sum(axis=1) + SILENT)
    probability[row[given]] = share[given]
    # A name that stays keeps the probability that was calibrated for it.
    same = identity == own.identity
    return Identities(identity, np.where(same, own.probability, probability))


def _find_neighbours(volume: int, places: Mapping[int, Float[np.ndarray, "_ 3"]]) -> list[int]:
    return [volume + step for step in range(-REACH, REACH + 1) if step and volume + step in places]


def _align(
    here: Float[np.ndarray, "n 3"], own: Identities, there: Float[np.ndarray, "m 3"], other: Identities
) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """Neurons here and there that lie in the same place once the volumes are laid over each other by their names."""
    common, mine, theirs = np.intersect1d(own.identity, other.identity, return_indices=True)
    mine, theirs = mine[common >= 0], theirs[common >= 0]
    none = np.zeros(0, int)
    if len(mine) < FEWEST:
        return none, none
    used = np.ones((1, len(mine)), bool)
    affine, _ = fit_affine(there[theirs][None] / UNIT_UM, here[mine][None] / UNIT_UM, used)
    moved = (there / UNIT_UM @ affine[0, :3] + affine[0, 3]) * UNIT_UM
    distance, partner = cKDTree(moved).query(here)
    back = cKDTree(here).query(moved)[1]
    near = (distance < NEAR_UM) & (back[partner] == np.arange(len(here)))
    return np.flatnonzero(near), partner[near]


def _count(
    votes: Float[np.ndarray, "n i"],
    rows: Int[np.ndarray, " k"],
    identity: Int[np.ndarray, " k"],
    weight: Float[np.ndarray, " k"],
    names: Int[np.ndarray, " i"],
) -> None:
    """Add votes for names, in place."""
    heard = identity >= 0
    np.add.at(votes, (rows[heard], np.searchsorted(names, identity[heard])), weight[heard])
