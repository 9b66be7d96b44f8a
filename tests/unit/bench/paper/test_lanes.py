"""Rows that are measured side by side: each is kept at once, and those of a group share a process."""

import importlib
import os
from collections.abc import Iterator
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info

from cender.bench.paper.items import Done, Item
from cender.bench.paper.lanes import Lanes, count_lanes, measure_in_lanes
from cender.io.measured import load_measured

MACHINE = {"version": "1", "machine": "here"}


def count_up() -> Iterator[dict[str, Any]]:
    """Figures that say how often their process has taken one; it can be sent to a process."""
    return iter([{"count": number} for number in range(1, 9)])


def test_rows_of_a_group_share_a_process_and_others_do_not(tmp_path: Path) -> None:
    shared, path, told = count_up(), tmp_path / "rows.jsonl", list[Done]()
    items = [Item(key, partial(next, shared), {}, 5, "ab" if key in "ab" else "") for key in "acb"]
    lanes = Lanes(2, partial(list, items))
    found = measure_in_lanes(items, lanes, path, MACHINE, told.append)
    assert list(found) == ["a", "c", "b"]
    assert {key: one.figures["count"] for key, one in found.items()} == {"a": 1, "b": 2, "c": 1}
    assert next(shared) == {"count": 1}, "nothing is measured in this process"
    assert load_measured(path) == found
    assert [(one.done_s, one.kept) for one in told] == [(5, False), (10, False), (15, False)]
    told.clear()
    assert measure_in_lanes(items, lanes, path, MACHINE, told.append) == found
    assert all(one.kept for one in told), "kept rows start no process"


def count_threads() -> dict[str, Any]:
    """Threads that matrix products have; it can be sent to a process."""
    importlib.import_module("numpy")
    return {"threads": max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")}


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has one thread in any case")
def test_a_lane_computes_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [Item(key, count_threads, {}, 5) for key in "ab"]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    found = measure_in_lanes(items, Lanes(2, partial(list, items)), None, MACHINE)
    assert [one.figures["threads"] for one in found.values()] == [1, 1]


def test_what_fails_leaves_the_finished_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    items = [Item("a", partial(dict, value=1), {}, 5, "g"), Item("b", partial(int, "no number"), {}, 5, "g")]
    items.append(Item("c", partial(dict, value=3), {}, 2))
    with pytest.raises(ValueError, match="no number"):
        measure_in_lanes(items, Lanes(2, partial(list, items)), path, MACHINE)
    assert "a" in load_measured(path)


def test_an_interruption_does_not_wait_for_what_would_be_lost(tmp_path: Path) -> None:
    path, mark = tmp_path / "rows.jsonl", tmp_path / "measured"
    long = f"import time, pathlib; time.sleep(8); pathlib.Path({str(mark)!r}).touch()"
    items = [Item("a", partial(dict, value=1), {}, 9), Item("b", partial(exec, long), {}, 5)]

    def stop(done: Done) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_in_lanes(items, Lanes(2, partial(list, items)), path, MACHINE, stop)
    assert set(load_measured(path)) == {"a"}
    assert not mark.exists(), "the other lane was ended, not waited for"
    assert not active_children()


def test_a_single_group_is_measured_in_this_process() -> None:
    shared = count_up()
    items = [Item(key, partial(next, shared), {}, 5, "g") for key in "ab"]
    measure_in_lanes(items, Lanes(2, partial(list, items)), None, MACHINE)
    assert next(shared) == {"count": 3}


def test_there_is_a_lane_for_every_core_but_few() -> None:
    assert 1 <= count_lanes() <= 4
