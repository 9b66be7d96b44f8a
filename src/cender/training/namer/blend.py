"""Animals between two animals: where each cell lies differs from one to the next in ways that no smooth map makes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from cender.training.namer.vary import MIRROR, Specimen

BLENDED = 0.5
"""Share of samples that lie on the way to another animal."""
MOVED = 0.1
"""Share of cells, at most, that lie where another animal has them."""
FARTHEST = 0.3
"""Distance, in units of the atlas, beyond which two places of one name are a wrong name or a bad fit."""
REACH = 0.08
"""Distance over which neurons without a name move as their named neighbours do."""
AT_REST = 0.3
"""Weight of staying in place for a neuron far from all named ones."""
FEWEST = 10
"""Names in common from which on two animals are blended."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where every animal, and its mirror image, has every cell once it is unbent; NaN where it has no such name."""

    place: Float[np.ndarray, "a k 3"]


def collect_places(specimens: Sequence[Specimen], partner: Int[np.ndarray, " k"]) -> Places:
    """The places of all cells in all animals; ``partner`` is each cell's row on the other side."""
    place = np.full((2 * len(specimens), len(partner), 3), np.nan)
    for number, one in enumerate(specimens):
        named = np.flatnonzero(one.label >= 0)
        place[2 * number, one.label[named]] = one.unbent[named]
        place[2 * number + 1, partner[one.label[named]]] = one.unbent[named] * MIRROR
    return Places(place)


def blend_specimen(one: Specimen, places: Places, rng: np.random.Generator) -> Specimen:
    """The animal with its cells part of the way to where another one has them, and some all of the way."""
    shift = np.zeros_like(one.unbent)
    if rng.random() < BLENDED:
        shift = rng.random() * _lead_to(one, places.place[rng.integers(len(places.place))])
    moved = (one.label >= 0) & (rng.random(len(one)) < rng.uniform(0, MOVED))
    for row in np.flatnonzero(moved):
        known = places.place[:, one.label[row]]
        known = known[np.isfinite(known[:, 0])]
        way = known[rng.integers(len(known))] - one.unbent[row]
        if np.linalg.norm(way) < FARTHEST:
            shift[row] = way
    return replace(one, position=one.position + shift, unbent=one.unbent + shift)


def _lead_to(one: Specimen, other: Float[np.ndarray, "k 3"]) -> Float[np.ndarray, "n 3"]:
    """How far each neuron is from its place in another animal; those without a name follow their neighbours."""
    way = np.where(one.label[:, None] >= 0, other[one.label] - one.unbent, np.nan)
    known = np.isfinite(way[:, 0])
    known[known] = np.linalg.norm(way[known], axis=1) < FARTHEST
    if known.sum() < FEWEST:
        return np.zeros_like(one.unbent)
    squared = ((one.unbent[:, None] - one.unbent[None, known]) ** 2).sum(2)
    weight = np.exp(-0.5 * squared / REACH**2)
    followed = weight @ way[known] / (weight.sum(1, keepdims=True) + AT_REST)
    return np.where(known[:, None], way, followed)
