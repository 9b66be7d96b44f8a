"""MATLAB files of version 7.3, which are HDF5: every array lies with its axes reversed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from jaxtyping import Shaped

from cender.errors import UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.hdf5 import DatasetReader, inspect_hdf5, open_hdf5
from cender.io.recordings.formats.matlab.layout import choose_variable, count_volumes
from cender.io.recordings.formats.matlab.mat5_writer import NAME, list_facts
from cender.io.recordings.formats.own import unpack_facts
from cender.io.recordings.formats.store import Index, Store
from cender.types import Recording

_CLASSES = {"f8": "double", "f4": "single", "i1": "int8", "u1": "uint8", "i2": "int16", "u2": "uint16"}
_CLASSES |= {"i4": "int32", "u4": "uint32", "i8": "int64", "u8": "uint64"}
_TIMES = "times_s"
_USER_BLOCK = 512
"""Bytes before the HDF5 part, in which MATLAB looks for its own header."""


def load_mat73(path: Path, params: RecordingParams) -> Store:
    """The volumes of a v7.3 file, each cell an object that the cell array refers to."""
    with inspect_hdf5(path) as file:
        variables = {name: item for name, item in file.items() if not name.startswith("#")}
        listing = {name: _describe_item(item) for name, item in variables.items()}
        name = choose_variable(path, listing, params.dataset)
        chosen = variables[name]
        if not isinstance(chosen, h5py.Dataset):
            raise UnreadableRecording(f"{path}: variable {name} is a struct; expected a cell column of H×W×Z volumes")
        said = unpack_facts(
            {key: _read_fact(variables[key]) for key in ("voxel_um", "rate_hz", "roles") if key in variables}
        )
        if isinstance(variables.get(_TIMES), h5py.Dataset):
            said["times_s"] = np.asarray(variables[_TIMES][()], float).ravel()
        if chosen.dtype.kind != "O":
            if chosen.ndim < 3:
                raise UnreadableRecording(
                    f"{path}: variable {name} is {listing[name]}; expected a cell column of H×W×Z volumes"
                )
            axes = f"{UNKNOWN * (chosen.ndim - 2)}XY"
            return Store(axes, chosen.shape, chosen.dtype, DatasetReader(path, name), kind="matlab-7.3", **said)
        count = count_volumes(path, name, chosen.shape)
        first = file[chosen[()].ravel()[0]]
        if first.ndim not in (2, 3) or first.dtype.kind not in "iuf":
            raise UnreadableRecording(
                f"{path}: the first cell of {name} is {_describe_item(first)}; expected H×W×Z numbers"
            )
        depth, width, height = (1, *first.shape)[-3:]
        return Store(
            "TZYX", (count, depth, height, width), first.dtype, ReferenceReader(path, name), kind="matlab-7.3", **said
        )


@dataclass(frozen=True, slots=True)
class ReferenceReader:
    """Reads one cell of a cell array at a time."""

    path: Path
    name: str

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """Frames ``index[1]`` of volume ``index[0]``."""
        volume, frames = index
        with open_hdf5(self.path) as file:
            references = file[self.name][()].ravel()
            if not isinstance(volume, int):
                chosen = references[volume]
                return np.stack([_read_cell(file[one], frames) for one in chosen])
            return _read_cell(file[references[volume]], frames)


class Mat73Writer:
    """Writes one channel of a recording, a volume at a time."""

    def __init__(self, path: Path, recording: Recording, channel: int) -> None:
        self._path = path
        self._file = h5py.File(path, "w", userblock_size=_USER_BLOCK)
        self._class = _CLASSES[recording.dtype.str[1:]]
        self._cells = self._file.create_group("#refs#")
        self._stack = self._file.create_dataset(NAME, (1, len(recording)), h5py.ref_dtype)
        self._stack.attrs["MATLAB_class"] = np.bytes_("cell")
        self._count = 0
        for name, value in list_facts(recording, channel).items():
            text = isinstance(value, str)
            content = np.array([[ord(letter)] for letter in value], "u2") if text else np.asarray(value).T
            dataset = self._file.create_dataset(name, data=content)
            dataset.attrs["MATLAB_class"] = np.bytes_("char" if text else "double")
            if text:
                dataset.attrs["MATLAB_int_decode"] = np.int32(2)

    def __enter__(self) -> "Mat73Writer":
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()
        with self._path.open("r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, written by cender".ljust(116) + b"\0" * 8 + b"\x00\x02IM")

    def write(self, volume: Shaped[np.ndarray, "z y x"]) -> None:
        """Append a volume as one cell."""
        cell = self._cells.create_dataset(f"c{self._count}", data=volume.swapaxes(-1, -2))
        cell.attrs["MATLAB_class"] = np.bytes_(self._class)
        self._stack[0, self._count] = cell.ref
        self._count += 1


def _read_cell(cell: Any, frames: int | slice) -> Shaped[np.ndarray, "..."]:
    data = cell[frames] if cell.ndim == 3 else cell[()][None][frames]
    return np.asarray(data).swapaxes(-1, -2)


def _describe_item(item: Any) -> str:
    if not isinstance(item, h5py.Dataset):
        return "struct"
    kind = item.attrs.get("MATLAB_class", item.dtype.name)
    word = kind.decode() if isinstance(kind, bytes) else str(kind)
    return f"{format_shape(item.shape[::-1])} {word}"


def _read_fact(item: Any) -> Any:
    if not isinstance(item, h5py.Dataset) or item.size > 100:
        return np.zeros(0)
    value = item[()]
    return "".join(map(chr, value.ravel())) if item.attrs.get("MATLAB_class") in (b"char", "char") else value
