"""Whole variables of MATLAB's own file kind: numbers, text, cells and structs, for files that strangers made.

scipy's reader ends the program over some damaged files, so tables of annotations are read here, with every length
checked against what is left of the file. See MathWorks, "MAT-File Format".
"""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.recordings.formats.matlab.mat5 import CELL, CHAR, CLASSES, STORED, Variable, list_variables, read_tag

_STRUCT = 2
"""Class code of a struct."""
_MATRIX = 14
"""Type code of an array."""
_DEEPEST = 8
"""Cells and structs that may lie in each other."""
_MOST_BYTES = 2**30
"""Largest variable that is read, unpacked."""


def load_values(path: Path, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """The variables whose names are wanted.

    Numbers become arrays in MATLAB's shape, text becomes ``str``, cells an array of objects, structs an array of
    ``dict`` by field.
    """
    return {one.name: _load(one) for one in list_variables(path) if wanted(one.name)}


def _load(variable: Variable) -> Any:
    """The content of a variable, which begins behind its header."""
    with variable.path.open("rb") as file:
        if variable.packed is None:
            file.seek(variable.begin)
            content = file.read(min(variable.end - variable.begin, _MOST_BYTES + 1))
        else:
            file.seek(variable.packed - 4)
            length = struct.unpack(f"{variable.order}I", file.read(4))[0]
            packed = file.read(min(length, _MOST_BYTES))
            content = zlib.decompressobj().decompress(packed, _MOST_BYTES + 1)[variable.begin :]
    if len(content) > _MOST_BYTES:
        raise DataError(f"{variable.path}: {variable.name} has more than {_MOST_BYTES / 1e9:.1f} GB; it is damaged")
    return _Reader(memoryview(content), variable.order, str(variable.path)).read_content(variable.kind, variable.shape)


@dataclass(slots=True)
class _Reader:
    """Reads one element after the other; ``at`` is where the next begins."""

    content: memoryview
    order: str
    where: str
    at: int = 0
    depth: int = 0

    def read_content(self, kind: int, shape: tuple[int, ...]) -> Any:
        """What stands behind the header of an array of this class and shape."""
        count = prod(shape)
        # An element takes eight bytes at least; a longer list than that is damage.
        if min(shape, default=0) < 0 or count > len(self.content):
            raise DataError(f"{self.where} is damaged: an array of {shape}")
        if kind == CELL:
            return self._arrange([self._read_matrix() for _ in range(count)], shape)
        if kind == _STRUCT:
            length = int.from_bytes(self._read_element()[1], "little" if self.order == "<" else "big")
            names = bytes(self._read_element()[1])
            fields = [names[at : at + length].split(b"\0")[0].decode("latin-1") for at in range(0, len(names), length)]
            if len(fields) * count > len(self.content):
                raise DataError(f"{self.where} is damaged: a struct of {count} × {len(fields)} fields")
            return self._arrange([{name: self._read_matrix() for name in fields} for _ in range(count)], shape)
        stored, data = self._read_element()
        if stored not in STORED or (kind not in CLASSES and kind != CHAR):
            raise DataError(f"{self.where}: expected numbers, text, cells or structs, found class {kind}")
        numbers = np.frombuffer(data, np.dtype(self.order + STORED[stored]))
        if len(numbers) != count:
            raise DataError(f"{self.where} is damaged: {len(numbers)} numbers for an array of {shape}")
        if kind == CHAR:
            return "".join(map(chr, numbers.tolist()))
        return numbers.astype(CLASSES[kind]).reshape(shape, order="F")

    def _read_matrix(self) -> Any:
        """An array inside of another one."""
        kind, data = self._read_element()
        if kind != _MATRIX:
            raise DataError(f"{self.where} is damaged: expected an array, found an element of type {kind}")
        if not len(data):
            return np.zeros((0, 0))
        if self.depth >= _DEEPEST:
            raise DataError(f"{self.where}: cells and structs lie more than {_DEEPEST} deep in each other")
        inner = _Reader(data, self.order, self.where, 0, self.depth + 1)
        flags = inner._read_element()[1]
        dimensions = inner._read_element()[1]
        inner._read_element()
        shape = struct.unpack(f"{self.order}{len(dimensions) // 4}i", dimensions)
        return inner.read_content(struct.unpack(f"{self.order}I", flags[:4])[0] & 0xFF, shape)

    def _read_element(self) -> tuple[int, memoryview]:
        """Type and bytes of the next element; small ones keep their bytes in the header."""
        kind, length, skip = read_tag(bytes(self.content[self.at : self.at + 8]), self.order)
        begin = self.at + skip
        if begin + length > len(self.content) or (skip == 4 and length > 4):
            raise DataError(f"{self.where} is damaged or cut off: an element of {length} bytes")
        # Arrays are whole multiples of eight bytes already, and so is everything else by padding.
        self.at += 8 if skip == 4 else 8 + length + (-length % 8)
        return kind, self.content[begin : begin + length]

    @staticmethod
    def _arrange(items: list[Any], shape: tuple[int, ...]) -> np.ndarray:
        array = np.empty(len(items), object)
        for place, item in enumerate(items):
            array[place] = item
        return array.reshape(shape, order="F")
