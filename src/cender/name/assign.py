"""One cell name per neuron and one neuron per name, with probabilities."""

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment

ROUNDS = 20
"""Rounds of making rows and columns sum to one in turn."""
ABSENT = 0.3
"""Weight of "this cell was not seen" against each neuron that could be it."""
FLOOR = 1e-300
"""Smallest probability whose logarithm is taken."""


def assign_cells(score: Float[np.ndarray, "n k"]) -> Int[np.ndarray, " n"]:
    """The best one-to-one names; -1 where there are more neurons than cells."""
    rows, columns = linear_sum_assignment(-score)
    names = np.full(len(score), -1)
    names[rows] = columns
    return names


def balance_scores(score: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """Log-posterior under the rule that a name is used once at most (Sinkhorn); rows sum to one."""
    # Not in logarithms, which would take most of the time of naming an animal; a name below the floor is out of reach.
    balanced = np.exp(score - score.max(axis=1, keepdims=True))
    balanced /= balanced.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        balanced /= np.maximum(balanced.sum(axis=0) + ABSENT, 1)
        balanced /= balanced.sum(axis=1, keepdims=True)
    return np.asarray(np.log(np.maximum(balanced, FLOOR)))
