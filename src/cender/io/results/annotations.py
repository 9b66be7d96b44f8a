"""Human work in a run folder: ``annotations.sqlite``, an append-only log of edits and the state it leads to.

The state is what people say of volumes: neurons with their places and identities, their boxes, and whether a volume is
marked completely. Every change of a volume adds a row to the log with the volume before and after it; rows of the log
can neither be changed nor removed.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError, UnsupportedFormat
from cender.io.results.folder.fingerprints import hash_values
from cender.types import Annotation, Regions

FILE_NAME = "annotations.sqlite"
FORMAT = 1
_WAIT_S = 20.0
_SCHEMA = (
    "CREATE TABLE about (format INTEGER NOT NULL)",
    """CREATE TABLE edits (
        edit INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, author TEXT NOT NULL, volume INTEGER NOT NULL,
        before TEXT, after TEXT)""",
    """CREATE TABLE volumes (
        volume INTEGER PRIMARY KEY CHECK (volume >= 0), complete INTEGER NOT NULL CHECK (complete IN (0, 1)))""",
    """CREATE TABLE neurons (
        volume INTEGER NOT NULL REFERENCES volumes, neuron INTEGER NOT NULL CHECK (neuron >= 0),
        identity INTEGER NOT NULL CHECK (identity >= -1), z_um REAL NOT NULL, y_um REAL NOT NULL, x_um REAL NOT NULL,
        PRIMARY KEY (volume, neuron))""",
    """CREATE TABLE regions (
        volume INTEGER NOT NULL, neuron INTEGER NOT NULL, z INTEGER NOT NULL CHECK (z >= 0), x REAL NOT NULL,
        y REAL NOT NULL, w REAL NOT NULL CHECK (w > 0), h REAL NOT NULL CHECK (h > 0),
        FOREIGN KEY (volume, neuron) REFERENCES neurons)""",
    "CREATE UNIQUE INDEX once ON neurons (volume, identity) WHERE identity >= 0",
    "CREATE TRIGGER edits_stay BEFORE UPDATE ON edits BEGIN SELECT RAISE(ABORT, 'edits are never changed'); END",
    "CREATE TRIGGER edits_last BEFORE DELETE ON edits BEGIN SELECT RAISE(ABORT, 'edits are never removed'); END",
)
_NEURON = ("neuron", "identity", "z_um", "y_um", "x_um")
_REGION = ("neuron", "z", "x", "y", "w", "h")


def load_human(folder: Path) -> dict[int, Annotation]:
    """What people say of the volumes of a run folder, by volume; nothing where nobody has said anything.

    Raises
    ------
    DataError
        The file is damaged or is something else.
    UnsupportedFormat
        A later version of cender wrote it.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        return {}
    with _reading(path) as base:
        volumes = base.execute("SELECT volume, complete FROM volumes ORDER BY volume").fetchall()
        return {volume: _build(volume, _load_state(base, volume), bool(complete)) for volume, complete in volumes}


def hash_human(folder: Path) -> str | None:
    """A name for what people say, None where nobody has said anything; how often they changed it does not matter."""
    path = folder / FILE_NAME
    if not path.is_file():
        return None
    with _reading(path) as base:
        rows = {
            name: base.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3").fetchall()  # noqa: S608  (our own names)
            for name in ("neurons", "regions")
        }
        rows["volumes"] = base.execute("SELECT * FROM volumes ORDER BY volume").fetchall()
        return hash_values(rows) if rows["volumes"] else None


def save_human(folder: Path, annotation: Annotation, author: str = "") -> None:
    """Lay down what a person says of one volume, in place of what was said of it before; the log keeps both.

    A volume without neurons that is not complete is one that nobody says anything of. The file is made where there is
    none; several programs may write it at the same time.
    """
    with _writing(folder / FILE_NAME) as base:
        volume, after = annotation.volume, _describe(annotation)
        row = base.execute("SELECT complete FROM volumes WHERE volume = ?", (volume,)).fetchone()
        before = None if row is None else {**_load_state(base, volume), "complete": bool(row[0])}
        if before == after:
            return
        said = annotation.complete or len(annotation) > 0
        for name in ("regions", "neurons", "volumes"):
            base.execute(f"DELETE FROM {name} WHERE volume = ?", (volume,))  # noqa: S608  (our own names)
        if said:
            base.execute("INSERT INTO volumes VALUES (?, ?)", (volume, int(annotation.complete)))
            for name, columns in (("neurons", _NEURON), ("regions", _REGION)):
                marks = ", ".join("?" * (1 + len(columns)))
                rows = [(volume, *(item[key] for key in columns)) for item in after[name]]
                base.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608  (our own names)
        base.execute(
            "INSERT INTO edits (time, author, volume, before, after) VALUES (?, ?, ?, ?, ?)",
            (datetime.now(UTC).isoformat(), author, volume, _dump(before), _dump(after if said else None)),
        )


