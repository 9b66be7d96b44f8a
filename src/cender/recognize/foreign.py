"""How sure a name is that a recognizer of another animal gives.

Within an animal a recognizer knows how far its neurons move. It does not know how far those of another animal lie from
where it expects them, so that its probabilities mean something else there: ours come out too low, the paper's, which
refuses nothing, far too high. What they are worth is learnt from pairs of simulated animals.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from cender.types import Annotation, Identities


@dataclass(frozen=True, slots=True)
class ForeignTrust:
    """Log-odds that a name is right: weights of its own log-odds, of those of the recording's mean, and a constant."""

    own: float
    mean: float
    constant: float


# Fitted by `python -m cender.bench.identity.carried` on pairs of simulated animals.
TRUST = {"default": ForeignTrust(0.536, 3.211, 7.361), "paper": ForeignTrust(0.318, 0.843, -2.991)}


def turn_over(annotation: Annotation) -> Annotation:
    """The volume of an animal that lies on its other side: half a turn about an axis in the image plane."""
    return replace(annotation, centre_um=annotation.centre_um * np.array([-1.0, -1.0, 1.0]))


def trust_foreign(answers: Sequence[Identities], trust: ForeignTrust, refuse_below: float) -> list[Identities]:
    """The names of a recording with probabilities that hold across animals; improbable ones are refused (-1).

    Parameters
    ----------
    answers
        All names that the recognizer of the other animal gives, refused by nobody yet.
    """
    features = describe_foreign(answers)
    weights = np.array([trust.own, trust.mean, trust.constant])
    found = []
    for one, rows in zip(answers, features, strict=True):
        probability = np.where(one.identity >= 0, 1 / (1 + np.exp(-rows @ weights)), 0.0)
        kept = (one.identity >= 0) & (probability >= refuse_below)
        found.append(Identities(np.where(kept, one.identity, -1), probability))
    return found


def describe_foreign(answers: Sequence[Identities]) -> list[Float[np.ndarray, "n 3"]]:
    """Log-odds of every name, of the mean probability of all names of the recording, and 1; one array per volume."""
    named = np.concatenate([np.zeros(0), *(one.probability[one.identity >= 0] for one in answers)])
    mean = _to_odds(np.array([named.mean() if len(named) else 0.0]))[0]
    return [np.column_stack([_to_odds(one.probability), np.full(len(one), mean), np.ones(len(one))]) for one in answers]


def _to_odds(probability: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    sure = np.clip(probability, 1e-3, 1 - 1e-3)
    return np.asarray(np.log(sure) - np.log1p(-sure))
