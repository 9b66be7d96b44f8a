"""Identities of the volumes of a recording: each recognized by itself, then heard by its neighbours, then doubted."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np

from cender.recognize.confidence import doubt_volume
from cender.recognize.model import Model, Recognition, classify_neurons, give_identities
from cender.recognize.params import RecognizeParams
from cender.recognize.pooling import Pooled, pool_classes, thin_recognition
from cender.types import Annotation, Identities

Classify = Callable[[Annotation], Recognition]
Each = Callable[[Classify, Sequence[Annotation]], Iterable[Recognition]]
"""`map`, or another way to do the same for every volume."""


def recognize_neurons(
    volumes: Sequence[Annotation],
    model: Model,
    params: RecognizeParams,
    which: Literal["taught", "all"] = "taught",
    *,
    classify: Callable[[Annotation, Model], Recognition] = classify_neurons,
    each: Each = map,
) -> list[Identities]:
    """Identities of the neurons of some volumes; what these say of identities already is not looked at.

    Volumes that are given together are neighbours, and hear each other where the settings say so
    (``recognize.temporal``).

    Parameters
    ----------
    which
        As in `give_identities`.
    classify
        How one volume by itself is recognized.
    each
        How that is done for all of them, for example by several threads.
    """
    recognitions = list(each(lambda one: thin_recognition(classify(one, model)), volumes))
    return recognize_together(volumes, recognitions, model, params.refuse_below, which, pool=params.temporal)


def recognize_together(
    volumes: Sequence[Annotation],
    recognitions: Sequence[Recognition],
    model: Model,
    refuse_below: float,
    which: Literal["taught", "all"] = "taught",
    *,
    pool: bool = True,
) -> list[Identities]:
    """Identities of all volumes, in the order given; neighbours are told by number.

    Parameters
    ----------
    recognitions
        What `classify_neurons` found out about each volume.
    refuse_below, which
        As in `give_identities`.
    pool
        Whether neighbouring volumes are heard.
    """
    order = np.argsort([one.volume for one in volumes], kind="stable")
    if pool:
        pooled = dict(
            zip(order.tolist(), pool_classes([recognitions[row] for row in order], model.calibration), strict=True)
        )
    else:
        pooled = {row: Pooled(one.classes, one.probability) for row, one in enumerate(recognitions)}
    answers = []
    for row, recognition in enumerate(recognitions):
        probability = doubt_volume(pooled[row].probability, recognition.quality, model.quality)
        answers.append(give_identities(pooled[row].classes, probability, model, refuse_below, which))
    return answers
