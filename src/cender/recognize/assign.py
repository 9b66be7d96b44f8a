"""One identity per neuron and one neuron per identity."""

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment

RELUCTANCE = 4.0
"""Log-probability that a neuron gives up to be none of the identities."""


def assign_classes(score: Float[np.ndarray, "n k"]) -> Int[np.ndarray, " n"]:
    """The best one-to-one identities (-1: none), by Hungarian assignment on log-probabilities.

    Every neuron has a private last resort, to be none of the identities, at `RELUCTANCE` less than its last column
    says: identities are nearly forced here, and refused later by their probability.
    """
    count, identities = len(score), score.shape[1] - 1
    # Finite: a point that no identity could ever be still has its way out.
    cost = np.full((count, identities + count), 1e4)
    cost[:, :identities] = np.minimum(-score[:, :identities], 1e3)
    rows = np.arange(count)
    cost[rows, identities + rows] = np.minimum(RELUCTANCE - score[:, -1], 1e3)
    row, column = linear_sum_assignment(cost)
    classes = np.full(count, -1)
    classes[row] = np.where(column < identities, column, -1)
    return classes
