"""What is known of a whole recording."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cender.errors import DataError
from cender.types.annotation import Annotation
from cender.types.recording import VoxelSize


@dataclass(frozen=True, slots=True)
class Annotations:
    """Annotations by volume, and the true ratio by (identity, volume), with where they come from.

    ``voxel_um`` is None only where the file says none and no volume has boxes.
    """

    source: str
    voxel_um: VoxelSize | None
    rate_hz: float | None
    annotations: Mapping[int, Annotation]
    ratio: Mapping[tuple[int, int], float] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    time_s: Mapping[int, float] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)

    @property
    def scale(self) -> VoxelSize:
        """The voxel size, where pixels and micrometres have to be brought together.

        Raises
        ------
        DataError
            It is not known.
        """
        if self.voxel_um is None:
            raise DataError(f"{self.source} does not say its voxel size; give voxel_um = [z, y, x] in its truth.toml")
        return self.voxel_um

    def __len__(self) -> int:
        return len(self.annotations)
