"""What is known of one volume."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.types.head import Head
from cender.types.regions import Regions
from cender.types.volume import VoxelSize


@dataclass(frozen=True, slots=True)
class Annotation:
    """Neurons of one volume as a person, a simulator or a machine sees them.

    ``centre_um`` is ``z y x``, one row per neuron; ``identity`` is -1 where there is none, ``probability`` that it is
    right.
    ``regions`` may be empty (centres only); its ``neuron`` column points at the rows here. ``complete`` says whether
    every neuron of the volume is marked: only then is an unmatched detection false. ``voxel_um`` brings boxes to µm; it
    is None only where it is not known, which is enough for centres without boxes.
    """

    volume: int
    centre_um: Float[np.ndarray, "m 3"]
    identity: Int[np.ndarray, " m"]
    probability: Float[np.ndarray, " m"]
    regions: Regions
    head: Head | None = None
    complete: bool = True
    flagged: bool = False
    voxel_um: VoxelSize | None = None

    @classmethod
    def from_points(
        cls, volume: int, centre_um: Float[np.ndarray, "m 3"], identity: Int[np.ndarray, " m"] | None = None
    ) -> "Annotation":
        """Centres only, with probability 1 and, where none are given, without identities."""
        count = len(centre_um)
        known = np.full(count, -1) if identity is None else identity
        return cls(volume, centre_um, known, np.ones(count), Regions.empty())

    def __len__(self) -> int:
        return len(self.centre_um)