def list_edits(folder: Path) -> list[dict[str, Any]]:
    """The log, oldest first: time, author, volume, and the volume before and after as plain values."""
    if not (folder / FILE_NAME).is_file():
        return []
    with _reading(folder / FILE_NAME) as base:
        rows = base.execute("SELECT time, author, volume, before, after FROM edits ORDER BY edit").fetchall()
    return [
        {"time": t, "author": who, "volume": volume, "before": json.loads(old), "after": json.loads(new)}
        for t, who, volume, old, new in rows
    ]


def list_given(folder: Path) -> frozenset[int]:
    """Every number that a person ever gave, also those that were taken back: nobody else may get one."""
    states = (edit[when] for edit in list_edits(folder) for when in ("before", "after"))
    return frozenset(one["identity"] for state in states if state for one in state["neurons"] if one["identity"] >= 0)


def _describe(annotation: Annotation) -> dict[str, Any]:
    places = annotation.centre_um.tolist()
    neurons = [
        dict(zip(_NEURON, (row, int(annotation.identity[row]), *place), strict=True))
        for row, place in enumerate(places)
    ]
    boxes = annotation.regions
    owned = [row for row in range(len(boxes)) if boxes.neuron[row] >= 0]
    regions = [
        dict(zip(_REGION, (int(boxes.neuron[row]), int(boxes.z[row]), *boxes.box_px[row].tolist()), strict=True))
        for row in sorted(owned, key=lambda row: (int(boxes.neuron[row]), int(boxes.z[row])))
    ]
    return {"neurons": neurons, "regions": regions, "complete": annotation.complete}


def _load_state(base: sqlite3.Connection, volume: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, columns, order in (("neurons", _NEURON, "neuron"), ("regions", _REGION, "neuron, z")):
        words = f"SELECT {', '.join(columns)} FROM {name} WHERE volume = ? ORDER BY {order}"  # noqa: S608
        found[name] = [dict(zip(columns, row, strict=True)) for row in base.execute(words, (volume,))]
    return found


def _build(volume: int, state: Mapping[str, Any], complete: bool) -> Annotation:
    neurons, regions = state["neurons"], state["regions"]
    number = np.array([one["neuron"] for one in neurons], int)
    centre = np.array([[one[key] for key in ("z_um", "y_um", "x_um")] for one in neurons], float).reshape(-1, 3)
    identity = np.array([one["identity"] for one in neurons], int)
    box = np.array([[one[key] for key in "xywh"] for one in regions], float).reshape(-1, 4)
    owner = np.searchsorted(number, np.array([one["neuron"] for one in regions], int))
    boxes = Regions.from_boxes(np.array([one["z"] for one in regions], int), box, neuron=owner.astype(int))
    return Annotation(volume, centre, identity, np.ones(len(centre)), boxes, complete=complete)


def _dump(state: Mapping[str, Any] | None) -> str:
    return json.dumps(state)


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    with _explaining(path), closing(_connect_to_read(path)) as base:
        _check_format(base, path)
        yield base


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """One change, whole or not at all."""
    with _explaining(path), closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as base:
        # Readers go on while somebody writes, and what was committed survives a power cut.
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("PRAGMA foreign_keys = ON")
        base.execute("BEGIN IMMEDIATE")
        try:
            if base.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                for statement in _SCHEMA:
                    base.execute(statement)
                base.execute("INSERT INTO about VALUES (?)", (FORMAT,))
            _check_format(base, path)
            yield base
        except BaseException:
            base.execute("ROLLBACK")
            raise
        base.execute("COMMIT")


def _connect_to_read(path: Path) -> sqlite3.Connection:
    base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT_S)
    try:
        base.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # In a folder that nobody can write the log beside the file cannot be opened; then nobody writes it either.
        base.close()
        return sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)
    return base


def _check_format(base: sqlite3.Connection, path: Path) -> None:
    (found,) = base.execute("SELECT format FROM about").fetchone() or (None,)
    if found != FORMAT:
        raise UnsupportedFormat(f"{path}: annotations of format {found}; this cender knows up to {FORMAT}: update it")


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise DataError(
            f"{path}: the annotation contradicts itself ({error}); an identity may be there once in a volume, a box "
            "has a size and belongs to a neuron"
        ) from None
    except sqlite3.DatabaseError as error:
        raise DataError(
            f"{path} cannot be used as annotations ({error}); bring back a copy, or move it away to go on without"
        ) from None
