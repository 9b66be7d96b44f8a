"""A model of one animal, used on another of which a single volume is annotated."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cender.bench.identity.measure import Measurement, Recognize, collect_identities
from cender.bench.identity.pairs import Pace, Trial, draw_annotated, measure_pairs
from cender.bench.identity.split import Split, thin_volumes
from cender.bench.identity.subject import Subject
from cender.types import Annotation

LearnAcross = Callable[[Sequence[Annotation], Annotation, Sequence[Annotation], int], Recognize]
"""Annotated volumes of animal A, the template of animal B, the recording of B without identities, seed."""


def measure_across(
    pairs: Sequence[tuple[Subject, Subject]], method: tuple[str, LearnAcross], train: int, pace: Pace | None = None
) -> Measurement:
    """Learn from volumes of animal A, get one annotated volume of animal B, and recognize the others of B.

    The numbers of A are mixed: they say nothing about those of B, as in recordings of real animals.

    Parameters
    ----------
    pairs
        Animals A and B of each repeat.
    method
        Its name and how it learns.
    train
        Number of annotated volumes of A.
    """
    name, learn = method
    pace = pace or Pace()

    def prepare(first: Subject, second: Subject, number: int) -> Trial:
        annotated = draw_teachers(first, train, pace.seed, number)
        drawn = draw_annotated(second, 1, pace.seed, number)
        template = second.taught[drawn.train[0]]
        recording = list(second.seen.values())
        return Trial(
            Split(drawn.train, thin_volumes(drawn.test, pace.at_most)),
            lambda: learn(annotated, template, recording, pace.seed + number),
            [template],
        )

    return measure_pairs(pairs, name, train, "animals", prepare, pace)


def draw_teachers(subject: Subject, train: int, seed: int, number: int = 0) -> list[Annotation]:
    """Annotated volumes of an animal, drawn at random, with mixed numbers."""
    drawn = draw_annotated(subject, train, seed, number).train
    return mix_numbers([subject.taught[volume] for volume in drawn], seed + number)


def mix_numbers(annotated: Sequence[Annotation], seed: int) -> list[Annotation]:
    """The same volumes with other identity numbers, the same in all of them."""
    known = sorted(collect_identities(annotated))
    if not known:
        return list(annotated)
    new = np.full(known[-1] + 2, -1)
    new[known] = np.random.default_rng(seed).permutation(len(known))
    return [replace(one, identity=new[one.identity]) for one in annotated]
