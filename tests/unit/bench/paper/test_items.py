"""A long benchmark goes on where it stopped, and measures again what depends on something that changed."""

from pathlib import Path

import pytest

from cender.bench.paper.items import Done, Item, measure_items, refuse_data
from cender.errors import DataError
from cender.io.measured import load_measured

MACHINE = {"version": "1", "machine": "here"}


def make_items(calls: list[str], **inputs: int) -> list[Item]:
    def measure(key: str) -> dict[str, float]:
        calls.append(key)
        return {"value": len(calls)}

    return [Item(key, lambda key=key: measure(key), {"seed": inputs.get(key, 0)}, 5) for key in ("a", "b")]


def test_finished_rows_are_not_measured_again(tmp_path: Path) -> None:
    calls: list[str] = []
    path = tmp_path / "rows.jsonl"
    told: list[Done] = []
    first = measure_items(make_items(calls)[:1], path, MACHINE)
    again = measure_items(make_items(calls), path, MACHINE, told.append)
    assert calls == ["a", "b"]
    assert again["a"] == first["a"]
    assert [(one.kept, one.done_s, one.total_s) for one in told] == [(True, 5, 10), (False, 10, 10)]
    assert again["b"].provenance["machine"] == "here"
    assert "seconds" in again["b"].provenance


def test_other_inputs_are_measured_again(tmp_path: Path) -> None:
    calls: list[str] = []
    path = tmp_path / "rows.jsonl"
    measure_items(make_items(calls), path, MACHINE)
    changed = measure_items(make_items(calls, b=7), path, MACHINE)
    assert calls == ["a", "b", "b"]
    assert changed["b"].inputs == {"seed": 7}


def test_an_interrupted_benchmark_keeps_what_is_done(tmp_path: Path) -> None:
    calls: list[str] = []
    path = tmp_path / "rows.jsonl"
    items = make_items(calls)

    def stop() -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_items([items[0], Item("b", stop, {"seed": 0})], path, MACHINE)
    measure_items(items, path, MACHINE)
    assert calls == ["a", "b"]


def test_refused_data_ends_no_other_row_and_is_tried_again(tmp_path: Path) -> None:
    def refuse() -> dict[str, float]:
        raise DataError("only 2 annotated volumes")

    path, calls = tmp_path / "rows.jsonl", list[str]()
    items = [Item("few", refuse, {}), *make_items(calls)]
    with pytest.raises(DataError):
        measure_items(items, None, MACHINE)
    found = measure_items([refuse_data(item) for item in items], path, MACHINE)
    assert found["few"].figures == {"refused": "only 2 annotated volumes"}
    assert set(load_measured(path)) == {"a", "b"}
