"""MATLAB's own file kind (v5, and v7 which packs each variable): where in the file each array lies.

A walk over the element headers, so that one cell can be read without the others. See MathWorks, "MAT-File
Format".
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np

from cender.errors import UnreadableRecording
from cender.io.recordings.formats.unpack import unpack_once

_HEADER = 128
"""Bytes of the header of a file."""
_MATRIX, _COMPRESSED = 14, 15
"""Type codes of elements: an array, and a compressed element."""
CELL, CHAR = 1, 4
"""Class codes of arrays: cells and characters."""
CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
"""Class codes of arrays of numbers, and the type of their numbers."""
STORED = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
    16: "u1",
    17: "u2",
}
"""Type codes of stored numbers, and their types: MATLAB stores numbers in fewer bytes where they fit."""
_COMPLEX, _LOGICAL = 0x0800, 0x0200
"""Flags of arrays that are no plain numbers."""
_BLOCK = 2**22
"""Bytes that are unpacked at a time."""
# Enough of a packed variable to see its name, dimensions and, of a cell array, the header of the first cell.
_PEEK = 4096


@dataclass(frozen=True, slots=True)
class Variable:
    """One array of a MAT file: its description, and where its content begins and ends.

    ``shape`` is MATLAB's (first index fastest); ``begin`` is where the cells or the number element start,
    counted from the start of the unpacked variable where ``packed`` says at which byte of the file a packed
    one lies.
    """

    path: Path
    name: str
    kind: int
    shape: tuple[int, ...]
    dtype: np.dtype | None
    begin: int
    end: int
    order: str
    packed: int | None = None


def list_variables(path: Path) -> list[Variable]:
    """All variables of a v5 or v7 file, by their headers alone."""
    with path.open("rb") as file:
        order = _read_order(file, path)
        size = path.stat().st_size
        found, at = [], _HEADER
        while at + 8 <= size:
            file.seek(at)
            kind, length = struct.unpack(f"{order}II", file.read(8))
            if kind == _COMPRESSED:
                start = zlib.decompressobj().decompress(file.read(min(length, _PEEK)), _PEEK)
                found.append(_read_head(path, start[8:], order, 8, at + 8, length))
                at += 8 + length
            elif kind == _MATRIX:
                found.append(_read_head(path, file.read(min(length, _PEEK)), order, at + 8, None, length))
                at += 8 + length + (-length % 8)
            else:
                raise UnreadableRecording(f"{path} is damaged: unknown element {kind} at byte {at}")
    return found


def unpack_variable(variable: Variable) -> Variable:
    """The same variable lying unpacked in a file: itself, or a temporary file for one that v7 packed."""
    if variable.packed is None:
        return variable
    path, at = variable.path, variable.packed
    with path.open("rb") as file:
        file.seek(at - 4)
        length = struct.unpack(f"{variable.order}I", file.read(4))[0]
        head = zlib.decompressobj().decompress(file.read(_PEEK), 8)
    size = 8 + struct.unpack(f"{variable.order}I", head[4:8])[0]

    def unpack(target: BinaryIO) -> None:
        inflater, left = zlib.decompressobj(), length
        with path.open("rb") as source:
            source.seek(at)
            while left and (block := source.read(min(_BLOCK, left))):
                left -= len(block)
                while block and target.tell() <= size:
                    target.write(inflater.decompress(block, _BLOCK))
                    block = inflater.unconsumed_tail
        target.write(inflater.flush())
        if target.tell() > size:
            raise UnreadableRecording(f"{path} is damaged: {variable.name} unpacks to more than its header says")

    unpacked = unpack_once(path, variable.name, size, unpack)
    return Variable(
        unpacked,
        variable.name,
        variable.kind,
        variable.shape,
        variable.dtype,
        variable.begin,
        size,
        variable.order,
    )


def iterate_cells(variable: Variable) -> Iterator[Variable]:
    """The cells of an unpacked cell array, in MATLAB's order; a cut-off last one is not given."""
    at, size = variable.begin, variable.path.stat().st_size
    with variable.path.open("rb") as file:
        for _ in range(prod(variable.shape)):
            file.seek(at)
            start = file.read(8)
            if len(start) < 8:
                return
            kind, length = struct.unpack(f"{variable.order}II", start)
            if kind != _MATRIX or at + 8 + length > size:
                return
            yield _read_head(variable.path, file.read(min(length, 512)), variable.order, at + 8, None, length)
            at += 8 + length + (-length % 8)


