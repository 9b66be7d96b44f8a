"""The log of a run folder's human work: append, undo, redo, and what it all leads to."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Literal

from cender.annotate.apply import Draft, draft_edit, find_changes, find_claims, list_volumes
from cender.annotate.edits import AnyEdit, Restore, parse_logged
from cender.annotate.marks import Mark, Record
from cender.annotate.slots import Slot
from cender.annotate.state import IdentityState, State, VolumeDigest, VolumeState, arrange_identities
from cender.annotate.words import describe_edit
from cender.io.results.annotations.base import FILE_NAME, explaining, open_to_read, open_to_write
from cender.io.results.annotations.held import Held, load_digests, load_states
from cender.io.results.annotations.rows import (
    Author,
    Turn,
    find_revision,
    load_around,
    load_values,
    parse_saved,
    rebuild_values,
    write_edit,
)
from cender.io.results.annotations.together import Together


class LogEntry(Record):
    """One row of the log; ``words`` say what was done, ``target`` is the edit that was undone or redone."""

    revision: int
    time: str
    author: str
    action: Literal["do", "undo", "redo"]
    target: int | None
    volumes: tuple[int, ...]
    words: str


class Conflict(Record):
    """Why an edit was not made: somebody else changed the same thing (``slot``) since, in the edit named here."""

    slot: str
    revision: int
    time: str
    author: str
    words: str


class EditLog:
    """Human work on a run folder.

    The append-only log is the truth; the state follows from it and is kept beside it in the same transaction, so that
    nothing is replayed however long the log is. An edit is on disk when `append` returns. Safe to use from several
    threads and, each with its own `EditLog`, from several programs. Looking makes no file.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._lock = RLock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._together = Together()
        self._forget()

    def __enter__(self) -> "EditLog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; the next call opens it again."""
        with self._lock:
            for base in (self._reader, self._writer):
                if base is not None:
                    base.close()
            self._reader = self._writer = None
            self._forget()

    @property
    def revision(self) -> int:
        """The number of the last edit, 0 where there is none."""
        with self._lock, explaining(self.path):
            base = self._read()
            return 0 if base is None else find_revision(base)

    def append(
        self,
        author: str,
        edit: AnyEdit,
        base_revision: int | None = None,
        ticket: str | None = None,
    ) -> int | Conflict:
        """Make an edit; returns its revision, or the conflict that kept it from being made.

        Parameters
        ----------
        author
            Who makes it.
        edit
            What is done.
        base_revision
            The revision that the person saw; it is a conflict if somebody else changed the same neuron, fact or
            identity after it. None: not checked.
        ticket
            A name for this very edit: sent twice, it is made once.

        Raises
        ------
        EditError
            The edit contradicts the state.
        """

        def make(base: sqlite3.Connection) -> int | Conflict:
            if (known := _find_ticket(base, ticket)) is not None:
                return known
            state = load_around(base, edit)
            draft = draft_edit(state, edit)
            changes = find_changes(state, draft)
            slots = [*(slot for slot, _ in changes), *find_claims(state, changes)]
            if base_revision is not None and (theirs := _find_newer(base, slots, base_revision, author)):
                return theirs
            return write_edit(base, Author(author, ticket=ticket), edit, state, draft)

        with explaining(self.path):
            return self._together.make(make, self._write)

    def undo(self, author: str, ticket: str | None = None) -> int | Conflict | None:
        """Take back this person's last edit that stands; None where there is none."""
        return self._turn(author, "undo", ticket)

    def redo(self, author: str, ticket: str | None = None) -> int | Conflict | None:
        """Make this person's last undone edit again; None where there is none, or where an edit was made since."""
        return self._turn(author, "redo", ticket)

    def since(self, revision: int = 0, most: int = -1) -> list[LogEntry]:
        """What was done after a revision, oldest first."""
        words = (
            "SELECT e.revision, e.time, e.author, e.action, e.target, coalesce(t.edit, e.edit) FROM edits e "
            "LEFT JOIN edits t ON t.revision = e.target WHERE e.revision > ? ORDER BY e.revision LIMIT ?"
        )
        with self._lock, explaining(self.path):
            base = self._read()
            rows = [] if base is None else base.execute(words, (revision, most)).fetchall()
        return [_read_entry(row) for row in rows]

    def tickets(self) -> dict[int, str | None]:
        """The ticket of every row of the log, by revision."""
        with self._lock, explaining(self.path):
            base = self._read()
            rows = [] if base is None else base.execute("SELECT revision, ticket FROM edits").fetchall()
        return {int(revision): ticket for revision, ticket in rows}

    def edit(self, revision: int) -> AnyEdit:
        """The edit of a revision, as it was made; raises KeyError where there is none."""
        with self._lock, explaining(self.path):
            base = self._read()
            row = base and base.execute("SELECT edit FROM edits WHERE revision = ?", (revision,)).fetchone()
        if not row:
            raise KeyError(revision)
        return parse_logged(row[0])

    def history(self, author: str) -> tuple[list[int], list[int]]:
        """Revisions that this person can undo and redo, the next one first in each."""
        words = "SELECT revision FROM history WHERE author = ? AND side = ? ORDER BY rank DESC"
        with self._lock, explaining(self.path):
            base = self._read()
            if base is None:
                return [], []
            undo, redo = ([row[0] for row in base.execute(words, (author, side))] for side in ("undo", "redo"))
            return undo, redo

    def state(self, volume: int) -> VolumeState:
        """What people say of a volume."""
        return self.states((volume,))[volume]

    def states(self, volumes: Iterable[int] | None = None) -> dict[int, VolumeState]:
        """What people say of some volumes, or of all of which they say anything, by volume."""
        with self._lock, explaining(self.path):
            base = self._read()
            if volumes is None:
                return {} if base is None else self._states.look(base)
            wanted = list(volumes)
            found = {} if base is None else load_states(base, wanted)
        return {volume: found.get(volume, VolumeState(volume=volume)) for volume in wanted}

    def digests(self) -> dict[int, VolumeDigest]:
        """What people say of all volumes of which they say anything, in short, by volume."""
        with self._lock, explaining(self.path):
            base = self._read()
            return {} if base is None else self._digests.look(base)

    def identities(self) -> dict[int, IdentityState]:
        """What people say of identities, by number."""
        with self._lock, explaining(self.path):
            base = self._read()
            return arrange_identities({} if base is None else load_values(base, "identity"))

    def given(self) -> frozenset[int]:
        """Every number that a person ever gave, also those that were taken back."""
        with self._lock, explaining(self.path):
            base = self._read()
            words = "SELECT DISTINCT CAST(key AS INTEGER) FROM slots WHERE space = 'claim'"
            return frozenset(() if base is None else (row[0] for row in base.execute(words)))

    def rebuild(self) -> None:
        """Make the state again from the log alone."""
        with explaining(self.path):
            self._together.make(rebuild_values, self._write)
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        """Hold nothing: the next look at all volumes loads all of them."""
        self._states = Held(load_states)
        self._digests = Held(load_digests)

    def _turn(self, author: str, action: Literal["undo", "redo"], ticket: str | None) -> int | Conflict | None:
        if not self.path.is_file():
            return None
        with explaining(self.path):
            return self._together.make(lambda base: _turn(base, author, action, ticket), self._write)

    def _read(self) -> sqlite3.Connection | None:
        """A connection to look through while others write, None where there is no file."""
        if self._reader is None:
            if not self.path.is_file():
                return None
            self._reader = open_to_read(self.path)
        return self._reader

    def _write(self) -> sqlite3.Connection:
        with self._lock:
            if self._writer is None:
                self._writer = open_to_write(self.path)
                # Looking begins anew: the file may have been of an older format, of which a copy was shown.
                if self._reader is not None:
                    self._reader.close()
                    self._reader = None
            return self._writer


