"""Identities of one animal carried to another of which nothing is annotated, as `cender run --template` does it."""

from collections.abc import Callable, Sequence

from cender.bench.identity.across import LearnAcross
from cender.bench.identity.measure import Measurement, Recognize
from cender.bench.identity.methods import Method, choose_method
from cender.bench.identity.pairs import Pace, Trial, draw_annotated, measure_pairs
from cender.bench.identity.split import Split, thin_volumes
from cender.bench.identity.subject import Subject
from cender.config import Config
from cender.pipeline.recording.recognizer.identify import build_foreign
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.types import Annotation

Carry = Callable[[Sequence[Annotation], Sequence[Annotation], int], Recognize]
"""Annotated volumes of animal A, its other volumes, seed."""


def make_carrier(method: Method, config: Config) -> Carry:
    """How a method learns from one animal what it then says about another."""
    chosen = choose_method(config, method)
    return lambda annotated, rest, seed: build_foreign(train_weights(annotated, rest, chosen, seed), chosen)


def make_head_learner(config: Config) -> LearnAcross:
    """How ours recognizes other heads by one named head: as `cender run --template` does, from it alone."""
    carry = make_carrier("default", config)
    return lambda teachers, template, recording, seed: carry([template], [], seed)


def measure_carried(
    pairs: Sequence[tuple[Subject, Subject]], method: tuple[str, Carry], train: int, pace: Pace | None = None
) -> Measurement:
    """Learn from annotated volumes of animal A and identify all neurons of animal B, of which nothing is annotated.

    A number has to mean the same neuron in both, as it does in simulated animals.
    """
    name, carry = method
    pace = pace or Pace()

    def prepare(first: Subject, second: Subject, number: int) -> Trial:
        annotated, rest = draw_template(first, train, pace.seed, number)
        split = Split((), thin_volumes(sorted(second.seen), pace.at_most))
        return Trial(split, lambda: carry(annotated, rest, pace.seed + number), annotated)

    return measure_pairs(pairs, name, train, "template", prepare, pace)


def draw_template(
    subject: Subject, train: int, seed: int = 0, number: int = 0
) -> tuple[list[Annotation], list[Annotation]]:
    """Annotated volumes of an animal, drawn at random, and its others without identities."""
    drawn = draw_annotated(subject, train, seed, number)
    rest = [one for volume, one in subject.seen.items() if volume not in drawn.train]
    return [subject.taught[volume] for volume in drawn.train], rest
