"""What became of one volume."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cender.errors import Failure
from cender.types.head import Head
from cender.types.intensities import Intensities
from cender.types.neurons import Neurons

Status = Literal["ok", "flagged", "failed"]
Flag = Literal["two animals", "part of a head", "unsure axes"]
"""Why a volume by itself deserves a look; beside the others of its recording it may also have ``few neurons``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of the per-volume stages, or the reason why there is none.

    A flagged volume has results that deserve a look, a failed one has none; both say why in ``reason``.
    ``flags`` are the same reasons as fixed words, for programs.
    """

    volume: int
    time_s: float
    status: Status
    reason: str = ""
    head: Head | None = None
    neurons: Neurons | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    intensities: Intensities | None = None
    flags: tuple[Flag | Failure, ...] = ()
