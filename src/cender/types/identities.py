"""Digital identities of the neurons of one volume."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, slots=True)
class Identities:
    """One row per neuron: its digital identity (-1 = not recognized) and the probability that this is right."""

    identity: Int[np.ndarray, " m"]
    probability: Float[np.ndarray, " m"]

    def __len__(self) -> int:
        return len(self.identity)
