"""Faint neurons: too unlikely to stand by themselves, taken where the rest of the recording says who is there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.annotate.overlay import Corrected
from cender.types import Annotation, Identities

KNOWN_GAIN = 1.5
"""Log-odds by which a faint neuron is likelier to be real when it lies where recognition expects somebody.

Fitted once, to 30 volumes each of the presets ``hard`` and ``crowded`` (seed 5200).
"""
LEAST = 0.5
"""Probability that it is real, and who it is said to be, from which on it is taken."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Identities after faint neurons were decided on, and which rows of each volume are no neurons."""

    known: dict[int, Identities]
    dropped: dict[int, Bool[np.ndarray, " m"]]

    @property
    def numbers(self) -> dict[int, Int[np.ndarray, " d"]]:
        """Numbers of what is no neuron, by volume."""
        return {volume: np.flatnonzero(rows) for volume, rows in self.dropped.items()}

    def count(self, one: Annotation) -> int:
        """Neurons of a volume without what was dropped."""
        return len(one) - int(self.dropped[one.volume].sum()) if one.volume in self.dropped else len(one)


def settle_faint(
    known: Mapping[int, Identities],
    places: Mapping[int, Annotation],
    score: Mapping[int, Float[np.ndarray, " m"]],
    corrected: Mapping[int, Corrected],
    least_chance: float,
) -> Settled:
    """Take the faint neurons that recognition knows, with a probability that says both; drop the others.

    Parameters
    ----------
    known
        Identities of all neurons of each volume, the faint ones too.
    places, corrected
        The volumes, and those that people worked on: what a person named, moved or drew is a neuron.
    score
        Chance of each of the machine's neurons to be real.
    least_chance
        Neurons that are less likely are faint.
    """
    answers, dropped = dict(known), {}
    for volume, chance in score.items():
        faint = np.zeros(len(places[volume]), bool)
        faint[: len(chance)] = chance < least_chance
        if volume in corrected:
            faint &= ~find_touched(corrected[volume])
        if not faint.any():
            continue
        given = known.get(volume)
        if given is None:
            dropped[volume] = faint
            continue
        chances = np.concatenate([chance, np.ones(len(faint) - len(chance))])
        sure = np.where(faint, given.probability * weigh_chance(chances), given.probability)
        taken = (given.identity >= 0) & (sure >= LEAST)
        dropped[volume] = faint & ~taken
        identity = np.where(dropped[volume], -1, given.identity)
        answers[volume] = replace(given, identity=identity, probability=sure)
    return Settled(answers, {volume: rows for volume, rows in dropped.items() if rows.any()})


def weigh_chance(chance: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Chance of being real for a neuron that lies where its identity is expected."""
    odds = chance / np.maximum(1 - chance, 1e-9) * np.exp(KNOWN_GAIN)
    return np.asarray(odds / (1 + odds))


def find_touched(one: Corrected) -> Bool[np.ndarray, " m"]:
    """Neurons that a person named, moved, drew, or said to have no identity."""
    return np.asarray((one.given >= 0) | one.denied | one.shaped | one.redrawn)
