"""MATLAB files in CeNDeR's layout: a cell column of ``H×W×Z`` volumes, one channel per file."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from cender.errors import UnreadableRecording, UnsupportedFormat
from cender.io.atomic import write_atomically
from cender.io.params import RecordingParams
from cender.io.recordings.formats.matlab.mat5_store import load_mat5
from cender.io.recordings.formats.matlab.mat5_writer import Mat5Writer
from cender.io.recordings.formats.matlab.mat73 import Mat73Writer, load_mat73
from cender.io.recordings.formats.signatures import is_hdf5
from cender.io.recordings.formats.store import Store
from cender.types import Recording

# MATLAB refuses variables of 2 GB and more in files before v7.3.
_V5_LIMIT = 2**31 - 2**20
_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def load_matlab(path: Path, params: RecordingParams) -> Store:
    """The volumes of the variable called img… or image…, or of the one that the user names."""
    return load_mat73(path, params) if is_hdf5(path) else load_mat5(path, params)


def save_matlab(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write the first channel to ``path`` and any other beside it, with the channel's role in the name.

    The file is of version 5 where it fits (below 2 GB) and 7.3 otherwise. Voxel size, rate, time stamps and
    role go into variables of their own.
    """
    if recording.dtype.name not in _TYPES:
        raise UnsupportedFormat(f"MATLAB files cannot hold pixels of type {recording.dtype} ({path})")
    size = len(recording) * recording.volume_bytes // recording.shape[1]
    writer: type[Mat5Writer | Mat73Writer] = Mat5Writer if size < _V5_LIMIT else Mat73Writer
    with ExitStack() as stack:
        writers: list[Mat5Writer | Mat73Writer] = []
        for channel, name in enumerate(name_channels(recording, path)):
            writers.append(writer(stack.enter_context(write_atomically(name)), recording, channel))
            stack.enter_context(writers[-1])
        for volume in recording:
            for one, data in zip(writers, volume.data, strict=True):
                one.write(np.asarray(data))
            on_volume(volume.index)


def name_channels(recording: Recording, path: Path) -> list[Path]:
    """The file of each channel: ``path`` itself, then ``path`` with the role or number at its end."""
    names = [path]
    for channel in range(1, recording.shape[1]):
        role = recording.roles[channel] if recording.roles is not None else "other"
        names.append(path.with_name(f"{path.stem}_{channel if role == 'other' else role}{path.suffix}"))
    if len(set(names)) != len(names):
        raise UnreadableRecording(f"{path}: two channels would get the same file; their roles are {recording.roles}")
    return names
