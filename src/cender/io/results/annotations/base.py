"""The SQLite file: its tables, how it is opened, and what is said where it cannot be."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from cender.errors import DataError, UnsupportedFormat
from cender.io.results.annotations.drive import is_network_drive
from cender.io.results.annotations.migrate import migrate_first_format

FILE_NAME = "annotations.sqlite"
FORMAT = 2
"""Format of the edit log that is written; older ones are brought up to date."""
_WAIT_S = 60.0
"""How long another program may hold the file."""
# The log is the truth. Values, claims and history follow from it and change with it in one transaction, so that nothing
# has to be replayed when the file is opened.
SCHEMA = (
    "CREATE TABLE IF NOT EXISTS about (format INTEGER NOT NULL)",
    """CREATE TABLE edits (
        revision INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, author TEXT NOT NULL,
        action TEXT NOT NULL CHECK (action IN ('do', 'undo', 'redo')), target INTEGER REFERENCES edits,
        ticket TEXT UNIQUE, edit TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL)""",
    """CREATE TABLE slots (
        space TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, value TEXT, revision INTEGER NOT NULL,
        author TEXT NOT NULL, PRIMARY KEY (space, number, key)) WITHOUT ROWID""",
    """CREATE TABLE history (
        revision INTEGER PRIMARY KEY REFERENCES edits, author TEXT NOT NULL,
        side TEXT NOT NULL CHECK (side IN ('undo', 'redo')), rank INTEGER NOT NULL)""",
    "CREATE INDEX history_of ON history (author, side, rank)",
    "CREATE TRIGGER edits_stay BEFORE UPDATE ON edits BEGIN SELECT RAISE(ABORT, 'edits are never changed'); END",
    "CREATE TRIGGER edits_last BEFORE DELETE ON edits BEGIN SELECT RAISE(ABORT, 'edits are never removed'); END",
)


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing; a file of the first format is brought up to date in memory."""
    with explaining(path):
        base = _connect_to_read(path)
        try:
            if check_format(base, path) == FORMAT:
                return base
        except BaseException:
            base.close()
            raise
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with closing(base):
            base.backup(copy)
        migrate_first_format(copy, SCHEMA)
        return copy


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection to a file that is made where there is none and brought up to date where it is old.

    What was committed survives a power cut. On a local disk people read while somebody writes; a network drive has no
    shared memory, so that they wait for each other there.
    """
    with explaining(path):
        base = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
        try:
            base.execute(f"PRAGMA journal_mode = {'DELETE' if is_network_drive(path) else 'WAL'}")
            base.execute("PRAGMA synchronous = FULL")
            with transaction(base):
                if base.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                    for statement in SCHEMA:
                        base.execute(statement)
                    base.execute("INSERT INTO about VALUES (?)", (FORMAT,))
                elif check_format(base, path) < FORMAT:
                    migrate_first_format(base, SCHEMA)
        except BaseException:
            base.close()
            raise
        return base


@contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
    """One change, whole or not at all."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def check_format(base: sqlite3.Connection, path: Path) -> int:
    """The format of a file that this version can use."""
    (found,) = base.execute("SELECT format FROM about").fetchone() or (None,)
    if found is None or found not in range(1, FORMAT + 1):
        raise UnsupportedFormat(f"{path}: annotations of format {found}; this cender knows up to {FORMAT}: update it")
    return int(found)


@contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Errors of SQLite in words that help."""
    try:
        yield
    except sqlite3.OperationalError as error:
        # The lower byte is the kind of error, the rest says more about it.
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DataError(_say(path, error)) from None
        raise DataError(f"{path} has been in use by another program for {_WAIT_S:.0f} s; try again") from None
    except sqlite3.DatabaseError as error:
        raise DataError(_say(path, error)) from None


def _say(path: Path, error: Exception) -> str:
    return f"{path} cannot be used as annotations ({error}); bring back a copy, or move it away to go on without"


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = path.absolute().as_uri()
    base = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=_WAIT_S, check_same_thread=False)
    try:
        base.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # In a folder that cannot be written the log beside the file cannot be opened; then it does not change either.
        base.close()
        return sqlite3.connect(f"{address}?immutable=1", uri=True, check_same_thread=False)
    except BaseException:
        base.close()
        raise
    return base
