"""How deep a neuron is, judged by its width (the bound on the z-size that the paper suggests to learn)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, slots=True)
class DepthBounds:
    """Expected depth of a neuron, ``offset_um + slope * width``, and the spread (sd) around it."""

    offset_um: float
    slope: float
    spread_um: float

    def expect_um(self, width_um: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Expected depth of neurons of this width."""
        return self.offset_um + self.slope * width_um

    def rate(self, depth_um: Float[np.ndarray, " n"], width_um: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Logarithm of the likelihood of a depth, up to a constant."""
        rate: np.ndarray = -0.5 * ((depth_um - self.expect_um(width_um)) / self.spread_um) ** 2
        return rate
