"""What is known of a whole recording."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cender.types.annotation import Annotation
from cender.types.recording import VoxelSize


@dataclass(frozen=True, slots=True)
class Annotations:
    """Annotations by volume, and the true ratio by (identity, volume), with where they come from."""

    source: str
    voxel_um: VoxelSize | None
    rate_hz: float | None
    annotations: Mapping[int, Annotation]
    ratio: Mapping[tuple[int, int], float] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    time_s: Mapping[int, float] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.annotations)
