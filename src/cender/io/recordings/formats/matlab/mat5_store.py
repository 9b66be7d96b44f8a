"""Stores of MATLAB files of version 5 and 7."""

import zlib
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from cender.errors import UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.matlab.layout import choose_variable, count_volumes, order_volume, pad_shape
from cender.io.recordings.formats.matlab.mat5 import (
    CELL,
    CHAR,
    Variable,
    iterate_cells,
    list_variables,
    locate_numbers,
    peek_cell,
    read_numbers,
    unpack_variable,
)
from cender.io.recordings.formats.own import unpack_facts
from cender.io.recordings.formats.planes import FlatPlanes
from cender.io.recordings.formats.store import Index, Store

_FACTS = ("voxel_um", "rate_hz", "roles")
_TIMES = "times_s"


def load_mat5(path: Path, params: RecordingParams) -> Store:
    """The volumes of a v5 or v7 file; a packed variable is unpacked into a temporary file when first read."""
    try:
        variables = {variable.name: variable for variable in list_variables(path)}
    except zlib.error as error:
        raise UnreadableRecording(f"{path} is damaged: a packed variable cannot be unpacked ({error})") from error
    listing = {name: f"{format_shape(v.shape)} {_name_kind(v)}" for name, v in variables.items()}
    chosen = variables[choose_variable(path, listing, params.dataset)]
    facts = {name: _read_fact(variables[name]) for name in _FACTS if name in variables}
    said = unpack_facts(facts)
    if _TIMES in variables:
        said["times_s"] = read_numbers(variables[_TIMES]).ravel().astype(float)
    if chosen.kind == CELL:
        return _describe_cells(path, chosen, said)
    if chosen.dtype is None or len(chosen.shape) < 3:
        raise UnreadableRecording(
            f"{path}: variable {chosen.name} is {listing[chosen.name]}; expected a cell column of H×W×Z volumes"
        )
    unpacked = unpack_variable(chosen)
    at, stored, _ = locate_numbers(unpacked)
    shape = chosen.shape[::-1]
    read = FlatPlanes(unpacked.path, at, shape, stored)
    return Store(f"{UNKNOWN * (len(shape) - 2)}XY", shape, stored, read, **said)


@dataclass(frozen=True)
class CellReader:
    """Reads one cell at a time; the places of the cells are looked up once."""

    variable: Variable
    shape: tuple[int, ...]

    @cached_property
    def cells(self) -> list[Variable]:
        """Every cell, after unpacking the variable where that is needed."""
        return list(iterate_cells(unpack_variable(self.variable)))

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """Frames ``index[1]`` of volume ``index[0]``."""
        volume, frames = index
        if not isinstance(volume, int):
            return np.stack([self((one, frames)) for one in range(*volume.indices(self.shape[0]))])
        cell = self.cells[volume]
        if cell.dtype is None or pad_shape(cell.shape) != self.shape[1:]:
            raise ValueError(
                f"cell {volume + 1} is {format_shape(cell.shape)}, the first one {format_shape(self.shape[1:])}"
            )
        at, stored, _ = locate_numbers(cell)
        height, width, depth = pad_shape(cell.shape)
        planes = FlatPlanes(cell.path, at, (depth, width, height), stored)
        return planes((frames,)).swapaxes(-1, -2).astype(cell.dtype, copy=False)

    def __reduce__(self) -> tuple[type, tuple[Variable, tuple[int, ...]]]:
        # Unpacked before it travels, so that all processes share one temporary file.
        return type(self), (unpack_variable(self.variable), self.shape)


def _describe_cells(path: Path, chosen: Variable, said: dict[str, object]) -> Store:
    count = count_volumes(path, chosen.name, chosen.shape)
    first = peek_cell(chosen)
    if first is None or first.dtype is None or len(first.shape) not in (2, 3):
        found = "nothing" if first is None else f"{format_shape(first.shape)} {_name_kind(first)}"
        raise UnreadableRecording(f"{path}: the first cell of {chosen.name} is {found}; expected H×W×Z numbers")
    warnings: tuple[str, ...] = ()
    if chosen.packed is None:
        whole = sum(1 for _ in iterate_cells(chosen))
        if whole < count:
            warnings = (f"the file ends early: it is truncated; {whole} of {count} volumes are whole",)
        count = whole
    inner = pad_shape(first.shape)
    reader = CellReader(chosen, (count, *inner))
    shape = (count, *order_volume(inner))
    return Store("TZYX", shape, first.dtype, reader, warnings=warnings, **said)  # type: ignore[arg-type]


def _name_kind(variable: Variable) -> str:
    if variable.dtype is not None:
        return str(variable.dtype)
    return {CELL: "cell", CHAR: "char", 2: "struct", 3: "object", 5: "sparse"}.get(variable.kind, "logical or complex")


def _read_fact(variable: Variable) -> object:
    numbers = read_numbers(variable) if prod(variable.shape) < 100 else np.zeros(0)
    return "".join(map(chr, numbers.ravel())) if variable.kind == CHAR else numbers
