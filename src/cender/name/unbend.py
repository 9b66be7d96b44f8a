"""The part of an animal's posture that a similarity leaves: stretched, sheared and bent against the atlas."""

import numpy as np
from jaxtyping import Float

RIDGE = 0.5
"""Neurons that the undeformed animal counts for, so that a few names cannot bend it."""
ROUNDS = 4
"""Rounds of fitting the bend, each trusting names less that the last one left far away."""
LEAST = 0.02
"""Smallest distance, in units of the atlas, that counts as usual between a bent neuron and its place in the atlas."""
END = 1.5
"""Distance from the middle of the head, in units of the atlas, beyond which a bend goes straight on."""


def unbend_animal(
    position: Float[np.ndarray, "n 3"],
    rows: np.ndarray,
    target: Float[np.ndarray, "m 3"],
    weight: Float[np.ndarray, " m"],
) -> Float[np.ndarray, "n 3"]:
    """All neurons after the smooth map of second order that takes some of them (rows) nearest to their targets.

    Positions are in the frame of the atlas. Targets far from where the others take them count little.
    """
    terms = _expand(position)
    known, wanted = terms[rows], target - position[rows]
    trust = weight
    for _ in range(ROUNDS):
        scatter = (known * trust[:, None]).T @ known + RIDGE * np.eye(terms.shape[1])
        bend = np.linalg.solve(scatter, (known * trust[:, None]).T @ wanted)
        distance = np.linalg.norm(wanted - known @ bend, axis=1)
        usual = max(float(np.median(distance)), LEAST)
        trust = weight / (1 + (distance / (2 * usual)) ** 2)
    return np.asarray(position + terms @ bend)


def _expand(position: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 10"]:
    z, y, x = position.T
    held = np.clip(x, -END, END)
    return np.stack([z, y, x, np.ones(len(x)), held**2, held * y, held * z, y**2, z**2, y * z], axis=1)
