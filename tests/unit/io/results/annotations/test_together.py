"""Changes that came while the disk was busy are committed as one; what is refused is refused alone."""

import sqlite3
import threading
from pathlib import Path

import pytest

from cender.io.results.annotations.together import Together


def open_base(path: Path) -> tuple[sqlite3.Connection, list[str]]:
    """A table of numbers, and every statement that is made on it."""
    base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    base.execute("CREATE TABLE numbers (one INTEGER UNIQUE)")
    said: list[str] = []
    base.set_trace_callback(said.append)
    return base, said


def add(base: sqlite3.Connection, number: int) -> int:
    base.execute("INSERT INTO numbers VALUES (?)", (number,))
    if number < 0:
        raise ValueError(number)
    return number


def read(base: sqlite3.Connection) -> list[int]:
    return [row[0] for row in base.execute("SELECT one FROM numbers ORDER BY one")]


def test_those_who_wait_share_a_commit(tmp_path: Path) -> None:
    base, said = open_base(tmp_path / "numbers.sqlite")
    together, begun, go_on = Together(), threading.Event(), threading.Event()
    found: dict[int, object] = {}

    def slow(connection: sqlite3.Connection) -> int:
        begun.set()
        assert go_on.wait(30)
        return add(connection, 0)

    def ask(number: int) -> None:
        try:
            found[number] = together.make(lambda connection: add(connection, number), lambda: base)
        except ValueError as error:
            found[number] = error

    first = threading.Thread(target=together.make, args=(slow, lambda: base))
    first.start()
    assert begun.wait(30)
    others = [threading.Thread(target=ask, args=(number,)) for number in (1, 2, -3, 4)]
    for thread in others:
        thread.start()
    while len(together._waiting) < 4:
        threading.Event().wait(0.01)
    go_on.set()
    for thread in (first, *others):
        thread.join(30)
    assert said.count("COMMIT") == 2, "one for the first, one for the four that waited"
    assert read(base) == [0, 1, 2, 4]
    assert [found[number] for number in (1, 2, 4)] == [1, 2, 4]
    assert isinstance(found[-3], ValueError)
    base.close()


def test_a_file_that_cannot_be_written_is_told_to_everybody(tmp_path: Path) -> None:
    base, _ = open_base(tmp_path / "numbers.sqlite")
    together = Together()
    assert together.make(lambda connection: add(connection, 1), lambda: base) == 1
    base.close()
    with pytest.raises(sqlite3.ProgrammingError):
        together.make(lambda connection: add(connection, 2), lambda: base)
    again = sqlite3.connect(tmp_path / "numbers.sqlite", isolation_level=None)
    assert together.make(lambda connection: add(connection, 3), lambda: again) == 3, "and the next one is made"
    assert read(again) == [1, 3]
    again.close()
