"""How brightly the neurons of one volume shine in both channels."""

from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Bool, Float


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

    def lay_over(self, rows: Bool[np.ndarray, " m"], others: "Intensities") -> "Intensities":
        """The same with these rows as others measured them."""
        columns = [getattr(self, one.name).copy() for one in fields(self)]
        for column, one in zip(columns, fields(self), strict=True):
            column[rows] = getattr(others, one.name)
        return Intensities(*columns)
