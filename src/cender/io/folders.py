"""Folders that appear only when they are complete."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cender.io.atomic import PART_SUFFIX


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
