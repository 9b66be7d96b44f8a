"""Edits as rows: recorded with the values before and after them, and the values that follow."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import TypeAdapter

from cender.annotate.apply import Draft, draft_edit, find_changes, find_claims, list_volumes
from cender.annotate.edits import AnyEdit, Batch, NameIdentity, NoteIdentity, Propagate, Restore, ReviewIdentity
from cender.annotate.slots import Saved, Slot, Value
from cender.annotate.state import State

_VALUE: TypeAdapter[Value] = TypeAdapter(Value)
_SAVED: TypeAdapter[tuple[Saved, ...]] = TypeAdapter(tuple[Saved, ...])
_PER_QUERY = 500
"""Volumes that one question to the file names; SQLite allows about a thousand."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who makes an edit and when (ISO 8601, now where it is empty), and a ticket by which it is known again."""

    name: str
    time: str = ""
    ticket: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """How an edit comes to be: done for the first time, or undone or redone (then ``target`` is the first one)."""

    action: Literal["do", "undo", "redo"] = "do"
    target: int | None = None


def record_edit(base: sqlite3.Connection, author: Author, edit: AnyEdit) -> int:
    """Apply an edit whatever others have done, inside the caller's transaction; returns its revision."""
    state = load_around(base, edit)
    return write_edit(base, author, edit, state, draft_edit(state, edit))


def write_edit(
    base: sqlite3.Connection, author: Author, edit: AnyEdit, state: State, draft: Draft, turn: Turn | None = None
) -> int:
    """Lay down an edit and the values that follow from it; one that changes nothing is not logged."""
    changes = find_changes(state, draft)
    if not changes:
        return find_revision(base)
    turn = turn or Turn()
    before = tuple(Saved(slot=slot, value=state.values.get(slot)) for slot, _ in changes)
    after = tuple(Saved(slot=slot, value=value) for slot, value in changes)
    made = base.execute(
        "INSERT INTO edits (time, author, action, target, ticket, edit, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            author.time or datetime.now(UTC).isoformat(),
            author.name,
            turn.action,
            turn.target,
            author.ticket,
            edit.model_dump_json(),
            _SAVED.dump_json(before).decode(),
            _SAVED.dump_json(after).decode(),
        ),
    )
    revision = int(made.lastrowid or 0)
    _write_values(base, changes, find_claims(state, changes), revision, author.name)
    _write_history(base, revision, author.name, turn)
    return revision


def find_revision(base: sqlite3.Connection) -> int:
    """The number of the last edit, 0 where there is none."""
    (revision,) = base.execute("SELECT coalesce(max(revision), 0) FROM edits").fetchone()
    return int(revision)


def load_around(base: sqlite3.Connection, edit: AnyEdit) -> State:
    """The part of the state that an edit reads or changes."""
    values: dict[Slot, Value] = {}
    for space, numbers in (("neuron", list_volumes(edit)), ("volume", list_volumes(edit)), ("identity", _named(edit))):
        values |= load_values(base, space, numbers)
    return State(values)


def load_values(base: sqlite3.Connection, space: str, numbers: Iterable[int] | None = None) -> dict[Slot, Value]:
    """Values of a space: of all numbers, or of some."""
    words = "SELECT space, number, key, value FROM slots WHERE value IS NOT NULL AND space = ?"
    rows = select_rows(base, words, space, numbers)
    return {Slot(space, number, key): _VALUE.validate_json(value) for space, number, key, value in rows}


def select_rows(
    base: sqlite3.Connection, words: str, space: str, numbers: Iterable[int] | None = None
) -> Iterator[tuple[Any, ...]]:
    """What a question about the slots of a space answers: of all numbers, or of some; by number and key."""
    if numbers is None:
        yield from base.execute(f"{words} ORDER BY number, key", (space,))
        return
    wanted = sorted(numbers)
    for first in range(0, len(wanted), _PER_QUERY):
        some = wanted[first : first + _PER_QUERY]
        marks = ", ".join("?" * len(some))
        yield from base.execute(f"{words} AND number IN ({marks}) ORDER BY number, key", (space, *some))


def parse_saved(text: str) -> tuple[Saved, ...]:
    """Slots with values, from a row of the log."""
    return _SAVED.validate_json(text)


def rebuild_values(base: sqlite3.Connection) -> None:
    """Make values and claims again from the log alone, inside the caller's transaction; history is not touched."""
    base.execute("DELETE FROM slots")
    rows = base.execute("SELECT revision, author, before, after FROM edits ORDER BY revision").fetchall()
    for revision, author, before, after in rows:
        state = State({one.slot: one.value for one in parse_saved(before) if one.value is not None})
        changes = [(one.slot, one.value) for one in parse_saved(after)]
        _write_values(base, changes, find_claims(state, changes), revision, author)


def _named(edit: AnyEdit) -> set[int]:
    """Identities of which an edit says something that holds in the whole recording."""
    if isinstance(edit, Batch | Propagate):
        return {number for one in edit.edits for number in _named(one)}
    if isinstance(edit, Restore):
        return {one.slot.number for one in edit.saved if one.slot.space == "identity"}
    return {edit.identity} if isinstance(edit, ReviewIdentity | NameIdentity | NoteIdentity) else set()


def _write_values(
    base: sqlite3.Connection,
    changes: Iterable[tuple[Slot, Value | None]],
    claims: Iterable[Slot],
    revision: int,
    author: str,
) -> None:
    rows: Mapping[Slot, str | None] = {
        **dict.fromkeys(claims),
        **{slot: None if value is None else _VALUE.dump_json(value).decode() for slot, value in changes},
    }
    base.executemany(
        "INSERT OR REPLACE INTO slots VALUES (?, ?, ?, ?, ?, ?)",
        [(*slot, text, revision, author) for slot, text in rows.items()],
    )


def _write_history(base: sqlite3.Connection, revision: int, author: str, turn: Turn) -> None:
    if turn.action == "do":
        base.execute("DELETE FROM history WHERE author = ? AND side = 'redo'", (author,))
        base.execute("INSERT INTO history VALUES (?, ?, 'undo', ?)", (revision, author, revision))
    else:
        side = "redo" if turn.action == "undo" else "undo"
        base.execute("UPDATE history SET side = ?, rank = ? WHERE revision = ?", (side, revision, turn.target))
