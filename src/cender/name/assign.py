"""One cell name per neuron and one neuron per name, with probabilities."""

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

ROUNDS = 20
ABSENT = np.log(0.3)
"""Weight of "this cell was not seen" against each neuron that could be it, in logarithms."""


def assign_cells(score: Float[np.ndarray, "n k"]) -> Int[np.ndarray, " n"]:
    """The best one-to-one names; -1 where there are more neurons than cells."""
    rows, columns = linear_sum_assignment(-score)
    names = np.full(len(score), -1)
    names[rows] = columns
    return names


def balance_scores(score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """Log-posterior under the rule that a name is used once at most (Sinkhorn); rows sum to one."""
    balanced = score - logsumexp(score, axis=1, keepdims=True)
    for _ in range(ROUNDS):
        total = np.logaddexp(logsumexp(balanced, axis=0), ABSENT)
        balanced = balanced - np.maximum(total, 0)
        balanced = balanced - logsumexp(balanced, axis=1, keepdims=True)
    return np.asarray(balanced)
