"""Points of many dimensions laid out in a plane by t-SNE (scikit-learn), for a picture of a few thousand of them."""

import numpy as np
from jaxtyping import Float
from sklearn.manifold import TSNE

# Points that are laid out in reasonable time, and from which on there is anything to lay out.
AT_MOST, FEWEST = 2500, 4
PERPLEXITY = 30.0
"""Neighbours that a point keeps near, about."""


def lay_out(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n 2"]:
    """Places in a plane where neighbours stay neighbours; the same every time, and zeros for fewer than four points.

    The picture shows nothing any more with more than 2,500 points, so that these are refused.
    """
    count = len(points)
    if count > AT_MOST:
        raise ValueError(f"expected at most {AT_MOST} points, found {count}; draw a sample")
    if count < FEWEST:
        return np.zeros((count, 2))
    layout = TSNE(perplexity=min(PERPLEXITY, (count - 1) / 3), init="random", random_state=0, n_jobs=1)
    return np.asarray(layout.fit_transform(points.astype(np.float32)), float)
