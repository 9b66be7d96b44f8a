"""Poses in which an animal may lie, and the way from there into the frame of the atlas."""

import numpy as np
from jaxtyping import Float

from cender.name.atlas import UNIT_UM, Atlas, Similarity

ROLLS = 8
"""Turns about the long axis that are tried."""
ENDS = 0.05, 0.95
"""Shares of the neurons between which a head is as long as it counts."""
SHORT = 0.8
"""A head shorter than this share of the usual length may be a part of one, from either end."""


def list_poses(position_um: Float[np.ndarray, "n 3"], mirrored: bool, atlas: Atlas) -> list[Similarity]:
    """Ways that lay the animal along x: either end first, in eight rolls about the long axis.

    Its middle comes to lie on that of the atlas. A short head is also laid with each end on the atlas' end: in the
    middle of the atlas, half a head looks like nothing that is known.
    """
    middle = np.median(position_um, axis=0)
    spread = (position_um - middle) / UNIT_UM
    axes = np.linalg.svd(spread, full_matrices=False)[2]
    base = np.array([axes[2], axes[1], axes[0]])
    if np.linalg.det(base) < 0:
        base[0] = -base[0]
    if mirrored:
        base[0] = -base[0]
    usual = _list_usual(atlas)
    home, reach = np.median(usual, axis=0), np.quantile(usual[:, 2], ENDS)
    ways = []
    for ends in (np.eye(3), np.diag([-1.0, 1.0, -1.0])):
        along = np.quantile(spread @ (ends @ base)[2], ENDS)
        places = [home[2]]
        if np.ptp(along) < SHORT * np.ptp(reach):
            places += (reach - along).tolist()
        for roll in np.arange(ROLLS) * 2 * np.pi / ROLLS:
            cos, sin = np.cos(roll), np.sin(roll)
            turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ ends @ base
            for place in places:
                shift = np.array([home[0], home[1], place]) - turn @ middle / UNIT_UM
                ways.append(Similarity(1 / UNIT_UM, turn, shift))
    return ways


def compare_length(position_um: Float[np.ndarray, "n 3"], atlas: Atlas) -> tuple[float, float]:
    """Length of a head along its long axis and that of a usual one, in µm, without the outermost neurons."""
    spread = position_um - np.median(position_um, axis=0)
    along = spread @ np.linalg.svd(spread, full_matrices=False)[2][0]
    return float(np.ptp(np.quantile(along, ENDS))), UNIT_UM * float(np.ptp(np.quantile(_list_usual(atlas)[:, 2], ENDS)))


def _list_usual(atlas: Atlas) -> Float[np.ndarray, "m 3"]:
    """Places of cells in the atlas, those that are seen in many animals as many times."""
    return np.repeat(atlas.mean, np.rint(atlas.sightings).astype(int), axis=0)
