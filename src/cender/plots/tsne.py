"""Points of many dimensions laid out in a plane by t-SNE, exactly, for a picture of at most a few thousand of them."""

import numpy as np
from jaxtyping import Float

STEPS = 500
EARLY = 125
EXAGGERATION = 12.0
AT_MOST = 2500


def lay_out(points: Float[np.ndarray, "n d"], perplexity: float = 30.0, seed: int = 0) -> Float[np.ndarray, "n 2"]:
    """Places in a plane where neighbours stay neighbours (van der Maaten and Hinton 2008, exact gradient).

    Memory and time grow with the square of the number of points, so that more than 2,500 are refused.
    """
    count = len(points)
    if count > AT_MOST:
        raise ValueError(f"expected at most {AT_MOST} points, found {count}; draw a sample")
    rng = np.random.default_rng(seed)
    place = rng.normal(0, 1e-4, (count, 2)).astype(np.float32)
    if count < 4:
        return place.astype(float)
    affinity = _find_affinities(points, min(perplexity, (count - 1) / 3)).astype(np.float32)
    # The customary step: it grows with the number of points, as the gradient shrinks with it.
    rate = max(count / EXAGGERATION / 4, 50.0)
    velocity, gain = np.zeros_like(place), np.ones_like(place)
    for step in range(STEPS):
        early = step < EARLY
        kernel = 1 / (1 + _square_distances(place))
        np.fill_diagonal(kernel, 0)
        pull = (affinity * (EXAGGERATION if early else 1) - kernel / kernel.sum()) * kernel
        gradient = 4 * (pull.sum(1)[:, None] * place - pull @ place)
        gain = np.maximum(np.where(np.sign(gradient) == np.sign(velocity), gain * 0.8, gain + 0.2), 0.01)
        velocity = (0.5 if early else 0.8) * velocity - rate * gain * gradient
        place = place + velocity
        place -= place.mean(0)
    return place.astype(float)


def _find_affinities(points: Float[np.ndarray, "n d"], perplexity: float) -> Float[np.ndarray, "n n"]:
    """Symmetric shares of neighbourhood; the width around every point gives it this many effective neighbours."""
    square = _square_distances(points.astype(float))
    np.fill_diagonal(square, np.inf)
    square -= square.min(axis=1, keepdims=True)
    low, high = np.zeros(len(points)), np.full(len(points), np.inf)
    precision = np.ones(len(points))
    share = np.zeros_like(square)
    for _ in range(50):
        weight = np.exp(-square * precision[:, None])
        share = weight / weight.sum(1, keepdims=True)
        entropy = -(share * np.log(np.maximum(share, 1e-12))).sum(1)
        wide = entropy > np.log(perplexity)
        low, high = np.where(wide, precision, low), np.where(wide, high, precision)
        precision = np.where(np.isinf(high), 2 * low, (low + high) / 2)
    both: np.ndarray = np.maximum((share + share.T) / (2 * len(points)), 1e-12)
    return both


def _square_distances(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n n"]:
    norm = (points**2).sum(1)
    square: np.ndarray = np.maximum(norm[:, None] + norm[None] - 2 * points @ points.T, 0)
    return square
