"""Identities of a volume in which some neurons are known already: they stand, others find theirs around them."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.assign import assign_classes
from cender.recognize.confidence import describe_classes
from cender.recognize.model import Model, Recognition
from cender.recognize.refine import refine_scores

FREE, STRANGER = -1, -2
"""Of a neuron: nothing is known; it is none of the recognizer's identities."""
NEVER = -60.0
"""Logarithm of a probability that stands for 'impossible'."""


def hold_classes(recognition: Recognition, held: Int[np.ndarray, " n"], model: Model, volume: int) -> Recognition:
    """The recognition of a volume again, with the class of some neurons known (`FREE`: to be found, `STRANGER`: none).

    Known neurons anchor the warps by which references are laid over the volume, so that their neighbours profit.
    """
    if not len(held) or (held == FREE).all():
        return recognition
    others = model.references.select(model.references.volume != volume)
    first = _hold(recognition.first, held)
    refined = refine_scores(recognition.position, first, others if len(others) else model.references)
    score = _hold(refined, held)
    classes = assign_classes(score)
    features = describe_classes(score, first, classes)
    probability = np.where(classes >= 0, model.calibration.apply(features), 0.0)
    known = held >= 0
    classes, probability = np.where(known, held, classes), np.where(known, 1.0, probability)
    return replace(recognition, classes=classes, probability=probability, features=features, first=first, score=score)


def _hold(score: Float[np.ndarray, "n k"], held: Int[np.ndarray, " n"]) -> Float[np.ndarray, "n k"]:
    """The scores with every known neuron sure of its class, which no other neuron can have."""
    changed = np.asarray(score, float).copy()
    fixed = np.flatnonzero(held != FREE)
    known = fixed[held[fixed] >= 0]
    changed[:, held[known]] = NEVER
    changed[fixed] = NEVER
    changed[known, held[known]] = 0.0
    changed[held == STRANGER, -1] = 0.0
    return changed
