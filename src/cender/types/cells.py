"""The neurons of one animal as naming sees them."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, slots=True)
class Cells:
    """Neurons of one animal: where they lie, their colours, and the names that people gave.

    ``position_um`` is ``z y x``. ``colour`` has one column per channel, NaN where a channel was not recorded; it may
    have no columns. ``name`` is ``''`` for a neuron without a name. ``lab`` and ``group`` are '' where unknown.
    """

    position_um: Float[np.ndarray, "n 3"]
    colour: Float[np.ndarray, "n c"]
    name: tuple[str, ...]
    animal: str = ""
    lab: str = ""
    group: str = ""

    def __len__(self) -> int:
        return len(self.position_um)

    def select(self, rows: Int[np.ndarray, " m"]) -> "Cells":
        """Some of the neurons of the same animal."""
        return replace(
            self,
            position_um=self.position_um[rows],
            colour=self.colour[rows],
            name=tuple(self.name[row] for row in rows),
        )
