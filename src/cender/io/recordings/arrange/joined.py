"""Several recordings of one animal, one after the other, as one recording."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from cender.errors import ShapeMismatch
from cender.types import Recording


@dataclass(frozen=True, slots=True)
class JoinedReader:
    """Reads each volume from the recording that holds it; ``first`` are the numbers of their first volumes."""

    recordings: tuple[Recording, ...]
    first: tuple[int, ...]

    def __call__(self, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
        """Channels of one volume, counted over all recordings."""
        which = bisect_right(self.first, volume) - 1
        return self.recordings[which].read(volume - self.first[which], channels)


def join_recordings(recordings: Sequence[Recording]) -> Recording:
    """One recording out of several of the same animal, volumes and time counted on from one to the next.

    Time goes on by one volume at a seam: bleaching depends on the light that the animal has seen, not on the
    break in between.

    Raises
    ------
    ShapeMismatch
        They differ in frames, channels, voxel size or pixel type.
    """
    head, *rest = recordings
    for other in rest:
        for what in ("shape", "dtype", "voxel_um", "roles"):
            ours, theirs = getattr(head, what), getattr(other, what)
            if what == "shape":
                ours, theirs = ours[1:], theirs[1:]
            if ours != theirs:
                raise ShapeMismatch(
                    f"{other.source} cannot follow {head.source}: its {what} is {theirs}, there it is {ours}; "
                    "recordings of one animal share a folder only where they were made alike"
                )
    if not rest:
        return head
    lengths = [len(one) for one in recordings]
    first = (0, *np.cumsum(lengths)[:-1].tolist())
    return Recording(
        source=" + ".join(one.source for one in recordings),
        format=head.format,
        shape=(sum(lengths), *head.shape[1:]),
        dtype=head.dtype,
        read=JoinedReader(tuple(recordings), first),
        voxel_um=head.voxel_um,
        rate_hz=head.rate_hz,
        times_s=_join_times(recordings),
        roles=head.roles,
        missing=head.missing,
        warnings=tuple(dict.fromkeys(text for one in recordings for text in one.warnings)),
    )


def list_lengths(recording: Recording) -> list[int]:
    """Volumes of each of the recordings that were joined; of the one recording where none were."""
    read = recording.read
    return [len(one) for one in read.recordings] if isinstance(read, JoinedReader) else [len(recording)]


def _join_times(recordings: Sequence[Recording]) -> Float[np.ndarray, " t"] | None:
    if any(one.times_s is None and one.rate_hz is None for one in recordings):
        return None
    joined: list[np.ndarray] = []
    clock = 0.0
    for one in recordings:
        times = np.array([one.time_s(index) for index in range(len(one))])
        step = float(np.median(np.diff(times))) if len(times) > 1 else 1 / (one.rate_hz or 1.0)
        if joined:
            times = times - times[0] + clock
        joined.append(times)
        clock = float(times[-1]) + step
    return np.concatenate(joined)
