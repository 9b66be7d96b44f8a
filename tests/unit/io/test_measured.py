"""Measured rows survive: each is kept at once, the last of a key counts, and a torn line costs itself only."""

from pathlib import Path

import pytest

from cender.errors import DataError
from cender.io.measured import Measured, add_measured, load_measured


def make(key: str, value: float) -> Measured:
    return Measured(key, {"f1": value}, {"seed": 1}, {"machine": "a"})


def test_rows_come_back_and_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "new" / "rows.jsonl"
    assert load_measured(path) == {}
    for one in (make("a", 0.1), make("b", 0.2), make("a", 0.3)):
        add_measured(path, one)
    assert load_measured(path) == {"a": make("a", 0.3), "b": make("b", 0.2)}


def test_a_torn_last_line_is_left_out_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    add_measured(path, make("a", 0.1))
    add_measured(path, make("b", 0.2))
    path.write_text(path.read_text()[:-20])
    assert list(load_measured(path)) == ["a"]
    path.write_text(path.read_text().split("\n")[0])
    add_measured(path, make("c", 0.3))
    assert list(load_measured(path)) == ["a", "c"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("name,value\na,1\n")
    with pytest.raises(DataError, match="line 1: expected one measured row"):
        load_measured(path)
