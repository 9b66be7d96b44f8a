"""Identities that volumes find together: scores of the same neuron in other volumes are pooled.

A neuron that one volume mistakes for its neighbour is mostly right in the others. Volumes are registered to each
other by the identities that they share, and every neuron hears what its partners say.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.agreement import weigh_classes
from cender.recognize.assign import assign_classes
from cender.recognize.confidence import Calibration
from cender.recognize.links import Link, link_film
from cender.recognize.model import Recognition

STRENGTH = 0.5
"""Weight of what a partner says against what the volume itself says."""
FLOOR = -6.0
"""Logarithm below which a probability says no more than that an identity is unlikely."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """Classes of the neurons of a volume (-1 none) and their probabilities, the other volumes heard."""

    classes: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]


def thin_recognition(recognition: Recognition) -> Recognition:
    """The recognition with only what pooling needs, in half precision: there may be thousands of volumes."""
    score = np.maximum(recognition.score, FLOOR).astype(np.float16)
    return replace(recognition, score=score, first=score)


def pool_classes(
    recognitions: Sequence[Recognition], calibration: Calibration, strength: float = STRENGTH
) -> list[Pooled]:
    """Identities of volumes in order of time, each after it has heard up to five before and five after it.

    A volume that cannot be registered to any other keeps the identities that it found by itself.
    """
    links = link_film(recognitions)
    classes = [pool_scores(one, mine, recognitions, strength) for one, mine in zip(recognitions, links, strict=True)]
    sure = weigh_classes(recognitions, classes, links, calibration)
    return [Pooled(one, probability) for one, probability in zip(classes, sure, strict=True)]


def pool_scores(
    recognition: Recognition,
    links: Sequence[tuple[int, Link]],
    recognitions: Sequence[Recognition],
    strength: float = STRENGTH,
) -> Int[np.ndarray, " n"]:
    """Classes of the neurons of one volume by its own scores and those of their partners."""
    if not links or not len(recognition.classes):
        return recognition.classes
    score = np.maximum(recognition.score, FLOOR).astype(float)
    for number, link in links:
        heard = np.maximum(recognitions[number].score[link.there], FLOOR)
        score[link.here] += strength * link.weight[:, None] * heard
    top = score.max(axis=1, keepdims=True)
    return assign_classes(score - top - np.log(np.exp(score - top).sum(axis=1, keepdims=True)))
