"""Which neurons of two volumes are the same: one is laid over the other by the identities that they share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from cender.recognize.frame import UNIT_UM
from cender.recognize.model import Recognition
from cender.recognize.warp import carry_points, fit_affine, fit_warps

OFFSETS = (1, 2, 4, 8, 16)
"""How far before and after it the volumes are that a volume is linked to: near ones, and others as a check on them."""
SURE_PROBABILITY = 0.4
"""Probability of the identities by which two volumes are registered at first."""
# Neurons that two volumes must share to be brought together.
FEWEST = 8
# Partners are no farther apart than this (5 µm).
NEAR = 5.0 / UNIT_UM
TWIN = 8.0 / UNIT_UM**2
"""Squared distance over which a partner loses its say, and over which a second one nearby takes half of it."""


@dataclass(frozen=True, slots=True)
class Link:
    """Neurons of one volume and their partners in another, with the weight of each pair."""

    here: Int[np.ndarray, " p"]
    there: Int[np.ndarray, " p"]
    weight: Float[np.ndarray, " p"]


def link_film(recognitions: Sequence[Recognition]) -> list[list[tuple[int, Link]]]:
    """For every volume of a recording, in order of time, the volumes that it can be laid over and the pairs in them."""
    links: list[list[tuple[int, Link]]] = [[] for _ in recognitions]
    for first, recognition in enumerate(recognitions):
        rows = [first + offset for offset in OFFSETS if first + offset < len(recognitions)]
        for row, link in zip(rows, link_volumes(recognition, [recognitions[row] for row in rows]), strict=True):
            if link is not None:
                links[first].append((row, link))
                links[row].append((first, Link(link.there, link.here, link.weight)))
    return links


def link_volumes(recognition: Recognition, others: Sequence[Recognition]) -> list[Link | None]:
    """Which neurons of a volume are which of each other one; None where two cannot be laid over each other."""
    found: list[Link | None] = [None] * len(others)
    if not others:
        return found
    place, places = _place_sure(recognition), np.array([_place_sure(one) for one in others])
    used = ~np.isnan(places[:, :, 0]) & ~np.isnan(place[None, :, 0])
    rows = np.flatnonzero(used.sum(axis=1) >= FEWEST)
    if not len(rows):
        return found
    here = recognition.position.astype(np.float32)
    there = _stack([others[row].position for row in rows.tolist()])
    moved = _carry(places[rows].astype(np.float32), place.astype(np.float32), used[rows], there)
    partner, near, _, _ = _pair(here, moved)
    # Once more, by all neurons that lie together, whether they have an identity or not.
    source = np.take_along_axis(there, partner[..., None], axis=1)
    enough = near.sum(axis=1) >= FEWEST
    again = _carry(source, here, near & enough[:, None], there)
    partner, near, square, second = _pair(here, np.where(enough[:, None, None], again, moved))
    weight = np.exp(-square / TWIN) / (1 + np.exp(-np.minimum(second - square, 1.0) / TWIN))
    for row, pairs, index, share in zip(rows, near, partner, weight, strict=True):
        mine = np.flatnonzero(pairs)
        found[row] = Link(mine, index[mine], share[mine].astype(float))
    return found


def _place_sure(recognition: Recognition) -> Float[np.ndarray, "i 3"]:
    place = np.full((recognition.score.shape[1] - 1, 3), np.nan)
    sure = np.flatnonzero((recognition.classes >= 0) & (recognition.probability > SURE_PROBABILITY))
    place[recognition.classes[sure]] = recognition.position[sure]
    return place


def _stack(clouds: Sequence[Float[np.ndarray, "_ 3"]]) -> Float32[np.ndarray, "r m 3"]:
    """Clouds of different sizes as one stack; rows that are not there lie far away."""
    stack: Float32[np.ndarray, "r m 3"] = np.full((len(clouds), max(map(len, clouds)), 3), 1e3, np.float32)
    for row, cloud in enumerate(clouds):
        stack[row, : len(cloud)] = cloud
    return stack


def _carry(
    source: Float32[np.ndarray, "r i 3"],
    target: Float32[np.ndarray, "i 3"],
    used: Bool[np.ndarray, "r i"],
    points: Float32[np.ndarray, "r m 3"],
) -> Float32[np.ndarray, "r m 3"]:
    """Points of other volumes where they would lie in this one."""
    filled = np.where(used[..., None], source, np.float32(0))
    wanted = np.where(np.isnan(target), np.float32(0), target)
    affine, _ = fit_affine(filled, np.broadcast_to(wanted, filled.shape), used)
    return carry_points(fit_warps(filled, wanted, used, affine), points)


def _pair(
    here: Float32[np.ndarray, "n 3"], moved: Float32[np.ndarray, "r m 3"]
) -> tuple[Int[np.ndarray, "r n"], Bool[np.ndarray, "r n"], Float32[np.ndarray, "r n"], Float32[np.ndarray, "r n"]]:
    """Nearest point of each other volume, whether it is near and mutual, its squared distance and the second's."""
    square: np.ndarray = -2 * (here @ moved.transpose(0, 2, 1))
    square += (here**2).sum(axis=1)[None, :, None]
    square += (moved**2).sum(axis=2)[:, None, :]
    np.maximum(square, 0, out=square)
    partner = square.argmin(axis=2)
    least = np.take_along_axis(square, partner[..., None], axis=2)[..., 0]
    back = np.take_along_axis(square.argmin(axis=1), partner, axis=1)
    second = np.partition(square, 1, axis=2)[..., 1] if square.shape[2] > 1 else np.full_like(least, np.inf)
    return partner, (least < NEAR**2) & (back == np.arange(len(here))), least, second
