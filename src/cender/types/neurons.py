"""Neurons of one volume: regions that belong together."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.types.regions import Regions


@dataclass(frozen=True, slots=True)
class Neurons:
    """3D neurons of one volume; ``regions.neuron`` gives the row here of every region.

    ``centre_px`` is ``z y x`` in full-frame indices, its z the intensity-weighted mean frame. ``z_first`` and
    ``z_last`` are the first and the last frame (both inside).
    """

    centre_px: Float[np.ndarray, "m 3"]
    z_first: Int[np.ndarray, " m"]
    z_last: Int[np.ndarray, " m"]
    score: Float[np.ndarray, " m"]
    regions: Regions

    @classmethod
    def empty(cls) -> "Neurons":
        """No neuron at all."""
        none = np.zeros(0, int)
        return cls(np.zeros((0, 3)), none, none, np.zeros(0), Regions.empty())

    def __len__(self) -> int:
        return len(self.centre_px)

    def select(self, kept: Bool[np.ndarray, " m"]) -> "Neurons":
        """Some of them, with their regions, numbered anew."""
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        regions = self.regions.select(kept[self.regions.neuron])
        regions = replace(regions, neuron=number[regions.neuron])
        return Neurons(self.centre_px[kept], self.z_first[kept], self.z_last[kept], self.score[kept], regions)
