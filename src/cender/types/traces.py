"""Activity of every identity through time."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True, slots=True)
class Traces:
    """One row per identity, one column per volume; NaN where a value is missing or not ``valid``.

    ``red`` and ``green`` are background-subtracted means, ``ratio`` their bleach-corrected quotient and ``dr_r0`` its
    change relative to R0, the 20th percentile of the valid ratio. All of these are of that volume alone.
    ``ratio_smooth`` and ``dr_r0_smooth`` are averaged over time; None where smoothing was not asked for.
    """

    identity: Int[np.ndarray, " k"]
    volume: Int[np.ndarray, " t"]
    time_s: Float[np.ndarray, " t"]
    red: Float[np.ndarray, "k t"]
    green: Float[np.ndarray, "k t"]
    ratio: Float[np.ndarray, "k t"]
    dr_r0: Float[np.ndarray, "k t"]
    probability: Float[np.ndarray, "k t"]
    valid: Bool[np.ndarray, "k t"]
    ratio_smooth: Float[np.ndarray, "k t"] | None = None
    dr_r0_smooth: Float[np.ndarray, "k t"] | None = None
