"""Finished pieces of the volume pass: what a killed run has left, and what its tables are made of."""

import json
import logging
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import polars as pl

from cender.io.atomic import (
    explain_failure,
    flush_file,
    flush_folder,
    is_part,
    remove_parts,
    write_bytes,
    write_folder,
    write_text,
)
from cender.io.results.tables.checked import check_table
from cender.io.results.tables.schemas import RUN_TABLES

_LOG = logging.getLogger(__name__)
PART_TABLES = ("timings", "regions", "neurons", "volumes")
"""Tables that a part consists of."""
_MAGIC = b"PAR1"
"""Bytes that a whole parquet file begins and ends with."""


class Part(NamedTuple):
    """Volumes ``first:stop``, every one of them, in a folder with a file for each table."""

    first: int
    stop: int
    path: Path

    def table(self, name: str) -> Path:
        """The file of one table."""
        return self.path / f"{name}.parquet"


@dataclass(frozen=True, slots=True)
class PartStore:
    """Parts that were all made by the same settings from the same recording: those of one fingerprint.

    A part is a folder that takes its name when all of it is on the disk, so it is there as a whole or not at
    all. Parts never share a volume.
    """

    root: Path

    def find(self) -> list[Part]:
        """Whole parts in the order of their volumes; damaged ones are removed, to be made again."""
        if not self.root.is_dir():
            return []
        found = []
        for path in sorted(self.root.iterdir()):
            if not path.is_dir() or is_part(path):
                continue
            first, _, stop = path.name.partition("-")
            part = Part(int(first), int(stop), path)
            if all(_is_whole(part.table(name)) for name in PART_TABLES):
                found.append(part)
            else:
                _LOG.warning("%s is damaged; its volumes are made again", path)
                shutil.rmtree(path)
        return found

    def add(self, first: int, stop: int, frames: Mapping[str, pl.DataFrame]) -> Part:
        """Check the tables of volumes ``first:stop`` and write them, flushed to the disk, as a whole."""
        path = self.root / f"{first:07d}-{stop:07d}"
        with explain_failure(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            with write_folder(path) as room:
                for name in PART_TABLES:
                    # By way of memory: polars hides what the system says about a full disk.
                    content = BytesIO()
                    check_table(frames[name], RUN_TABLES[name], str(path)).write_parquet(content)
                    (room / f"{name}.parquet").write_bytes(content.getvalue())
                    flush_file(room / f"{name}.parquet")
                flush_folder(room)
            flush_folder(self.root)
        return Part(first, stop, path)

    def load_note(self, name: str) -> dict[str, Any] | None:
        """What `save_note` kept under this name, None where there is nothing that can be read."""
        try:
            values = json.loads((self.root / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return values if isinstance(values, dict) else None

    def save_note(self, name: str, values: Mapping[str, Any]) -> None:
        """Keep something beside the parts, as JSON."""
        self.root.mkdir(parents=True, exist_ok=True)
        write_text(self.root / f"{name}.json", json.dumps(values, indent=1, sort_keys=True))

    def load_arrays(self, name: str) -> dict[str, np.ndarray] | None:
        """What `save_arrays` kept under this name, None where there is nothing that can be read."""
        try:
            with np.load(self.root / f"{name}.npz", allow_pickle=False) as file:
                return {key: file[key] for key in file.files}
        except (OSError, ValueError, BadZipFile):
            return None

    def save_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep arrays beside the parts."""
        self.root.mkdir(parents=True, exist_ok=True)
        content = BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays)
        write_bytes(self.root / f"{name}.npz", content.getvalue())

    def clear_strays(self) -> None:
        """Remove what killed writers left; call it only while nothing else can be writing here."""
        if not self.root.is_dir():
            return
        remove_parts(self.root)
        for path in self.root.iterdir():
            if path.is_dir() and is_part(path):
                shutil.rmtree(path, ignore_errors=True)

    def remove_others(self) -> None:
        """Remove parts that other settings made."""
        for path in self.root.parent.iterdir():
            if path.is_dir() and path != self.root:
                shutil.rmtree(path, ignore_errors=True)


def list_volumes(parts: Iterable[Part]) -> set[int]:
    """All volumes of some parts."""
    return {volume for part in parts for volume in range(part.first, part.stop)}


def _is_whole(path: Path) -> bool:
    """Whether a parquet file has its end: a power cut leaves files that are empty or cut off."""
    try:
        with path.open("rb") as file:
            file.seek(-len(_MAGIC), 2)
            return file.read() == _MAGIC
    except OSError:
        return False
