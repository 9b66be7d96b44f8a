"""Neurons that a volume should show though none was found: other volumes say where they lie among the others.

Two neurons that touch in one volume lie apart in another, and a person who marks a neuron in one volume has shown where
to look for it in all of them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.types import Annotation, Identities

SURE_PROBABILITY = 0.5
"""Probability of an identity from which on its neuron says where others lie."""
FEWEST_VOLUMES = 3
"""Volumes that must show an identity before it is expected in others, unless a person gave it."""
SOURCES = 6
"""Volumes, the nearest in time, that say where a neuron lies."""
FEWEST_SHARED = 8
"""Neurons that two volumes must share."""
BESIDE = 2
"""Volumes before and after it that a neuron is expected from most."""
AROUND = 16
"""Nearest shared neurons by which a place is carried from one volume to another."""
REACH_UM = 8.0
"""Distance over which such a neighbour loses its weight."""
STIFFNESS_UM2 = 50.0
"""Resistance of the surroundings to deformation, beside the squared distances of the neighbours."""
SAME_UM = 1.0
"""Nearer than this to another neuron none is expected: it would be the same one."""
UNKNOWN_UM = 2.0
"""Nor so near to a neuron without identity, which is probably the one that is missing."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Neurons that one volume should show, one row each.

    ``centre_um`` is where, ``apart_um`` the distance to the nearest neuron that was found. ``beside`` is the share of
    the next volumes before and after that show this identity, ``probability`` its mean over all that do. ``source`` is
    the nearest of these volumes, ``row`` its neuron.
    """

    identity: Int[np.ndarray, " k"]
    centre_um: Float[np.ndarray, "k 3"]
    apart_um: Float[np.ndarray, " k"]
    beside: Float[np.ndarray, " k"]
    probability: Float[np.ndarray, " k"]
    source: Int[np.ndarray, " k"]
    row: Int[np.ndarray, " k"]

    def __len__(self) -> int:
        return len(self.identity)

    def select(self, kept: Bool[np.ndarray, " k"] | Int[np.ndarray, " n"]) -> "Expected":
        """Some of them."""
        return Expected(*(getattr(self, field.name)[kept] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class _Sights:
    """All identities of all volumes: the neuron that has each (-1 none), its place, and how probable it is."""

    volumes: Sequence[Annotation]
    row: Int[np.ndarray, "t i"]
    place_um: Float[np.ndarray, "t i 3"]
    probability: Float[np.ndarray, "t i"]


def expect_neurons(
    volumes: Sequence[Annotation],
    known: Mapping[int, Identities],
    wanted: Collection[int],
    given: Collection[int] = (),
    barred_um: Mapping[int, Float[np.ndarray, "_ 3"]] | None = None,
) -> dict[int, Expected]:
    """Neurons that are missing from the wanted volumes, by volume; volumes without any are left out.

    Parameters
    ----------
    volumes
        Volumes of a recording in order of time that can be trusted, with the neurons that were found.
    known
        Their identities.
    wanted
        Volumes in which neurons may be missing.
    given
        Identities that people gave: one volume is enough to expect them in the others.
    barred_um
        Places where there is no neuron, by volume.
    """
    sights = _collect(volumes, known)
    often = (sights.row >= 0).sum(axis=0) >= FEWEST_VOLUMES
    often |= np.isin(np.arange(len(often)), sorted(given))
    found = {}
    for index, one in enumerate(volumes):
        if one.volume not in wanted:
            continue
        told = known[one.volume].identity
        missing = np.setdiff1d(np.flatnonzero(often), told)
        expected = _expect(index, told, sights, missing)
        barred = (barred_um or {}).get(one.volume, np.zeros((0, 3)))
        apart_um = np.linalg.norm(expected.centre_um[:, None] - barred[None], axis=2).min(axis=1, initial=np.inf)
        if len(expected := expected.select(apart_um >= UNKNOWN_UM)):
            found[one.volume] = expected
    return found


def _collect(volumes: Sequence[Annotation], known: Mapping[int, Identities]) -> _Sights:
    count = 1 + max((int(known[one.volume].identity.max(initial=-1)) for one in volumes), default=-1)
    row = np.full((len(volumes), count), -1)
    place_um, probability = np.full((len(volumes), count, 3), np.nan), np.full((len(volumes), count), np.nan)
    for index, one in enumerate(volumes):
        told = known[one.volume]
        sure = np.flatnonzero((told.identity >= 0) & (told.probability >= SURE_PROBABILITY))
        row[index, told.identity[sure]] = sure
        place_um[index, told.identity[sure]] = one.centre_um[sure]
        probability[index, told.identity[sure]] = told.probability[sure]
    return _Sights(volumes, row, place_um, probability)


def _expect(index: int, told: Int[np.ndarray, " m"], sights: _Sights, missing: Int[np.ndarray, " k"]) -> Expected:
    """Those of the missing identities that other volumes can place in this one."""
    found: list[tuple[object, ...]] = []
    centre_um = sights.volumes[index].centre_um
    beside = [row for row in range(index - BESIDE, index + BESIDE + 1) if 0 <= row < len(sights.row) and row != index]
    for identity in missing.tolist():
        there = np.flatnonzero(sights.row[:, identity] >= 0)
        nearest = there[np.argsort(np.abs(there - index), kind="stable")][:SOURCES]
        carried = [(other, carry_place(sights.place_um[index], sights.place_um[other], identity)) for other in nearest]
        places = [(other, place) for other, place in carried if place is not None]
        if not places:
            continue
        place_um = np.median([place for _, place in places], axis=0)
        apart_um = np.linalg.norm(centre_um - place_um, axis=1)
        if apart_um.min(initial=np.inf) < SAME_UM or apart_um[told < 0].min(initial=np.inf) < UNKNOWN_UM:
            continue
        other = places[0][0]
        found.append(
            (
                identity,
                place_um,
                apart_um.min(initial=np.inf),
                np.mean(sights.row[beside, identity] >= 0),
                np.mean(sights.probability[there, identity]),
                sights.volumes[other].volume,
                sights.row[other, identity],
            )
        )
    columns = zip(*found, strict=True) if found else ((),) * len(fields(Expected))
    kinds = (int, *(float,) * 4, int, int)
    arrays: list[np.ndarray] = [np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return Expected(arrays[0], arrays[1].reshape(-1, 3), *arrays[2:])


def carry_place(
    here_um: Float[np.ndarray, "i 3"], there_um: Float[np.ndarray, "i 3"], identity: int
) -> Float[np.ndarray, " 3"] | None:
    """Where a neuron of another volume lies here, by the neurons around it that both show; None where too few do.

    Parameters
    ----------
    here_um, there_um
        Places by identity in both volumes, NaN where there is none.
    """
    shared = np.flatnonzero(np.isfinite(here_um[:, 0]) & np.isfinite(there_um[:, 0]))
    if len(shared) < FEWEST_SHARED:
        return None
    distance = np.linalg.norm(there_um[shared] - there_um[identity], axis=1)
    near = np.argsort(distance, kind="stable")[:AROUND]
    weight = np.exp(-(distance[near] ** 2) / (2 * REACH_UM**2)) + 1e-6
    source, target = there_um[shared[near]], here_um[shared[near]]
    middle_there, middle_here = (weight @ points / weight.sum() for points in (source, target))
    # The surroundings may have turned by any angle; they are deformed only as far as many neighbours say so.
    turn = _find_turn(source - middle_there, target - middle_here, weight)
    turned = (source - middle_there) @ turn
    weighted = turned * weight[:, None]
    bend = np.linalg.solve(
        weighted.T @ turned + STIFFNESS_UM2 * np.eye(3), weighted.T @ (target - middle_here - turned)
    )
    moved = (there_um[identity] - middle_there) @ turn
    return np.asarray(middle_here + moved + moved @ bend)


def _find_turn(
    source: Float[np.ndarray, "n 3"], target: Float[np.ndarray, "n 3"], weight: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "3 3"]:
    """The rotation about the origin that brings points nearest to others."""
    left, _, right = np.linalg.svd((source * weight[:, None]).T @ target)
    handed = np.sign(np.linalg.det(left @ right))
    return np.asarray(left @ np.diag([1.0, 1.0, handed]) @ right)
