"""How sure an identity is: what the neuron says of it, what it says of the neuron, how often such ones are right."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit

ABSENT = 0.05
"""Weight of "this identity is not here" among the neurons that could have it."""

DOUBTFUL = 0.9
"""Mean probability of a volume's identities, relative to a usual volume of its recording, that makes all doubtful."""

USUAL = 0.82
"""Mean probability of the identities in a usual volume, where the recording is not known."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic map from the features of `describe_classes` to a probability."""

    weights: Float[np.ndarray, " 4"]

    def apply(self, features: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, " n"]:
        """Probability that each identity is right."""
        return np.asarray(expit(features @ self.weights))


def describe_classes(
    score: Float[np.ndarray, "n k"], first: Float[np.ndarray, "n k"], classes: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "n 4"]:
    """Features of every identity: log-odds of row × column posterior, the network's own, the volume's mean, 1.

    Parameters
    ----------
    score
        Log-probabilities after refinement (last column: none).
    first
        Those of the network alone.
    classes
        The identities given (-1: none; such rows are zeros).
    """
    rows = np.flatnonzero(classes >= 0)
    features = np.zeros((len(classes), 4))
    if not len(rows):
        return features
    chosen = classes[rows]
    joint = _log_odds(score[rows, chosen] + _measure_columns(score)[rows, chosen])
    alone = _log_odds(first[rows, chosen])
    features[rows, 0] = joint
    features[rows, 1] = alone
    features[rows, 2] = np.median(joint)
    features[rows, 3] = 1.0
    return features


def doubt_volume(probability: Float[np.ndarray, " n"], quality: float, usual: float) -> Float[np.ndarray, " n"]:
    """The probabilities, lowered where a volume's identities are improbable as a whole beside those of other volumes.

    A head that lies on its other side, a mirror image or noise leaves most identities improbable, yet a few fit by
    chance and look sure: what is wrong with the volume is wrong with them too. In a recording in which all identities
    are unsure this says nothing, and their own probability has to.

    Parameters
    ----------
    quality
        Mean probability of the identities in the volume.
    usual
        That of a usual volume of the recording.
    """
    return np.asarray(probability * min(1.0, quality / max(DOUBTFUL * usual, 1e-9)) ** 2)


def _measure_columns(score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """Logarithm of each neuron's share in an identity that could also be no neuron's."""
    top = score.max(axis=0)
    total = np.exp(score - top).sum(axis=0) + ABSENT
    return np.asarray(score - top - np.log(total))


def _log_odds(log_probability: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    probability = np.clip(np.exp(log_probability), 1e-4, 1 - 1e-4)
    return np.asarray(np.log(probability) - np.log1p(-probability))
