"""A model of one animal, used on another of which a single volume is annotated."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from cender.bench.identity.measure import Clock, Measurement, Recognize, Repeat, collect_identities, score_recognizer
from cender.bench.identity.split import Split, split_volumes, thin_volumes
from cender.bench.identity.subject import Subject
from cender.errors import DataError
from cender.types import Annotation

LearnAcross = Callable[[Sequence[Annotation], Annotation, Sequence[Annotation], int], Recognize]
"""Annotated volumes of animal A, the template of animal B, the recording of B without identities, seed."""


def measure_across(
    pairs: Sequence[tuple[Subject, Subject]],
    method: tuple[str, LearnAcross],
    train: int,
    *,
    seed: int = 0,
    at_most: int | None = None,
    on_repeat: Callable[[Repeat], None] = lambda repeat: None,
    clock: Clock = perf_counter,
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
    at_most
        Test on no more than this many volumes, spread evenly.
    clock
        Seconds that learning and recognizing are timed with.
    """
    if not pairs:
        raise DataError("expected at least one pair of animals")
    if train < 1:
        raise DataError("--train 0: a model of another animal needs annotated volumes of it; ask for at least 1")
    repeats = []
    for number, (first, second) in enumerate(pairs):
        annotated = draw_teachers(first, train, seed, number)
        drawn = split_volumes(_find_labelled(second), {}, 1, "random", seed, number)
        split = Split(drawn.train, thin_volumes(drawn.test, at_most))
        template = second.taught[split.train[0]]
        start = clock()
        recognize = method[1](annotated, template, list(second.seen.values()), seed + number)
        spent = clock() - start
        repeats.append(score_recognizer(second, split, recognize, spent, collect_identities([template]), clock))
        on_repeat(repeats[-1])
    truth = pairs[0][1].truth
    preset_hash = truth.provenance.get("preset_hash")
    return Measurement(method[0], train, "animals", seed, truth.source, preset_hash, tuple(repeats))


def draw_teachers(subject: Subject, train: int, seed: int, number: int = 0) -> list[Annotation]:
    """Annotated volumes of an animal, drawn at random, with mixed numbers."""
    drawn = split_volumes(_find_labelled(subject), {}, train, "random", seed, number).train
    return mix_numbers([subject.taught[volume] for volume in drawn if volume in subject.taught], seed + number)


def mix_numbers(annotated: Sequence[Annotation], seed: int) -> list[Annotation]:
    """The same volumes with other identity numbers, the same in all of them."""
    known = sorted(collect_identities(annotated))
    if not known:
        return list(annotated)
    new = np.full(known[-1] + 2, -1)
    new[known] = np.random.default_rng(seed).permutation(len(known))
    return [replace(one, identity=new[one.identity]) for one in annotated]


def _find_labelled(subject: Subject) -> list[int]:
    labelled = [volume for volume, one in subject.taught.items() if (one.identity >= 0).any()]
    return [volume for volume in labelled if volume in subject.seen]
