"""Which volumes lie alike: by posture where it is known, else by the direction of the head."""

import numpy as np
from jaxtyping import Bool, Float, Int

LATE = 0.2
"""Weight of the distance in time, as a share of the recording, beside that of posture or direction (usually 1)."""


def rank_alike(
    posture: Float[np.ndarray, "n p"],
    anterior_yx: Float[np.ndarray, "n 2"],
    usable: Bool[np.ndarray, " n"],
    reviewed: Bool[np.ndarray, " n"],
    here: int,
) -> Int[np.ndarray, " m"]:
    """Rows of the other usable volumes, the most alike first; reviewed ones come before all others.

    Where the posture of ``here`` is known (not NaN), volumes of unknown posture come after those of known ones.
    """
    unlike = np.linalg.norm(posture - posture[here], axis=1)
    known = np.isfinite(unlike)
    usual = float(np.median(unlike[known & (unlike > 0)])) if (unlike[known] > 0).any() else 1.0
    turn = np.linalg.norm(anterior_yx - anterior_yx[here], axis=1)
    apart = np.abs(np.arange(len(turn)) - here) / max(len(turn), 1)
    cost = np.where(known, unlike / usual, turn) + LATE * apart
    order = np.lexsort((cost, ~known, ~reviewed))
    return np.asarray(order[usable[order] & (order != here)])
