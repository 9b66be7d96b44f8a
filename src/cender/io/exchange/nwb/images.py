"""The recording itself in NWB, volume by volume, in the order of axes of the extension's schema."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.exchange.nwb.kit import Kit
from cender.types import Recording


def describe_images(kit: Kit, recording: Recording, volume: Any, device: Any) -> Any:
    """The series of all volumes; they are read when the file is written, one at a time."""
    if recording.dtype.kind not in "iu" or recording.dtype.itemsize > 2:
        raise DataError(f"NWB's extension holds images of 16 bits, {recording.source} has {recording.dtype}")
    _, channels, z, y, x = recording.shape
    data = import_module("hdmf.data_utils").DataChunkIterator(
        data=_turn_volumes(recording), maxshape=(None, x, y, z, channels), dtype=np.dtype(np.uint16)
    )
    packed = import_module("hdmf.backends.hdf5.h5_utils").H5DataIO(
        data, compression="gzip", compression_opts=1, chunks=(1, x, y, z, 1)
    )
    return kit.worm.MultiChannelVolumeSeries(
        name="CalciumImageSeries",
        description="the recording: frame, x, y, z, channel",
        data=packed,
        device=device,
        unit="camera counts",
        dimension=[x, y, z],
        imaging_volume=volume,
        **space_times({index: recording.time_s(index) for index in range(len(recording))}),
    )


def space_times(times: Mapping[int, float]) -> dict[str, Any]:
    """Regular times as a start and a rate, others one by one."""
    ordered = np.array([times[volume] for volume in sorted(times)])
    steps = np.diff(ordered)
    if len(steps) and (steps > 0).all() and np.allclose(steps, steps[0], rtol=1e-6, atol=1e-6):
        return {"starting_time": float(ordered[0]), "rate": float(1 / steps.mean())}
    return {"timestamps": ordered}


def _turn_volumes(recording: Recording) -> Iterator[Any]:
    """Volumes as ``x y z c``, one in memory at a time."""
    for volume in recording:
        yield np.ascontiguousarray(volume.data.transpose(3, 2, 1, 0).astype(np.uint16, copy=False))
