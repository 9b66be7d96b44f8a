"""Identities of the volumes of a recording: each recognized by itself, then heard by its neighbours, then doubted."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from cender.recognize.confidence import doubt_volume
from cender.recognize.model import Model, Recognition, give_identities
from cender.recognize.pooling import Pooled, pool_classes
from cender.types import Annotation, Identities


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
        As in `recognize_neurons`.
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
