"""Two animals: what is learnt of the first is tried on the second."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from cender.bench.identity.measure import Clock, Measurement, Recognize, Repeat, collect_identities, score_recognizer
from cender.bench.identity.split import Split, split_volumes
from cender.bench.identity.subject import Subject
from cender.errors import DataError
from cender.types import Annotation


@dataclass(frozen=True, slots=True)
class Trial:
    """How one pair is measured: the volumes of the second animal, how to learn, and what is then learnt from."""

    split: Split
    learn: Callable[[], Recognize]
    known: Sequence[Annotation]


@dataclass(frozen=True, slots=True)
class Pace:
    """How pairs are measured.

    ``at_most`` tests no more than this many volumes, spread evenly; ``clock`` gives the seconds that learning and
    recognizing are timed with.
    """

    seed: int = 0
    at_most: int | None = None
    on_repeat: Callable[[Repeat], None] = lambda repeat: None
    clock: Clock = perf_counter


def measure_pairs(
    pairs: Sequence[tuple[Subject, Subject]],
    name: str,
    train: int,
    split: str,
    prepare: Callable[[Subject, Subject, int], Trial],
    pace: Pace,
) -> Measurement:
    """One repeat per pair; ``prepare`` takes both animals and the number of the pair."""
    if not pairs:
        raise DataError("expected at least one pair of animals")
    if train < 1:
        raise DataError(f"--train 0: --split {split} needs annotated volumes of the first animal; ask for at least 1")
    repeats = []
    for number, (first, second) in enumerate(pairs):
        trial = prepare(first, second, number)
        start = pace.clock()
        recognize = trial.learn()
        spent = pace.clock() - start
        known = collect_identities(trial.known)
        repeats.append(score_recognizer(second, trial.split, recognize, spent, known, pace.clock))
        pace.on_repeat(repeats[-1])
    truth = pairs[0][1].truth
    preset_hash = truth.provenance.get("preset_hash")
    return Measurement(name, train, split, pace.seed, truth.source, preset_hash, tuple(repeats))


def draw_annotated(subject: Subject, count: int, seed: int, number: int) -> Split:
    """So many volumes with identities, drawn at random, as those that teach; the others are those to test."""
    labelled = [volume for volume, one in subject.taught.items() if (one.identity >= 0).any()]
    return split_volumes([volume for volume in labelled if volume in subject.seen], {}, count, "random", seed, number)
