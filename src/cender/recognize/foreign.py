"""How sure an identity is that a recognizer of another animal gives.

Within an animal a recognizer knows how far its neurons move. It does not know how far those of another animal lie from
where it expects them, so that its probabilities mean something else there. What tells a template that fits from one
that does not is the mean probability of the whole recording. Its mirror image does not: a head is nearly symmetric, and
the mirror image of one fits as well, with the names of left and right exchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from cender.types import Annotation, Identities, Regions


@dataclass(frozen=True, slots=True)
class ForeignTrust:
    """Log-odds that an identity is right.

    Weights of its own log-odds beyond those of the recording's mean probability, and of that mean; and a constant.
    """

    own: float
    mean: float
    constant: float

    @property
    def weights(self) -> Float[np.ndarray, "3"]:
        """Those of the features of `describe_foreign`."""
        return np.array([self.own, self.mean, self.constant])


# Fitted by `python -m cender.bench.identity.trust`, ours on simulated pairs and real heads.
TRUST = {"default": ForeignTrust(0.456, 2.102, -1.13), "paper": ForeignTrust(0.332, 0.167, -3.236)}


def turn_over(annotation: Annotation) -> Annotation:
    """The volume of an animal that lies on its other side: half a turn about an axis in the image plane."""
    return replace(annotation, centre_um=annotation.centre_um * np.array([-1.0, -1.0, 1.0]))


def mirror(annotation: Annotation) -> Annotation:
    """The mirror image of a volume; boxes are left out."""
    return replace(annotation, centre_um=annotation.centre_um * np.array([-1.0, 1.0, 1.0]), regions=Regions.empty())


def trust_foreign(answers: Sequence[Identities], trust: ForeignTrust, refuse_below: float) -> list[Identities]:
    """The identities of a recording with probabilities that hold across animals; improbable ones are refused (-1).

    Parameters
    ----------
    answers
        All identities that the recognizer of the other animal gives, none refused yet.
    """
    found = []
    for one, rows in zip(answers, describe_foreign(answers), strict=True):
        odds = rows @ trust.weights
        probability = np.where(one.identity >= 0, 1 / (1 + np.exp(-odds)), 0.0)
        kept = (one.identity >= 0) & (probability >= refuse_below)
        found.append(Identities(np.where(kept, one.identity, -1), probability))
    return found


def describe_foreign(answers: Sequence[Identities]) -> list[Float[np.ndarray, "n 3"]]:
    """Log-odds of every identity beyond those of the recording's mean, that mean, and 1; one array per volume."""
    mean = measure_mean_odds(answers)
    return [
        np.column_stack([_to_odds(one.probability) - mean, np.full(len(one), mean), np.ones(len(one))])
        for one in answers
    ]


def measure_mean_odds(answers: Sequence[Identities]) -> float:
    """Log-odds of the mean probability of all identities that are given."""
    given = np.concatenate([np.zeros(0), *(one.probability[one.identity >= 0] for one in answers)])
    return float(_to_odds(np.array([given.mean() if len(given) else 0.0]))[0])


def _to_odds(probability: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    sure = np.clip(probability, 1e-3, 1 - 1e-3)
    return np.asarray(np.log(sure) - np.log1p(-sure))
