"""Compressed members of a file, unpacked once into a temporary file that is deleted when the program ends."""

import atexit
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from cender.errors import UnreadableRecording

_LOCK = threading.Lock()
"""Held while the temporary folder is made."""
_UNPACKED: dict[tuple[str, str, int, int], Path] = {}
_FOLDERS: list[Path] = []
_SPARE_BYTES = 2**28
"""Room that must stay free beside what is unpacked."""


def unpack_once(path: Path, member: str, size: int, unpack: Callable[[BinaryIO], None]) -> Path:
    """A temporary file with what ``unpack`` writes, the same one as long as the source does not change.

    Parameters
    ----------
    path, member
        What is unpacked: a file and a part of it.
    size
        Bytes that it will take; too little room is an error, not a full disk.
    unpack
        Writes the content into an open file.
    """
    status = path.stat()
    key = (str(path.absolute()), member, status.st_mtime_ns, status.st_size)
    with _LOCK:
        if key not in _UNPACKED or not _UNPACKED[key].exists():
            target = _folder(path, size) / f"{len(_UNPACKED)}.bin"
            with target.open("wb") as file:
                unpack(file)
            _UNPACKED[key] = target
        return _UNPACKED[key]


def _folder(path: Path, size: int) -> Path:
    if not _FOLDERS:
        _FOLDERS.append(Path(tempfile.mkdtemp(prefix="cender-")))
        atexit.register(shutil.rmtree, _FOLDERS[0], ignore_errors=True)
    free = shutil.disk_usage(_FOLDERS[0]).free
    if free < size + _SPARE_BYTES:
        raise UnreadableRecording(
            f"{path} is compressed and must be unpacked to be read volume by volume: that takes "
            f"{size / 1e9:.1f} GB in "
            f"{_FOLDERS[0].parent}, where {free / 1e9:.1f} GB are free; make room, set TMPDIR, or convert "
            "the recording"
        )
    return _FOLDERS[0]
