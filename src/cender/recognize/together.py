"""Identities of the volumes of a recording: each named by itself, then heard by its neighbours, then doubted."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from cender.recognize.confidence import doubt_volume
from cender.recognize.model import Model, Naming, give_names
from cender.recognize.pooling import Pooled, pool_names
from cender.types import Annotation, Identities


def recognize_together(
    volumes: Sequence[Annotation],
    namings: Sequence[Naming],
    model: Model,
    refuse_below: float,
    which: Literal["taught", "all"] = "taught",
    *,
    pool: bool = True,
) -> list[Identities]:
    """Identities of all volumes, in the order given; neighbours are told by number.

    Parameters
    ----------
    namings
        What `name_neurons` found out about each volume.
    refuse_below, which
        As in `recognize_neurons`.
    pool
        Whether neighbouring volumes are heard.
    """
    order = np.argsort([one.volume for one in volumes], kind="stable")
    if pool:
        pooled = dict(zip(order.tolist(), pool_names([namings[row] for row in order], model.calibration), strict=True))
    else:
        pooled = {row: Pooled(one.names, one.probability) for row, one in enumerate(namings)}
    answers = []
    for row, naming in enumerate(namings):
        probability = doubt_volume(pooled[row].probability, naming.quality, model.quality)
        answers.append(give_names(pooled[row].names, probability, model, refuse_below, which))
    return answers
