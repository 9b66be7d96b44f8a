"""Poses in which an animal may lie, and the way from there into the frame of the atlas."""

import numpy as np
from jaxtyping import Float

from cender.name.atlas import UNIT_UM, Similarity

ROLLS = 8
"""Turns about the long axis that are tried."""


def list_poses(position_um: Float[np.ndarray, "n 3"], mirrored: bool) -> list[Similarity]:
    """Ways that lay the animal along x: either end first, in eight rolls about the long axis."""
    middle = np.median(position_um, axis=0)
    spread = (position_um - middle) / UNIT_UM
    axes = np.linalg.svd(spread, full_matrices=False)[2]
    base = np.array([axes[2], axes[1], axes[0]])
    if np.linalg.det(base) < 0:
        base[0] = -base[0]
    if mirrored:
        base[0] = -base[0]
    ways = []
    for ends in (np.eye(3), np.diag([-1.0, 1.0, -1.0])):
        for roll in np.arange(ROLLS) * 2 * np.pi / ROLLS:
            cos, sin = np.cos(roll), np.sin(roll)
            turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ ends @ base
            ways.append(Similarity(1 / UNIT_UM, turn, -turn @ middle / UNIT_UM))
    return ways
