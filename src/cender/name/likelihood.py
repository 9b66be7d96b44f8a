"""How well each neuron fits each cell of the atlas."""

import numpy as np
from jaxtyping import Float

from cender.name.atlas import Atlas

STRAY = 0.03
"""How far, in units of the atlas, an animal strays from it beyond what single cells do."""
TAIL = 4.0
"""Degrees of freedom of the heavy tail: one neuron far off must not decide about a pose."""
LOOKS = (0, 1, 2)
"""Colour features that the atlas compares: normal scores of the three landmark colours."""


def measure_places(position: Float[np.ndarray, "n 3"], atlas: Atlas) -> Float[np.ndarray, "n k"]:
    """Log-likelihood of each neuron's place for each cell, with heavy tails."""
    covariance = atlas.covariance + STRAY**2 * np.eye(3)
    inverse = np.linalg.inv(covariance)
    offset = position[:, None] - atlas.mean[None]  # n k 3
    squared = np.einsum("nki,kij,nkj->nk", offset, inverse, offset)
    volume = 0.5 * np.linalg.slogdet(covariance)[1]
    return np.asarray(-0.5 * (TAIL + 3) * np.log1p(squared / TAIL) - volume)


def measure_looks(colour: Float[np.ndarray, "n f"], atlas: Atlas) -> Float[np.ndarray, "n k"]:
    """Log-likelihood of each neuron's colour for each cell; zeros where there is no colour."""
    there = colour[:, -2] > 0
    total = np.zeros((len(colour), len(atlas)))
    for feature in LOOKS:
        spread = np.hypot(atlas.colour_spread[:, feature], 0.3)
        away = (colour[:, feature, None] - atlas.colour[None, :, feature]) / spread
        total -= 0.5 * (TAIL + 1) * np.log1p(away**2 / TAIL) + np.log(spread)
    return np.where(there[:, None], total, 0.0)
