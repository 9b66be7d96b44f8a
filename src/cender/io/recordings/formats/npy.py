"""NPY: one numpy array, without a word about what it shows."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedIOBase
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.errors import UnreadableRecording
from cender.io.atomic import write_atomically
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.planes import FlatPlanes, count_whole, view_bytes
from cender.io.recordings.formats.store import Index, Store
from cender.types import Recording


def load_npy(path: Path, params: RecordingParams) -> Store:
    """The array of an NPY file."""
    with path.open("rb") as file:
        shape, fortran, dtype = read_header(file, path)
        offset = file.tell()
    return describe_array(path, offset, shape, fortran, dtype, path.stat().st_size - offset)


def save_npy(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write the pixels as one array ``t c z y x``; numpy's format has no room for anything else."""
    with write_atomically(path) as part, part.open("wb") as file:
        write_array(recording, file, on_volume)


def write_array(recording: Recording, file: Any, on_volume: Callable[[int], None]) -> None:
    """Write header and volumes of a recording as one array into an open file."""
    header = {
        "descr": np.lib.format.dtype_to_descr(recording.dtype),
        "fortran_order": False,
        "shape": recording.shape,
    }
    np.lib.format.write_array_header_1_0(file, header)
    for volume in recording:
        file.write(view_bytes(np.ascontiguousarray(volume.data)))
        on_volume(volume.index)


def read_any_header(file: BufferedIOBase, path: Path) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, order and type of the array that begins here; the file is left at its first number."""
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        return read(file)
    except ValueError as error:
        raise UnreadableRecording(f"{path} is damaged: its numpy header cannot be read ({error})") from error


def read_header(file: BufferedIOBase, path: Path) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, order and type of a recording that begins here: an array of three or more dimensions."""
    shape, fortran, dtype = read_any_header(file, path)
    if len(shape) < 3:
        raise UnreadableRecording(
            f"{path} holds an array of shape {format_shape(shape) or 'nothing'}; a recording has at least "
            "three dimensions"
        )
    return shape, fortran, dtype


def describe_array(path: Path, offset: int, shape: tuple[int, ...], fortran: bool, dtype: np.dtype, room: int) -> Store:
    """The store of an array that begins at an offset of a file, with ``room`` bytes of it there."""
    axes = UNKNOWN * len(shape)
    if dtype.hasobject:
        raise UnreadableRecording(f"{path} holds Python objects, which we never load; expected integers or floats")
    if prod(shape) * dtype.itemsize <= room:
        if fortran:
            reader = ColumnMajor(path, offset, shape, dtype)
            return Store(axes, shape, dtype, reader, any_index=True)
        return Store(axes, shape, dtype, FlatPlanes(path, offset, shape, dtype), any_index=True)
    whole = 0 if fortran else count_whole(shape, room // max(1, prod(shape[-2:]) * dtype.itemsize))
    if whole == 0:
        raise UnreadableRecording(
            f"{path} is truncated: its header promises {format_shape(shape)} {dtype}, but not one whole step is there"
        )
    note = f"the file ends early (truncated, or being written): {whole} of {shape[0]} volumes are whole"
    shape = (whole, *shape[1:])
    return Store(axes, shape, dtype, FlatPlanes(path, offset, shape, dtype), warnings=(note,), any_index=True)


@dataclass(frozen=True, slots=True)
class ColumnMajor:
    """Reader of an array in Fortran order, mapped only while it is read."""

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The part at this index over the first axes or all of them."""
        mapped = np.memmap(self.path, self.dtype, "r", self.offset, self.shape, order="F")
        return np.array(mapped[index], order="C")
