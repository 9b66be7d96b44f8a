"""How many neurons are recognized after learning from a few annotated volumes, and how sure one can be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from time import perf_counter
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

import cender
from cender.bench.identity.split import Split, SplitKind, split_volumes, thin_volumes
from cender.bench.identity.subject import Subject
from cender.errors import DataError, ShapeMismatch
from cender.evaluate import pair_volumes
from cender.evaluate.identity import Identity, collect_given, collect_neurons, measure_identity
from cender.evaluate.pairing import Pairing
from cender.evaluate.rename import find_renaming, rename_pairings
from cender.pipeline.resources import settle_resources
from cender.recognize.selfcheck import check_identities
from cender.types import Annotation, Identities

Recognize = Callable[[Sequence[Annotation]], list[Identities]]
Learn = Callable[[Sequence[Annotation], Sequence[Annotation], int], Recognize]
Clock = Callable[[], float]
FIGURES = ("accuracy", "accuracy_all", "worst_5pct", "recall_at_95_strict", "calibration_error", "kept")
"""Metrics of identity that are averaged over repeats."""
COSTS = ("expected_accuracy", "expected_low", "expected_high", "train_s", "ms_per_volume")
"""What else is averaged: the accuracy that a run expects of itself, with its range, and times."""
DOUBTED_BELOW = 0.6
"""Mean probability below which a volume counts as doubtful when the expected accuracy is computed."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """One training and its test: figures, what they cost, and what pictures need.

    ``volume_accuracy`` belongs to ``volume_time_s`` (the index of a volume where times are not known). ``probability``
    and ``right`` are those of the identities that were given and can be judged. ``expected_accuracy`` is what the
    recording says of itself, without the truth, ``expected_low`` and ``expected_high`` the range that it gives.
    """

    split: Split
    figures: Identity
    train_s: float
    ms_per_volume: float
    volume_time_s: Float[np.ndarray, " v"]
    volume_accuracy: Float[np.ndarray, " v"]
    probability: Float[np.ndarray, " n"]
    right: Bool[np.ndarray, " n"]
    expected_accuracy: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Figures and costs under their public names, with the volumes behind them."""
        return {
            **{name: getattr(self.figures, name) for name in FIGURES},
            **{name: getattr(self, name) for name in COSTS},
            "train_volumes": list(self.split.train),
            "test_volumes": len(self.split.test),
            "block_s": None if self.split.block_s is None else list(self.split.block_s),
        }


@dataclass(frozen=True, slots=True)
class Measurement:
    """Repeats of one method at one number of annotated volumes, with where they come from."""

    method: str
    train: int
    split: str
    seed: int
    data: str
    preset_hash: str | None
    repeats: tuple[Repeat, ...]

    def average(self, name: str) -> float | None:
        """Mean of a figure over the repeats; None where one of them has none."""
        values = self._collect(name)
        return None if values is None else fmean(values)

    def spread(self, name: str) -> float | None:
        """Standard deviation of a figure over the repeats; None for a single one."""
        values = self._collect(name)
        return None if values is None or len(values) < 2 else stdev(values)

    def as_json(self) -> dict[str, Any]:
        """Mean and spread of every figure, every repeat, and the provenance."""
        names = (*FIGURES, *COSTS)
        return {
            "identity": {name: self.average(name) for name in names},
            "spread": {name: self.spread(name) for name in names},
            "method": self.method,
            "train": self.train,
            "split": self.split,
            "seed": self.seed,
            "data": self.data,
            "preset_hash": self.preset_hash,
            "version": cender.__version__,
            "repeats": [repeat.as_json() for repeat in self.repeats],
        }

    def _collect(self, name: str) -> list[float] | None:
        values = [getattr(one.figures if name in FIGURES else one, name) for one in self.repeats]
        return None if any(value is None for value in values) else values


