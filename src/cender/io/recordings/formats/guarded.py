"""A file as HDF5's library reads it, with the one structure checked over which that library never ends."""

import io
from pathlib import Path
from typing import Any

# A global heap holds strings of any length: a signature, version and size, then objects, each with a header.
_SIGNATURE = b"GCOL"
_HEAD_BYTES = 16
"""Size of the header of a global heap."""
_OBJECT_HEAD_BYTES = 16
"""Size of the header of one of its objects."""


class GuardedFile(io.FileIO):
    """A file for reading that refuses damaged global heaps: free space of no length makes HDF5 hang."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer as far as the file goes."""
        count = super().readinto(buffer) or 0
        if count > _HEAD_BYTES and bytes(buffer[:4]) == _SIGNATURE:
            check_heap(bytes(buffer[:count]))
        return count


def check_heap(content: bytes) -> None:
    """Refuse a global heap in which an object ends where it begins.

    Raises
    ------
    OSError
        The heap is damaged.
    """
    at, end = _HEAD_BYTES, min(len(content), int.from_bytes(content[8:16], "little"))
    while at + _OBJECT_HEAD_BYTES <= end:
        index = int.from_bytes(content[at : at + 2], "little")
        size = int.from_bytes(content[at + 8 : at + 16], "little")
        # The size of free space (index 0) counts its header; that of an object does not, and is rounded up to eight.
        step = size if index == 0 else _OBJECT_HEAD_BYTES + -(-size // 8) * 8
        if step == 0:
            raise OSError("a heap of strings has an object of no length: the file is damaged")
        at += step
