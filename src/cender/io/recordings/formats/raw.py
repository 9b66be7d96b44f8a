"""Raw camera frames: pixels one after the other, and nothing else."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from cender.errors import ConfigError, UnreadableRecording, UnsupportedFormat
from cender.io.atomic import write_atomically
from cender.io.params import RecordingParams
from cender.io.recordings.formats.planes import FlatPlanes, view_bytes
from cender.io.recordings.formats.store import Store
from cender.types import Recording


def load_raw(path: Path, params: RecordingParams) -> Store:
    """The stream of frames of a raw file, cut as the settings say."""
    size = path.stat().st_size - params.raw_header
    if params.raw_shape is None:
        raise ConfigError(
            f"{path} is raw: it does not say how large its frames are; give --set "
            "recording.raw_shape=HEIGHT,WIDTH "
            f"(and recording.raw_dtype, now {params.raw_dtype}, and recording.raw_header, now "
            f"{params.raw_header} bytes)"
        )
    dtype = np.dtype(params.raw_dtype)
    height, width = params.raw_shape
    frames, over = divmod(max(0, size), height * width * dtype.itemsize)
    if frames == 0:
        raise UnreadableRecording(
            f"{path} has {size:,} bytes of pixels, less than one frame of {height} × {width} px {dtype} "
            "(recording.raw_shape, raw_dtype, raw_header)"
        )
    warnings = (
        (
            f"{over:,} bytes are left after the last whole frame: a frame still being written, or a wrong "
            "recording.raw_shape",
        )
        if over
        else ()
    )
    shape = (frames, height, width)
    return Store("NYX", shape, dtype, FlatPlanes(path, params.raw_header, shape, dtype), warnings=warnings)


def save_raw(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write frames as one camera would: one channel, or two in the left and right half of each frame."""
    if recording.shape[1] > 2:
        raise UnsupportedFormat(f"{path}: raw frames hold one channel or two halves, not {recording.shape[1]} channels")
    with write_atomically(path) as part, part.open("wb") as file:
        for volume in recording:
            frames = np.ascontiguousarray(np.concatenate(list(volume.data), axis=-1))
            file.write(view_bytes(frames))
            on_volume(volume.index)
