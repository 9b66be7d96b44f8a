"""The one logistic regression of the house: what a score is worth, learnt from cases whose answer is known."""

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit

# Newton steps at most, and the change of weights from which on a fit is done.
MOST_STEPS = 100
SMALLEST_STEP = 1e-6
"""Step of the weights at which a fit has ended."""
# Keeps the curvature invertible where every case is beyond doubt.
LEAST_CURVATURE = 1e-6


def fit_logistic(
    features: Float[np.ndarray, "n f"],
    right: Bool[np.ndarray, " n"],
    prior: Float[np.ndarray, " f"],
    ridge: Float[np.ndarray, " f"],
    share: Float[np.ndarray, " n"] | None = None,
) -> Float[np.ndarray, " f"]:
    """Weights of the features in the log-odds of being right, by Newton's method.

    Parameters
    ----------
    prior
        Weights without any case; also where the search begins.
    ridge
        How strongly each weight is held to its prior (in cases); 0 leaves it free.
    share
        How much every case counts; 1 where not given.
    """
    target = right.astype(float)
    worth = np.ones(len(target)) if share is None else share
    weights = np.array(prior, float)

    def measure_misfit(candidate: Float[np.ndarray, " f"]) -> float:
        logit, away = features @ candidate, candidate - prior
        return float(np.sum(worth * (np.logaddexp(0, logit) - target * logit)) + 0.5 * (ridge * away) @ away)

    for _ in range(MOST_STEPS):
        probability = expit(features @ weights)
        gradient = features.T @ (worth * (probability - target)) + ridge * (weights - prior)
        spread = worth * probability * (1 - probability) + LEAST_CURVATURE
        curvature = (features * spread[:, None]).T @ features + np.diag(ridge + LEAST_CURVATURE)
        step = np.linalg.solve(curvature, gradient)
        # A whole step may overshoot and never come back where cases are far from what the prior says.
        while np.abs(step).max() > SMALLEST_STEP and measure_misfit(weights - step) > measure_misfit(weights):
            step = step / 2
        weights = weights - step
        if np.abs(step).max() < SMALLEST_STEP:
            break
    return weights
