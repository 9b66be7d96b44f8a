"""How brightly the neurons of one volume shine in both channels."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, slots=True)
class Intensities:
    """One row per neuron: its mean above background and the background itself, in camera counts.

    Intensity and background are both NaN where the channel was not recorded or the neuron lies outside of it. An
    intensity alone is NaN where the camera was saturated: what was lost there cannot be known.
    """

    red: Float[np.ndarray, " m"]
    green: Float[np.ndarray, " m"]
    background_red: Float[np.ndarray, " m"]
    background_green: Float[np.ndarray, " m"]

    @classmethod
    def unknown(cls, count: int) -> "Intensities":
        """Neurons of which nothing was measured."""
        return cls(*(np.full(count, np.nan) for _ in range(4)))

    def __len__(self) -> int:
        return len(self.red)
