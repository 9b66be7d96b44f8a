"""Writing a MATLAB file of version 5, one cell at a time."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.types import Recording

NAME = "image_stack"
_CLASSES = {"f8": 6, "f4": 7, "i1": 8, "u1": 9, "i2": 10, "u2": 11, "i4": 12, "u4": 13, "i8": 14, "u8": 15}
_STORED = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 9, "i8": 12, "u8": 13}
_CELL, _CHAR = 1, 4
"""Class codes of arrays: cells and characters."""


class Mat5Writer:
    """Writes one channel of a recording: small variables with its facts, then the cells.

    The length of the cell array goes before its cells, which is possible because all of them are equally
    long.
    """

    def __init__(self, path: Path, recording: Recording, channel: int) -> None:
        self._file = path.open("wb")
        self._file.write(
            b"MATLAB 5.0 MAT-file, written by cender".ljust(116) + b"\0" * 8 + struct.pack("<HH", 0x0100, 0x4D49)
        )
        for name, value in list_facts(recording, channel).items():
            self._file.write(_pack_variable(name, value))
        depth, height, width = recording.shape[2:]
        self._cell = _pack_head((height, width, depth), "", _CLASSES[recording.dtype.str[1:]])
        self._code = _STORED[recording.dtype.str[1:]]
        self._dtype = recording.dtype.newbyteorder("<")
        self._bytes = depth * height * width * recording.dtype.itemsize
        head = _pack_head((len(recording), 1), NAME, _CELL)
        one = 8 + self._cell_bytes()
        self._file.write(struct.pack("<II", 14, len(head) + one * len(recording)) + head)

    def _cell_bytes(self) -> int:
        return len(self._cell) + 8 + self._bytes + -self._bytes % 8

    def __enter__(self) -> "Mat5Writer":
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()

    def write(self, volume: Shaped[np.ndarray, "z y x"]) -> None:
        """Append a volume as one cell."""
        self._file.write(struct.pack("<II", 14, self._cell_bytes()) + self._cell)
        self._file.write(struct.pack("<II", self._code, self._bytes))
        for frame in volume:
            self._file.write(np.ascontiguousarray(frame.T, self._dtype).tobytes())
        self._file.write(b"\0" * (-self._bytes % 8))


def list_facts(recording: Recording, channel: int) -> dict[str, Any]:
    """What is known of one channel, as variables beside the volumes."""
    facts: dict[str, Any] = {}
    if recording.voxel_um is not None:
        facts["voxel_um"] = np.array([recording.voxel_um], float)
    if recording.rate_hz is not None:
        facts["rate_hz"] = np.array([[recording.rate_hz]], float)
    if recording.times_s is not None:
        facts["times_s"] = np.asarray(recording.times_s, float)[:, None]
    if recording.roles is not None:
        facts["roles"] = recording.roles[channel]
    return facts


def _pack_variable(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        content = np.array([[ord(letter) for letter in value]], "<u2")
        head, code = _pack_head(content.shape, name, _CHAR), 4
    else:
        content = np.asarray(value, "<f8")
        head, code = _pack_head(content.shape, name, 6), 9
    body = head + _pack_part(code, content.tobytes(order="F"))
    return struct.pack("<II", 14, len(body)) + body


def _pack_head(shape: tuple[int, ...], name: str, kind: int) -> bytes:
    flags = _pack_part(6, struct.pack("<II", kind, 0))
    dimensions = _pack_part(5, struct.pack(f"<{len(shape)}i", *shape))
    return flags + dimensions + _pack_part(1, name.encode("ascii"))


def _pack_part(code: int, content: bytes) -> bytes:
    return struct.pack("<II", code, len(content)) + content + b"\0" * (-len(content) % 8)
