"""A long recording out of a few volumes, for load tests."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Shaped

from cender.errors import UnreadableRecording
from cender.types import Recording


@dataclass(frozen=True, slots=True)
class RepeatReader:
    """Gives volumes held in memory again and again."""

    held: Shaped[np.ndarray, "t c z y x"]

    def __call__(self, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
        """A copy, as a file would give, so that what is held cannot be changed."""
        return np.array(self.held[volume % len(self.held), list(channels)])


def repeat_recording(recording: Recording, volumes: int, hold: int = 8) -> Recording:
    """A recording of any length that cycles through the first volumes of another, held in memory.

    Parameters
    ----------
    recording
        Where the volumes come from.
    volumes
        Apparent length.
    hold
        How many volumes to hold.
    """
    if volumes < 1 or hold < 1:
        raise UnreadableRecording(f"{recording.source}: cannot repeat {hold} volumes to a length of {volumes}")
    every = tuple(range(recording.shape[1]))
    # Filled in place: a list of volumes and their stack would take twice the memory.
    held = np.empty((min(hold, len(recording), volumes), *recording.shape[1:]), recording.dtype)
    for index in range(len(held)):
        held[index] = recording.read(index, every)
    return replace(
        recording,
        source=f"{recording.source} repeated",
        shape=(volumes, *recording.shape[1:]),
        read=RepeatReader(held),
        times_s=None,
    )
