"""Simulated recordings as a detector leaves them: it misses and splits the same neurons again and again."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from cender.types import Annotation, Annotations

APART_UM = (2.5, 5.0)
"""Distance of the two halves of a neuron that is found twice."""
NEAR_UM = 3.0
"""Other spurious findings lie this near to a neuron."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Mean shares of volumes in which a neuron is missed and is split, share of other spurious findings, jitter.

    Every neuron has shares of its own: most are nearly always found once, some hardly ever.
    """

    drop: float
    split: float
    spurious: float
    jitter_um: float


def spoil_film(truth: Annotations, habits: Habits, looks: bool, rng: np.random.Generator) -> Annotations:
    """The recording with neurons missed, split and added; without ``looks``, with nothing but places.

    Which half of a split neuron has its identity is drawn anew every time, as it is when people name detections.
    """
    annotations = truth.annotations
    known = np.unique(np.concatenate([one.identity for one in annotations.values()]))
    last = int(known.max(initial=-1)) + 1
    drop, split = (_draw_shares(share, last, rng) for share in (habits.drop, habits.split))
    axis = _draw_directions(last, rng) * rng.uniform(*APART_UM, (last, 1))
    spoilt = {
        volume: _spoil(one, habits, (drop, split), axis, np.random.default_rng([int(rng.integers(2**31)), volume]))
        for volume, one in annotations.items()
    }
    if not looks:
        spoilt = {volume: _forget_looks(one) for volume, one in spoilt.items()}
    return replace(truth, annotations=spoilt, ratio={})


def _spoil(
    one: Annotation,
    habits: Habits,
    shares: tuple[Float[np.ndarray, " i"], Float[np.ndarray, " i"]],
    axis: Float[np.ndarray, "i 3"],
    rng: np.random.Generator,
) -> Annotation:
    rows = np.flatnonzero((one.identity >= 0) & (rng.random(len(one)) >= shares[0][one.identity]))
    place, identity = one.centre_um[rows], one.identity[rows]
    twice = np.flatnonzero(rng.random(len(rows)) < shares[1][identity])
    aside = axis[identity[twice]] * rng.choice((-0.5, 0.5), (len(twice), 1))
    halves = place[twice] - aside
    place = place.copy()
    place[twice] += aside
    near = np.flatnonzero(rng.random(len(rows)) < habits.spurious)
    false = place[near] + _draw_directions(len(near), rng) * NEAR_UM * rng.random((len(near), 1)) ** (1 / 3)
    found = np.concatenate([place, halves, false])
    found = found + rng.normal(size=found.shape) * habits.jitter_um
    owner = np.full(len(one) + 1, -1)
    owner[rows] = np.arange(len(rows))
    # Regions of neurons that were not found go with them; those of none stay none.
    neuron = owner[one.regions.neuron]
    return replace(
        one,
        centre_um=found,
        identity=np.concatenate([identity, np.full(len(halves) + len(false), -1)]),
        probability=np.ones(len(found)),
        regions=replace(one.regions, neuron=neuron).select(neuron >= 0),
    )


def _forget_looks(one: Annotation) -> Annotation:
    return replace(one, regions=one.regions.select(np.zeros(len(one.regions.neuron), bool)))


def _draw_shares(mean: float, count: int, rng: np.random.Generator) -> Float[np.ndarray, " i"]:
    return np.asarray(rng.beta(0.5, 0.5 * (1 - mean) / max(mean, 1e-6), count)) * 0.9


def _draw_directions(count: int, rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    direction = rng.normal(size=(count, 3))
    return np.asarray(direction / (np.linalg.norm(direction, axis=1, keepdims=True) + 1e-12))
