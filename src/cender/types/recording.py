"""A recording: many volumes in a file or a simulator, read one at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float, Shaped

from cender.errors import IncompleteRecording
from cender.types.volume import Role, Volume, VoxelSize

__all__ = ["Missing", "Recording", "Role", "VoxelSize"]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something the file does not say: what, what was assumed instead (if anything), and the setting that gives it.

    ``hinted`` says that the setting has the values that something in the file suggests.
    """

    what: Literal["axes", "voxel size", "rate", "channel roles"]
    setting: str
    assumed: str | None = None
    hinted: bool = False


@dataclass(frozen=True, slots=True)
class Recording:
    """Volumes of one animal, always ``t c z y x``, read lazily.

    ``read(volume, channels)`` returns those channels of one volume as ``c z y x``; nothing else touches the file.
    ``times_s`` is the middle of each volume. What the file does not carry is None and listed in ``missing``.
    """

    source: str
    format: str
    shape: tuple[int, int, int, int, int]
    dtype: np.dtype
    read: Callable[[int, tuple[int, ...]], Shaped[np.ndarray, "c z y x"]]
    voxel_um: VoxelSize | None = None
    rate_hz: float | None = None
    times_s: Float[np.ndarray, " t"] | None = None
    roles: tuple[Role, ...] | None = None
    missing: tuple[Missing, ...] = ()
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Volume]:
        return (self.volume(index) for index in range(len(self)))

    @property
    def volume_bytes(self) -> int:
        """Size in memory of one volume with all its channels."""
        return int(np.prod(self.shape[1:])) * self.dtype.itemsize

    @property
    def scale(self) -> VoxelSize:
        """The voxel size of a recording that has one, which every run demands.

        Raises
        ------
        IncompleteRecording
            The recording does not say it.
        """
        if self.voxel_um is None:
            raise IncompleteRecording(
                f"{self.source} does not say its voxel size; give --set recording.voxel_um=Z,Y,X (in µm)"
            )
        return self.voxel_um

    def channel(self, role: Role) -> int | None:
        """Index of the first channel with this role, None where there is none."""
        if self.roles is None or role not in self.roles:
            return None
        return self.roles.index(role)

    def time_s(self, index: int) -> float:
        """Middle of a volume in seconds; NaN where the recording knows neither times nor rate."""
        if self.times_s is not None:
            return float(self.times_s[index])
        return (index + 0.5) / self.rate_hz if self.rate_hz else float("nan")

    def volume(self, index: int, channels: tuple[int, ...] | None = None) -> Volume:
        """Read one volume; negative indices count from the end."""
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"volume {index} of {self.source}: it has {count} volumes (0 to {count - 1})")
        index %= count
        chosen = tuple(range(self.shape[1])) if channels is None else channels
        roles = None if self.roles is None else tuple(self.roles[c] for c in chosen)
        return Volume(index, self.time_s(index), self.read(index, chosen), self.voxel_um, roles)

    def require(self, *what: str) -> "Recording":
        """Return the recording, or raise where the file does not say one of these things (see `Missing`)."""
        lacking = [m for m in self.missing if m.what in what]
        if lacking:
            raise IncompleteRecording(
                f"{self.source} does not say its {' and '.join(m.what for m in lacking)}; give "
                + " and ".join(f"--set {m.setting}" for m in lacking)
            )
        return self

    def limited(self, first: int, stop: int) -> "Recording":
        """The same recording, but reading only volumes ``first:stop`` (their indices start at 0 again)."""
        read = self.read
        times = None if self.times_s is None else self.times_s[first:stop]
        if times is None and self.rate_hz:
            times = (np.arange(first, stop) + 0.5) / self.rate_hz
        return replace(
            self,
            shape=(stop - first, *self.shape[1:]),
            read=lambda index, channels: read(index + first, channels),
            times_s=times,
        )