def peek_cell(variable: Variable) -> Variable | None:
    """The first cell of a cell array, without unpacking it."""
    if variable.packed is None:
        return next(iterate_cells(variable), None)
    with variable.path.open("rb") as file:
        file.seek(variable.packed)
        start = zlib.decompressobj().decompress(file.read(_PEEK), variable.begin + _PEEK)[variable.begin :]
    length = struct.unpack(f"{variable.order}I", start[4:8])[0] if len(start) >= 8 else 0
    return _read_head(variable.path, start[8:], variable.order, 0, None, length) if length else None


def locate_numbers(variable: Variable) -> tuple[int, np.dtype, int]:
    """Where the numbers of an unpacked array begin, their type in the file, and how many bytes there are."""
    with variable.path.open("rb") as file:
        file.seek(variable.begin)
        kind, length, skip = read_tag(file.read(8), variable.order)
    if kind not in STORED:
        raise ValueError(f"{variable.name or 'a cell'} of {variable.path} is stored as type {kind}, which is no number")
    return variable.begin + skip, np.dtype(variable.order + STORED[kind]), length


def read_numbers(variable: Variable) -> np.ndarray:
    """A small array or text as a whole."""
    unpacked = unpack_variable(variable)
    at, stored, length = locate_numbers(unpacked)
    with unpacked.path.open("rb") as file:
        file.seek(at)
        return np.frombuffer(file.read(length), stored).reshape(unpacked.shape, order="F")


def _read_order(file: BinaryIO, path: Path) -> str:
    head = file.read(_HEADER)
    if len(head) < _HEADER or head[126:128] not in (b"IM", b"MI"):
        raise UnreadableRecording(
            f"{path} is truncated or no MATLAB file of version 5 or later; save it again with -v7"
        )
    return "<" if head[126:128] == b"IM" else ">"


def read_tag(tag: bytes, order: str) -> tuple[int, int, int]:
    """Type, bytes and length of the header of a data element; small ones keep their data in the header."""
    first, second = struct.unpack(f"{order}II", tag)
    if first >> 16:
        return first & 0xFFFF, first >> 16, 4
    return first, second, 8


def _read_head(path: Path, head: bytes, order: str, at: int, packed: int | None, length: int) -> Variable:
    """Parse flags, dimensions and name of a matrix whose content begins with ``head``."""
    try:
        flags = struct.unpack(f"{order}I", head[8:12])[0]
        place, dimensions = _read_part(head, 16, order)
        shape = struct.unpack(f"{order}{len(dimensions) // 4}i", dimensions)
        place, name = _read_part(head, place, order)
    except (struct.error, IndexError) as error:
        raise UnreadableRecording(f"{path} is damaged: a variable's header cannot be read") from error
    kind = flags & 0xFF
    plain = kind in CLASSES and not flags & (_COMPLEX | _LOGICAL)
    dtype = np.dtype(CLASSES[kind]) if plain else None
    return Variable(path, name.decode("latin-1"), kind, shape, dtype, at + place, at + length, order, packed)


def _read_part(head: bytes, at: int, order: str) -> tuple[int, bytes]:
    _, length, skip = read_tag(head[at : at + 8], order)
    step = 8 if skip == 4 else 8 + length + (-length % 8)
    return at + step, head[at + skip : at + skip + length]
