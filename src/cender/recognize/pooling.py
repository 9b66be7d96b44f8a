"""Names that volumes find together: scores of the same neuron in neighbouring volumes are pooled.

A neuron that one volume mistakes for its neighbour is mostly right in the next ones. Volumes are registered to each
other by the names that they share, and every neuron hears what its partners say.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from cender.recognize.assign import assign_names
from cender.recognize.frame import UNIT_UM
from cender.recognize.model import Naming
from cender.recognize.warp import fit_affine, fit_warps, predict_points

STRENGTH = 0.5
"""Weight of what a partner says against what the volume itself says."""
REACH = 5
"""Volumes before and after that are heard."""
SURE = 0.4
"""Probability of the names by which two volumes are registered at first."""
FEWEST = 8
NEAR = 5.0 / UNIT_UM
NOISE = 1.0 / UNIT_UM
TWIN = 8.0 / UNIT_UM**2
"""Squared distance over which a partner loses its say, and over which a second one nearby takes half of it."""
FLOOR = -6.0
"""Logarithm below which a probability says no more than that a name is unlikely."""


@dataclass(frozen=True, slots=True)
class Link:
    """Neurons of one volume and their partners in another, with the weight of each pair."""

    here: Int[np.ndarray, " p"]
    there: Int[np.ndarray, " p"]
    weight: Float[np.ndarray, " p"]


@dataclass(frozen=True, slots=True)
class Pooled:
    """Classes of the neurons of a volume (-1 none) and their probabilities, its neighbours heard."""

    names: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]


def thin_naming(naming: Naming) -> Naming:
    """The naming with only what pooling needs, in half precision: there may be thousands of volumes."""
    score = np.maximum(naming.score, FLOOR).astype(np.float16)
    return replace(naming, score=score, first=score)


def pool_names(namings: Sequence[Naming], strength: float = STRENGTH) -> list[Pooled]:
    """Names of volumes in order of time, each after it has heard up to five before and five after it.

    A volume that cannot be registered to any other keeps the names that it found by itself.
    """
    links: list[list[tuple[int, Link]]] = [[] for _ in namings]
    for first, naming in enumerate(namings):
        following = namings[first + 1 : first + 1 + REACH]
        for number, link in enumerate(link_volumes(naming, following), first + 1):
            if link is not None:
                links[first].append((number, link))
                links[number].append((first, Link(link.there, link.here, link.weight)))
    return [_pool(naming, mine, namings, strength) for naming, mine in zip(namings, links, strict=True)]


def link_volumes(naming: Naming, others: Sequence[Naming]) -> list[Link | None]:
    """Which neurons of a volume are which of each other one; None where two cannot be laid over each other."""
    found: list[Link | None] = [None] * len(others)
    if not others:
        return found
    place, places = _place_sure(naming), np.array([_place_sure(one) for one in others])
    used = ~np.isnan(places[:, :, 0]) & ~np.isnan(place[None, :, 0])
    rows = np.flatnonzero(used.sum(axis=1) >= FEWEST)
    if not len(rows):
        return found
    here = naming.position.astype(np.float32)
    there = _stack([others[row].position for row in rows.tolist()])
    moved = _carry(places[rows].astype(np.float32), place.astype(np.float32), used[rows], there)
    partner, near, _, _ = _pair(here, moved)
    # Once more, by all neurons that lie together, whether they have a name or not.
    source = np.take_along_axis(there, partner[..., None], axis=1)
    enough = near.sum(axis=1) >= FEWEST
    again = _carry(source, here, near & enough[:, None], there)
    partner, near, square, second = _pair(here, np.where(enough[:, None, None], again, moved))
    weight = np.exp(-square / TWIN) / (1 + np.exp(-np.minimum(second - square, 1.0) / TWIN))
    for row, pairs, index, share in zip(rows, near, partner, weight, strict=True):
        mine = np.flatnonzero(pairs)
        found[row] = Link(mine, index[mine], share[mine].astype(float))
    return found


def _pool(naming: Naming, links: Sequence[tuple[int, Link]], namings: Sequence[Naming], strength: float) -> Pooled:
    if not links or not len(naming.names):
        return Pooled(naming.names, naming.probability)
    score = np.maximum(naming.score, FLOOR).astype(float)
    for number, link in links:
        heard = np.maximum(namings[number].score[link.there], FLOOR)
        score[link.here] += strength * link.weight[:, None] * heard
    top = score.max(axis=1, keepdims=True)
    names = assign_names(score - top - np.log(np.exp(score - top).sum(axis=1, keepdims=True)))
    return Pooled(names, _measure_agreement(naming, names, links, namings))


def _measure_agreement(
    naming: Naming, names: Int[np.ndarray, " n"], links: Sequence[tuple[int, Link]], namings: Sequence[Naming]
) -> Float[np.ndarray, " n"]:
    """Probability of names: a volume's own where it found the same, else the mean of what its neighbours found."""
    total, count = np.zeros(len(names)), np.zeros(len(names))
    for number, link in links:
        other = namings[number]
        same = other.names[link.there] == names[link.here]
        total[link.here] += link.weight * np.where(same, other.probability[link.there], 0.0)
        count[link.here] += link.weight
    # The volume itself is heard too, and says that it found something else.
    mean = total / (count + 1.0)
    return np.where(names < 0, 0.0, np.where(names == naming.names, naming.probability, mean))


def _place_sure(naming: Naming) -> Float[np.ndarray, "i 3"]:
    place = np.full((naming.score.shape[1] - 1, 3), np.nan)
    sure = np.flatnonzero((naming.names >= 0) & (naming.probability > SURE))
    place[naming.names[sure]] = naming.position[sure]
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
    affine, error = fit_affine(filled, np.broadcast_to(wanted, filled.shape), used)
    warps = fit_warps(filled, wanted, used, affine, error, noise=NOISE)
    return predict_points(warps, points, noise=NOISE)[0]


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
