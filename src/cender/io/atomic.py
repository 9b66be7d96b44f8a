"""Files and folders that are either the old ones or the new ones, never half of each."""

import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cender.errors import DataError

PART_SUFFIX = ".part"
"""Ending of files and folders that are still being written."""
_NO_ROOM_OR_RIGHT = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
"""Errors of the system that a user can mend: a full disk, or no right to write."""


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place when the block ends well.

    The temporary file is hidden and ends in ``.part``, so that nothing mistakes it for a result. It must be
    closed when the block ends; it is then flushed to disk and renamed. Where the block raises it is removed
    and the old file stays; where the process is killed the old file stays too, and the part is left for
    `remove_parts`.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}{PART_SUFFIX}")
    try:
        yield part
        flush_file(part)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        if error.errno in _NO_ROOM_OR_RIGHT and error.filename in (None, str(part)):
            raise DataError(
                f"cannot write {path}: {error.strerror}; make room, or close the program that has it open"
            ) from error
        raise
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


@contextmanager
def write_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside ``path`` that takes its name when the block ends well.

    It is removed where the block raises. An empty folder at ``path`` is replaced; the caller has refused
    any other.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}{PART_SUFFIX}")
    part.mkdir()
    try:
        yield part
        if path.is_dir():
            path.rmdir()
        part.replace(path)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text file as a whole, in UTF-8 and with line ends as they are."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file as a whole."""
    with write_atomically(path) as part:
        part.write_bytes(content)


def is_part(path: Path) -> bool:
    """Whether a file is the unfinished work of `write_atomically`."""
    return path.name.startswith(".") and path.name.endswith(PART_SUFFIX)


def remove_parts(folder: Path) -> None:
    """Remove what killed writers left; call it only while nothing else can be writing in this folder."""
    for path in folder.iterdir():
        if path.is_file() and is_part(path):
            path.unlink(missing_ok=True)


@contextmanager
def explain_failure(path: Path) -> Iterator[None]:
    """Turn whatever the system says against writing into a folder into a `DataError` that says what to do."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        locked = error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
        advice = "Make the folder writable, or work on a copy of it" if locked else "Make room, or bring the drive back"
        raise DataError(
            f"cannot write into {path}: {said}; what was written before is whole. {advice}, and run the same command "
            "again: it goes on where it stopped"
        ) from error


def flush_file(path: Path) -> None:
    """Wait until a file is on the disk."""
    # Windows flushes only handles that may write, hence "r+b".
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can do that."""
    # The rename lives in the folder. Windows cannot open folders; some network drives cannot flush them.
    if sys.platform == "win32":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
