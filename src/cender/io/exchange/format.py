"""What a format of the exchange can do, and what it keeps and loses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from jaxtyping import Bool

from cender.errors import DataError
from cender.types import Annotation, Annotations, Recording, VoxelSize
from cender.types.words import say_count


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run folder knows and a file may not say: voxel size, rate and the recording's shape ``t c z y x``.

    ``places`` is what the user says of the order and unit of places, such as ``xyz,px``.
    """

    voxel_um: VoxelSize | None = None
    rate_hz: float | None = None
    shape: tuple[int, int, int, int, int] | None = None
    places: str | None = None

    @property
    def volumes(self) -> int | None:
        """How many volumes the recording has."""
        return None if self.shape is None else self.shape[0]

    def require_voxel(self, why: str) -> VoxelSize:
        """The voxel size, or a refusal that begins with why it is needed.

        Raises
        ------
        DataError
            The run folder does not say it.
        """
        if self.voxel_um is None:
            raise DataError(
                f"{why}, and the run folder says no voxel size; run it again with --set recording.voxel_um=Z,Y,X"
            )
        return self.voxel_um


@dataclass(frozen=True, slots=True)
class Incoming:
    """What was read from a file, in words what the file says beyond that, and what is doubtful about it."""

    known: Annotations
    left: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is to be written: annotations, the traces of the last run, and what the user says of the animal.

    ``recording`` opens the images; None where these are not to be written. ``folder`` names the run in messages.
    """

    known: Annotations
    around: Surroundings = field(default_factory=Surroundings)
    traces: pl.DataFrame | None = None
    subject: Mapping[str, Any] = field(default_factory=dict)
    recording: Callable[[], Recording] | None = None
    folder: Path = Path()


THINGS: Mapping[str, Callable[[Outgoing], bool]] = {
    "centres": lambda out: any(len(one) for one in out.known.annotations.values()),
    "boxes": lambda out: any(len(one.regions) for one in out.known.annotations.values()),
    "identities": lambda out: any((one.identity >= 0).any() for one in out.known.annotations.values()),
    "names": lambda out: any(out.known.names.values()),
    "probabilities": lambda out: any((one.probability < 1).any() for one in out.known.annotations.values()),
    "heads": lambda out: any(one.head is not None for one in out.known.annotations.values()),
    "times": lambda out: bool(out.known.time_s),
    "ratios": lambda out: bool(out.known.ratio),
    "intensities": lambda out: out.traces is not None and out.traces.height > 0,
    "which volumes are complete": lambda out: any(one.complete for one in out.known.annotations.values()),
}
"""All that can be exchanged, and whether there is any of it to write."""


@dataclass(frozen=True, slots=True)
class ExchangeFormat:
    """One format.

    ``recognize`` says from a path (which need not exist) whether it is this format. ``load`` reads a file, ``save``
    writes one; None where that direction is not there. ``keeps`` are those of `THINGS` that the format holds; ``note``
    says in words what else is to be known. ``images`` says that it can hold the recording itself, ``asks_places``
    that order and unit of places may have to be told. ``targets`` are the files that ``save`` writes, ``written_as``
    the endings that a name to write may have (empty: any). ``holds`` says which neurons of a volume have a place in
    it, and ``lacking`` what the others lack; ``finds_lost`` says in words what else it loses of some annotations.
    """

    name: str
    title: str
    keeps: tuple[str, ...]
    recognize: Callable[[Path], bool]
    load: Callable[[Path, Surroundings], Incoming] | None = None
    save: Callable[[Outgoing, Path], None] | None = None
    note: str = ""
    images: bool = False
    asks_places: bool = False
    written_as: tuple[str, ...] = ()
    targets: Callable[[Path], tuple[Path, ...]] = lambda path: (path,)
    holds: Callable[[Annotation], Bool[np.ndarray, " n"]] = lambda one: np.ones(len(one), bool)
    lacking: str = ""
    finds_lost: Callable[[Annotations], tuple[str, ...]] = lambda known: ()

    @property
    def loses(self) -> tuple[str, ...]:
        """What a round trip through this format loses."""
        return tuple(thing for thing in THINGS if thing not in self.keeps)


def find_losses(chosen: ExchangeFormat, out: Outgoing) -> tuple[str, ...]:
    """What is there and will not be in a file of this format."""
    things = tuple(thing for thing in chosen.loses if THINGS[thing](out))
    left_out = sum(int((~chosen.holds(one)).sum()) for one in out.known.annotations.values())
    words = (f"{say_count(left_out, 'neuron')} {chosen.lacking}",) if left_out else ()
    return (*things, *words, *chosen.finds_lost(out.known))


def mark_partial(known: Annotations) -> Annotations:
    """The same annotations, every volume taken as only partly annotated."""
    return replace(known, annotations={key: replace(one, complete=False) for key, one in known.annotations.items()})
