"""Changes of several people in one transaction: they share the wait for the disk, and each is refused by itself."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from cender.io.results.annotations.base import transaction

Result = TypeVar("Result")
Change = Callable[[sqlite3.Connection], Any]


@dataclass(slots=True)
class _Request:
    change: Change
    done: bool = False
    result: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class Together:
    """Makes changes one after the other; those that came while the disk was busy are committed as one.

    A change that raises is taken back alone. `make` returns when its change is on disk.
    """

    _waiting: list[_Request] = field(default_factory=list)
    _gate: Lock = field(default_factory=Lock)
    _turn: Lock = field(default_factory=Lock)

    def make(
        self, change: Callable[[sqlite3.Connection], Result], find_base: Callable[[], sqlite3.Connection]
    ) -> Result:
        """Make a change and return what it returns; ``find_base`` gives the connection to write through."""
        mine = _Request(change)
        with self._gate:
            self._waiting.append(mine)
        with self._turn:
            # Whoever had the turn before may have made this change together with their own.
            if not mine.done:
                with self._gate:
                    batch, self._waiting = self._waiting, []
                _commit(batch, find_base)
        if mine.error is not None:
            raise mine.error
        return mine.result  # type: ignore[no-any-return]


def _commit(batch: list[_Request], find_base: Callable[[], sqlite3.Connection]) -> None:
    try:
        base = find_base()
        with transaction(base):
            for one in batch:
                _perform(one, base)
    except BaseException as error:  # noqa: BLE001  (it is raised to everybody who waits for it)
        for one in batch:
            one.result, one.error = None, one.error or error
    for one in batch:
        one.done = True


def _perform(one: _Request, base: sqlite3.Connection) -> None:
    base.execute("SAVEPOINT one")
    try:
        one.result = one.change(base)
    except Exception as error:  # noqa: BLE001  (it is raised to whoever asked for this change)
        base.execute("ROLLBACK TO one")
        one.error = error
    base.execute("RELEASE one")
