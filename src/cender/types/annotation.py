"""What is known of one volume."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.errors import DataError
from cender.types.head import Head
from cender.types.regions import Regions
from cender.types.volume import VoxelSize


@dataclass(frozen=True, slots=True)
class Annotation:
    """Neurons of one volume as a person, a simulator or a machine sees them.

    ``centre_um`` is ``z y x``, one row per neuron; ``identity`` is -1 where there is none, ``probability`` that it is
    right.
    ``regions`` may be empty (centres only); its ``neuron`` column points at the rows here. ``complete`` says whether
    every neuron of the volume is marked: only then is an unmatched detection false. ``voxel_um`` brings boxes to µm;
    only centres without boxes need none.

    Raises
    ------
    DataError
        There are boxes but no voxel size.
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

    def __post_init__(self) -> None:
        if len(self.regions) and self.voxel_um is None:
            raise DataError(
                f"volume {self.volume}: expected a voxel size, without which its boxes have no place in µm, found "
                "none; give it as voxel_um (z, y, x), or leave the boxes out"
            )

    @property
    def region_um(self) -> Float[np.ndarray, "n 3"]:
        """Centres of the boxes in µm, ``z y x``."""
        if self.voxel_um is None:
            return np.zeros((0, 3))
        return np.asarray(self.regions.centre_px * np.array(self.voxel_um))

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

    def select(self, keep: Bool[np.ndarray, " m"]) -> "Annotation":
        """Some of its neurons, and their boxes; boxes of others belong to none."""
        row = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1)
        return replace(
            self,
            centre_um=self.centre_um[keep],
            identity=self.identity[keep],
            probability=self.probability[keep],
            regions=replace(self.regions, neuron=row[self.regions.neuron]),
        )
