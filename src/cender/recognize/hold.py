"""Names of a volume in which some neurons are known already: they stand, and the others are named around them."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.assign import assign_names
from cender.recognize.confidence import describe_names
from cender.recognize.model import Model, Naming
from cender.recognize.refine import refine_scores

FREE, STRANGER = -1, -2
"""Of a neuron: nothing is known; it is none of the recognizer's identities."""
NEVER = -60.0
"""Logarithm of a probability that stands for 'impossible'."""


def hold_names(naming: Naming, held: Int[np.ndarray, " n"], model: Model, volume: int) -> Naming:
    """The naming of a volume again, with the class of some neurons known (`FREE`: to be found, `STRANGER`: none).

    Known neurons anchor the warps by which references are laid over the volume, so that their neighbours profit.
    """
    if not len(held) or (held == FREE).all():
        return naming
    others = model.references.select(model.references.volume != volume)
    first = _hold(naming.first, held)
    refined = refine_scores(naming.position, first, others if len(others) else model.references)
    score = _hold(refined, held)
    names = assign_names(score)
    features = describe_names(score, first, names)
    probability = np.where(names >= 0, model.calibration.apply(features), 0.0)
    known = held >= 0
    names, probability = np.where(known, held, names), np.where(known, 1.0, probability)
    return replace(naming, names=names, probability=probability, features=features, first=first, score=score)


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
