"""How far a run is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Progress:
    """Told for every volume that shows the cameras, after every volume, and in the second pass after every step.

    ``done`` and ``total`` count the volumes that this call has to do (in ``gaps``: to look at again), or the steps of
    learning; ``volumes_per_s`` is
    the rate over the last of them, NaN at first. ``loss`` is that of the step of learning, NaN for anything else.
    """

    stage: Literal["cameras", "volumes", "recording", "gaps"]
    done: int
    total: int
    flagged: int = 0
    failed: int = 0
    volumes_per_s: float = float("nan")
    loss: float = float("nan")


OnProgress = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """Say nothing."""
