"""Volumes that could be annotated, with what the machine and people know of each."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.annotate.join import match_marks
from cender.annotate.marks import NO_IDENTITY
from cender.annotate.state import VolumeState

ANNOTATED_SHARE = 0.5
"""A volume counts as annotated when people named at least this share of its neurons (or said that all is reviewed)."""


@dataclass(frozen=True, slots=True)
class SeenVolumes:
    """One row per volume, ascending; ``quality`` is that of the head, NaN where the volume is not ok."""

    volume: Int[np.ndarray, " n"]
    time_s: Float[np.ndarray, " n"]
    quality: Float[np.ndarray, " n"]


@dataclass(frozen=True, slots=True)
class SeenNeurons:
    """One row per neuron and volume, volumes ascending; ``human`` were named by a person."""

    volume: Int[np.ndarray, " m"]
    identity: Int[np.ndarray, " m"]
    probability: Float[np.ndarray, " m"]
    centre_um: Float[np.ndarray, "m 3"]
    human: Bool[np.ndarray, " m"]

    @property
    def doubt(self) -> Float[np.ndarray, " m"]:
        """Probability that a neuron is not rightly named: 1 where it has no identity, 0 where a person named it."""
        sure = np.where(self.identity >= 0, np.nan_to_num(self.probability), 0.0)
        return np.where(self.human & (self.identity >= 0), 0.0, 1.0 - np.clip(sure, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Candidates:
    """One row per volume that could be annotated or is annotated already.

    ``neurons`` were found in it, ``refused`` of them got no identity, ``probability`` is the mean of those that did
    (NaN where there is none). ``quality`` is that of the head, NaN where the volume is not ok.
    """

    volume: Int[np.ndarray, " n"]
    time_s: Float[np.ndarray, " n"]
    neurons: Int[np.ndarray, " n"]
    refused: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    quality: Float[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.volume)


def count_candidates(volumes: SeenVolumes, neurons: SeenNeurons) -> Candidates:
    """What is known of every volume."""
    row = np.searchsorted(volumes.volume, neurons.volume)
    known = neurons.identity >= 0
    found = np.bincount(row, minlength=len(volumes.volume))
    named = np.bincount(row[known], minlength=len(volumes.volume))
    usable = known & np.isfinite(neurons.probability)
    sure = np.where(neurons.human, 1.0, neurons.probability)
    total = np.bincount(row[usable], weights=sure[usable], minlength=len(volumes.volume))
    counted = np.bincount(row[usable], minlength=len(volumes.volume))
    mean = np.where(counted > 0, total / np.maximum(counted, 1), np.nan)
    return Candidates(volumes.volume, volumes.time_s, found, found - named, mean, volumes.quality)


def keep_known(neurons: SeenNeurons, volumes: SeenVolumes) -> SeenNeurons:
    """The neurons of these volumes: people may have spoken of others, which the run does not cover."""
    known = np.isin(neurons.volume, volumes.volume)
    if known.all():
        return neurons
    columns = (neurons.volume, neurons.identity, neurons.probability, neurons.centre_um, neurons.human)
    return SeenNeurons(*(column[known] for column in columns))


def find_annotated(neurons: SeenNeurons, reviewed: Collection[int] = ()) -> tuple[int, ...]:
    """Volumes that need no further look: people reviewed them, or named at least half of their neurons."""
    first = np.flatnonzero(np.diff(neurons.volume, prepend=-1))
    named = np.add.reduceat(neurons.human.astype(int), first) if len(first) else np.zeros(0, int)
    share = named / np.maximum(np.diff(first, append=len(neurons.volume)), 1)
    return tuple(sorted({*neurons.volume[first[share >= ANNOTATED_SHARE]].tolist(), *reviewed}))


def lay_marks(neurons: SeenNeurons, states: Mapping[int, VolumeState]) -> SeenNeurons:
    """The same neurons with what people say now: names, what is no neuron, what only a person saw.

    Neurons of volumes that a person called unusable are left out, so that such volumes are not candidates.
    """
    kept = np.ones(len(neurons.volume), bool)
    identity, probability, human = neurons.identity.copy(), neurons.probability.copy(), neurons.human.copy()
    added: list[tuple[int, int, list[float]]] = []
    for volume, state in states.items():
        first, stop = (int(one) for one in np.searchsorted(neurons.volume, (volume, volume + 1)))
        if state.unusable is not None:
            kept[first:stop] = False
            continue
        given = {mark.identity for mark in state.marks.values() if mark.identity is not None and not mark.removed}
        taken = np.flatnonzero(np.isin(identity[first:stop], sorted(given - {NO_IDENTITY}))) + first
        identity[taken], human[taken] = NO_IDENTITY, False
        marks = list(state.marks.values())
        for mark, row in zip(marks, match_marks(neurons.centre_um[first:stop], marks).tolist(), strict=True):
            if row < 0 and not mark.removed:
                added.append((volume, NO_IDENTITY if mark.identity is None else mark.identity, list(mark.place_um)))
            elif row >= 0 and mark.removed:
                kept[first + row] = False
            elif row >= 0 and mark.identity is not None:
                identity[first + row], probability[first + row], human[first + row] = mark.identity, 1.0, True
    columns = (neurons.volume[kept], identity[kept], probability[kept], neurons.centre_um[kept], human[kept])
    if not added:
        return SeenNeurons(*columns)
    more = (
        np.array([one[0] for one in added]),
        np.array([one[1] for one in added]),
        np.ones(len(added)),
        np.array([one[2] for one in added]),
        np.array([one[1] >= 0 for one in added]),
    )
    joined = [np.concatenate([left, right]) for left, right in zip(columns, more, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    return SeenNeurons(*(one[order] for one in joined))
