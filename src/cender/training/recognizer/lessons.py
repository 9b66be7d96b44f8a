"""Volumes as lessons: their neurons in one frame, with the classes that they teach."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int

from cender.errors import DataError
from cender.recognize.evidence import measure_evidence
from cender.recognize.frame import POSES, place_points
from cender.recognize.model import Recognition
from cender.recognize.references import References, gather_references
from cender.training.recognizer.clouds import Cloud
from cender.types import Annotation

TRUSTED_PROBABILITY = 0.6
"""Probability from which an identity that the recognizer gave may teach it; where all are unsure, their median."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A volume and its neurons as classes."""

    annotation: Annotation
    cloud: Cloud


def read_lesson(annotation: Annotation, identities: Int[np.ndarray, " i"]) -> Lesson:
    """What a person said of a volume; ``identities`` are the classes, sorted."""
    label = np.searchsorted(identities, annotation.identity)
    # Where not every neuron was looked at, one without an identity may be any of them: it teaches nothing.
    label = np.where(annotation.identity >= 0, label, len(identities) if annotation.complete else -1)
    return Lesson(annotation, Cloud(place_points(annotation.centre_um), measure_evidence(annotation), label))


def trust_classes(annotation: Annotation, recognition: Recognition) -> Lesson:
    """What the recognizer itself said of a volume; the less probable half of its identities at most teaches nothing.

    That it found no identity for a neuron never teaches: learnt from, it would soon find none for any.
    """
    given = recognition.classes >= 0
    cut = (
        min(TRUSTED_PROBABILITY, float(np.median(recognition.probability[given])))
        if given.any()
        else TRUSTED_PROBABILITY
    )
    label = np.where(given & (recognition.probability >= cut), recognition.classes, -1)
    return Lesson(annotation, Cloud(recognition.position, measure_evidence(annotation), label))


def keep_classes(label: Int[np.ndarray, " n"], kept: Int[np.ndarray, " k"], before: int) -> Int[np.ndarray, " n"]:
    """Labels after all but these classes (of so many before) were given up: their neurons are unknown."""
    new = np.full(before + 2, -1)
    new[kept] = np.arange(len(kept))
    new[before] = len(kept)
    return np.asarray(new[label])


def align_lessons(lessons: Sequence[Lesson], none: int) -> list[Lesson]:
    """The lessons, all turned to the pose of the one with the most identities: a frame may point the other way."""
    first = max(lessons, key=_count_identities).cloud
    return [replace(one, cloud=turn_like(one.cloud, first, none)) for one in lessons]


def turn_like(cloud: Cloud, other: Cloud, none: int) -> Cloud:
    """The cloud in the pose in which its known neurons lie most like those of another."""
    common, here, there = np.intersect1d(cloud.label, other.label, return_indices=True)
    known = (common >= 0) & (common < none)
    if known.sum() < 2:
        return cloud
    a, b = cloud.position[here[known]], other.position[there[known]]
    error = [np.sum((a * pose - (a * pose).mean(0) - b + b.mean(0)) ** 2) for pose in POSES]
    return replace(cloud, position=cloud.position * POSES[int(np.argmin(error))])


def number_rest(marked: Sequence[Annotation]) -> list[Annotation]:
    """The volumes, the best of them first and with a number of its own for each of its unidentified neurons."""
    free = 1 + max(int(one.identity.max(initial=-1)) for one in marked)
    best = max(range(len(marked)), key=lambda row: (int((marked[row].identity >= 0).sum()), len(marked[row])))
    first = marked[best]
    whole = np.where(first.identity >= 0, first.identity, free + np.arange(len(first)))
    return [replace(first, identity=whole), *marked[:best], *marked[best + 1 :]]


def add_numbers(identities: Int[np.ndarray, " i"], count: int) -> Int[np.ndarray, " j"]:
    """The identities and so many new ones, under numbers that are free."""
    free = int(identities.max(initial=-1)) + 1
    return np.concatenate([identities, free + np.arange(count)])


def shift_none(label: Int[np.ndarray, " n"], before: int, after: int) -> Int[np.ndarray, " n"]:
    """Labels whose "none" was ``before`` (negative numbers below -1 aside) with "none" at ``after``."""
    return np.where(label == before, after, np.where(label > before, label - 1, label))


def gather_lessons(lessons: Sequence[Lesson], identities: int) -> References:
    """The lessons as references of geometry."""
    return gather_references(
        [one.annotation.volume for one in lessons],
        [one.cloud.position for one in lessons],
        [one.cloud.label for one in lessons],
        identities,
    )


def hash_volumes(volumes: Sequence[Annotation]) -> str:
    """A short text that differs where the volumes do."""
    found = hashlib.sha256()
    for one in volumes:
        found.update(f"{one.volume} {len(one)}".encode())
        for values in (one.centre_um, one.identity, measure_evidence(one)):
            found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]


def refuse_twins(annotation: Annotation) -> None:
    """Refuse an annotated volume in which an identity occurs twice."""
    known = annotation.identity[annotation.identity >= 0]
    values, counts = np.unique(known, return_counts=True)
    if len(counts) and counts.max() > 1:
        raise DataError(
            f"volume {annotation.volume}: expected every identity once, found {values[counts.argmax()]} "
            f"{counts.max()} times; correct the annotation"
        )


def _count_identities(lesson: Lesson) -> int:
    return int((lesson.annotation.identity >= 0).sum())
