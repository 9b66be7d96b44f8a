"""Nikon ND2: axes, voxel size, channel names and period as the microscope wrote them."""

from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.errors import DataError, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.formats.handle import Handle
from cender.io.recordings.formats.metadata import make_voxel, read_roles
from cender.io.recordings.formats.planes import number_planes
from cender.io.recordings.formats.store import Index, Store

_LOOPS = "TZ"
"""Axes that a file may loop over frame by frame."""


def open_nd2(path: str) -> Any:
    """An ND2 file of the library of that name; a `DataError` says how to install it where it is not there."""
    try:
        library = import_module("nd2")
    except ImportError as error:
        raise DataError(
            f"{path} is a Nikon ND2 file; to read it, install the extra: pip install 'cender[nd2]'"
        ) from error
    return library.ND2File(path)


def load_nd2(path: Path, params: RecordingParams) -> Store:
    """The array of an ND2 file of one stage position."""
    with open_nd2(str(path)) as file:
        sizes = {str(axis): int(size) for axis, size in file.sizes.items()}
        if sizes.get("S", 1) > 1:
            raise UnreadableRecording(f"{path} holds colour (RGB) pictures; expected grey channels")
        others = [f"{axis} = {size}" for axis, size in sizes.items() if axis not in "TCZYXS" and size > 1]
        if others:
            raise UnreadableRecording(
                f"{path} has more than time, channels and z ({', '.join(others)}): export one stage position as a file"
            )
        loops = [axis for axis in sizes if axis in _LOOPS]
        channels = sizes.get("C", 1)
        axes = "".join(loops) + ("C" if "C" in sizes else "") + "YX"
        shape = tuple(sizes[axis] for axis in axes)
        dtype = np.dtype(file.dtype)
        said = _read_facts(file, sizes)
    reader = LoopReader(Handle(open_nd2, str(path)), tuple(sizes[axis] for axis in loops), channels, "C" in sizes)
    return Store(axes, shape, dtype, reader, **said)


@dataclass(frozen=True, slots=True)
class LoopReader:
    """Reads the frames of the loops of an ND2 file; a frame has all channels."""

    handle: Handle[Any]
    loops: tuple[int, ...]
    channels: int
    has_channels: bool

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over all axes but the last two."""
        numbers = number_planes(self.loops, index[: len(self.loops)])
        with self.handle.use() as file:
            frames = [np.asarray(file.read_frame(int(number))) for number in numbers.ravel()]
        height, width = frames[0].shape[-2:]
        data = np.stack(frames).reshape(*numbers.shape, self.channels, height, width)
        pick = index[len(self.loops)] if self.has_channels else 0
        return data[(..., pick, slice(None), slice(None))]


def _read_facts(file: Any, sizes: dict[str, int]) -> dict[str, Any]:
    """Voxel size, rate and roles, as fields of a store; what the file does not say is left out."""
    size = file.voxel_size()
    # Without a z drive the library answers 1 µm for z.
    z_um = float(size.z) if sizes.get("Z", 1) > 1 else float("nan")
    named = getattr(file.metadata, "channels", None) or []
    period_s = _read_period(file)
    return {
        "voxel_um": make_voxel(z_um, float(size.y), float(size.x)),
        "rate_hz": 1 / period_s if period_s else None,
        "roles": read_roles([str(one.channel.name) for one in named]),
    }


def _read_period(file: Any) -> float | None:
    """Seconds from volume to volume: as it was set, or where it was "as fast as possible", as the frames say."""
    loops = [loop for loop in file.experiment or () if getattr(loop, "type", "") == "TimeLoop"]
    if not loops:
        return None
    period_s = float(loops[0].parameters.periodMs) / 1000
    count = int(file.sizes.get("T", 1))
    if period_s == 0 and count > 1:
        inner = int(file.sizes.get("Z", 1)) if next(iter(file.sizes)) == "T" else 1
        period_s = (_read_time_s(file, (count - 1) * inner) - _read_time_s(file, 0)) / (count - 1)
    return period_s if isfinite(period_s) and period_s > 0 else None


def _read_time_s(file: Any, frame: int) -> float:
    """When a frame was taken; NaN where it does not say."""
    channels = getattr(file.frame_metadata(frame), "channels", None)
    return float(channels[0].time.relativeTimeMs) / 1000 if channels else float("nan")