def measure_identity_bench(
    subjects: Sequence[Subject],
    method: tuple[str, Learn],
    train: int,
    split: SplitKind,
    *,
    seed: int = 0,
    at_most: int | None = None,
    on_repeat: Callable[[Repeat], None] = lambda repeat: None,
    clock: Clock = perf_counter,
) -> Measurement:
    """Learn from some volumes of a recording and recognize the neurons of the others, again for every subject given.

    The learner gets the annotated volumes and, without identities, the whole recording: self-training may use it.

    Parameters
    ----------
    subjects
        One for each repeat: the same recording again, or another simulated animal.
    method
        Its name and how it learns.
    train
        Number of annotated volumes. With 0 the predicted numbers are renamed by one matching for the whole
        recording, and identities serve only to score.
    at_most
        Test on no more than this many volumes, spread evenly.
    clock
        Seconds that learning and recognizing are timed with.
    """
    if not subjects:
        raise DataError("expected at least one repeat")
    repeats = []
    for number, subject in enumerate(subjects):
        labelled = [volume for volume, one in subject.truth.annotations.items() if (one.identity >= 0).any()]
        drawn = split_volumes(labelled, subject.time_s, train, split, seed, number)
        chosen = replace(drawn, test=thin_volumes(drawn.test, at_most))
        repeats.append(run_repeat(subject, chosen, method[1], seed + number, clock))
        on_repeat(repeats[-1])
    truth = subjects[0].truth
    preset_hash = truth.provenance.get("preset_hash")
    described = "none" if train == 0 else split
    return Measurement(method[0], train, described, seed, truth.source, preset_hash, tuple(repeats))


def run_repeat(subject: Subject, split: Split, learn: Learn, seed: int, clock: Clock = perf_counter) -> Repeat:
    """Learn, recognize and compare once."""
    annotated = [subject.taught[volume] for volume in split.train if volume in subject.taught]
    start = clock()
    recognize = learn(annotated, list(subject.seen.values()), seed)
    train_s = clock() - start
    known = None if not split.train else collect_identities(annotated)
    return score_recognizer(subject, split, recognize, train_s, known, clock)


def score_recognizer(
    subject: Subject,
    split: Split,
    recognize: Recognize,
    train_s: float,
    known: set[int] | None,
    clock: Clock = perf_counter,
) -> Repeat:
    """Recognize the test volumes and compare them with the truth.

    Without knowable identities (None) the numbers are arbitrary, and are renamed first.
    """
    test = [subject.seen[volume] for volume in split.test if volume in subject.seen]
    start = clock()
    # As in a run: threads inside of small matrix products would only wait for each other.
    with settle_resources():
        given = recognize(test)
    ms_per_volume = 1e3 * (clock() - start) / max(len(test), 1)
    predicted = replace(subject.truth, annotations=_join(test, given), ratio={})
    pairings = pair_volumes(predicted, subject.truth, split.test)
    if known is None:
        pairings = rename_pairings(pairings, find_renaming(pairings))
    times, accuracy = _follow(pairings, subject.time_s, known)
    judged = collect_given(pairings)
    figures = measure_identity(pairings, known)
    check = check_identities(test, dict(zip((one.volume for one in test), given, strict=True)), DOUBTED_BELOW)
    expected = (None,) * 3 if check is None else (check.expected_accuracy, *check.expected_range)
    return Repeat(split, figures, train_s, ms_per_volume, times, accuracy, judged.probability, judged.right, *expected)


def collect_identities(annotated: Sequence[Annotation]) -> set[int]:
    """Identities that occur in these volumes."""
    return {int(identity) for one in annotated for identity in one.identity if identity >= 0}


def _join(volumes: Sequence[Annotation], given: Sequence[Identities]) -> dict[int, Annotation]:
    if len(given) != len(volumes) or any(len(a) != len(b) for a, b in zip(volumes, given, strict=True)):
        raise ShapeMismatch("a recognizer answers every volume with one identity and one probability per neuron")
    return {
        volume.volume: replace(volume, identity=answer.identity, probability=answer.probability)
        for volume, answer in zip(volumes, given, strict=True)
    }


def _follow(
    pairings: Sequence[Pairing], time_s: Mapping[int, float], known: set[int] | None
) -> tuple[Float[np.ndarray, " v"], Float[np.ndarray, " v"]]:
    """Accuracy of every volume that has knowable neurons, and its time."""
    neurons = collect_neurons(pairings)
    used = np.ones(len(neurons.identity), bool) if known is None else np.isin(neurons.identity, sorted(known))
    volumes, row = np.unique(neurons.volume[used], return_inverse=True)
    accuracy = np.bincount(row, weights=neurons.right[used], minlength=len(volumes)) / np.maximum(
        np.bincount(row, minlength=len(volumes)), 1
    )
    return np.array([time_s.get(int(volume), float(volume)) for volume in volumes], float), accuracy
