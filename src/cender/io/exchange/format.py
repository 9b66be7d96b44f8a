"""What a format of the exchange can do, and what it keeps and loses."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cender.types import Annotations, VoxelSize


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run folder knows and a file may not say: the voxel size, the rate and the number of volumes."""

    voxel_um: VoxelSize | None = None
    rate_hz: float | None = None
    volumes: int | None = None


@dataclass(frozen=True, slots=True)
class ExchangeFormat:
    """One format.

    ``recognize`` says from a path (which need not exist) whether it is this format. ``load`` reads a file into
    annotations, ``save`` writes annotations into one; None where that direction is not there. ``kept`` and ``lost`` say
    in words what of the annotations survives a round trip.
    """

    name: str
    title: str
    kept: str
    lost: str
    recognize: Callable[[Path], bool]
    load: Callable[[Path, Surroundings], Annotations] | None = None
    save: Callable[[Annotations, Path], None] | None = None


def mark_partial(known: Annotations) -> Annotations:
    """The same annotations, every volume taken as only partly annotated."""
    return replace(known, annotations={key: replace(one, complete=False) for key, one in known.annotations.items()})