def _turn(
    base: sqlite3.Connection, author: str, action: Literal["undo", "redo"], ticket: str | None
) -> int | Conflict | None:
    """Take back, or make again, the last edit of a person."""
    if (known := _find_ticket(base, ticket)) is not None:
        return known
    row = base.execute(
        "SELECT e.revision, e.before, e.after FROM history h JOIN edits e USING (revision) "
        "WHERE h.author = ? AND h.side = ? ORDER BY h.rank DESC LIMIT 1",
        (author, action),
    ).fetchone()
    if row is None:
        return None
    old, new = parse_saved(row[1]), parse_saved(row[2])
    is_now, will_be = (new, old) if action == "undo" else (old, new)
    edit = Restore(saved=will_be)
    state = load_around(base, edit)
    changed = [one.slot for one in is_now if state.values.get(one.slot) != one.value]
    draft = draft_edit(state, edit)
    if clash := [*changed, *_find_doubles(state, draft)]:
        return _describe_slot(base, clash[0])
    return write_edit(base, Author(author, ticket=ticket), edit, state, draft, Turn(action, row[0]))


def _find_ticket(base: sqlite3.Connection, ticket: str | None) -> int | None:
    row = ticket and base.execute("SELECT revision FROM edits WHERE ticket = ?", (ticket,)).fetchone()
    return int(row[0]) if row else None


def _find_newer(base: sqlite3.Connection, slots: Iterable[Slot], revision: int, author: str) -> Conflict | None:
    """The newest change of these slots that somebody else made after a revision."""
    words = "SELECT revision FROM slots WHERE space = ? AND number = ? AND key = ? AND revision > ? AND author <> ?"
    found = [(row[0], slot) for slot in slots for row in base.execute(words, (*slot, revision, author))]
    return _describe_slot(base, max(found)[1]) if found else None


def _find_doubles(state: State, draft: Draft) -> list[Slot]:
    """Claims that two neurons of one volume would have after a draft."""
    after = state.replace(draft.after).values
    seen: set[Slot] = set()
    doubles = []
    for slot, value in after.items():
        if isinstance(value, Mark) and value.identity is not None and value.identity >= 0:
            claim = Slot("claim", slot.number, str(value.identity))
            if claim in seen:
                doubles.append(claim)
            seen.add(claim)
    return doubles


def _describe_slot(base: sqlite3.Connection, slot: Slot) -> Conflict:
    row = base.execute(
        "SELECT e.revision, e.time, e.author, e.action, e.target, coalesce(t.edit, e.edit) FROM slots s "
        "JOIN edits e ON e.revision = s.revision LEFT JOIN edits t ON t.revision = e.target "
        "WHERE s.space = ? AND s.number = ? AND s.key = ?",
        slot,
    ).fetchone()
    entry = _read_entry(row)
    return Conflict(slot=str(slot), revision=entry.revision, time=entry.time, author=entry.author, words=entry.words)


def _read_entry(row: tuple[int, str, str, Literal["do", "undo", "redo"], int | None, str]) -> LogEntry:
    revision, time, author, action, target, text = row
    edit = parse_logged(text)
    words = describe_edit(edit)
    return LogEntry(
        revision=revision,
        time=time,
        author=author,
        action=action,
        target=target,
        volumes=tuple(sorted(list_volumes(edit))),
        words=words if action == "do" else f"{action} of: {words}",
    )
