"""Learning in the background: it tells how far it is, can be stopped, and says why it failed."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cases import learning as stand_in
from cender.errors import DataError
from cender.web import learning as module
from cender.web.app import finish_learning
from cender.web.desk import Desk
from cender.web.identify import Identifier
from cender.web.learning import Learning

LONGEST_S = 60


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def read_tables(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(folder.glob("*.parquet"))}


@pytest.fixture
def desk(web_run: Path, tmp_path: Path) -> Desk:
    """A desk over a run folder of its own."""
    folder = tmp_path / "worm"
    shutil.copytree(web_run, folder)
    return Desk.open(folder)


@pytest.fixture
def told() -> list[dict[str, Any]]:
    """What pages were told."""
    return []


@pytest.fixture
def learning(desk: Desk, told: list[dict[str, Any]]) -> Iterator[Learning]:
    """The page's machine; what is still going on ends with the test."""
    one = Learning(
        desk.run.path,
        lambda kind, **facts: told.append(facts),
        lambda: finish_learning(desk, Identifier(desk, lambda volumes, left: None)),
    )
    yield one
    one.cancel()


def test_it_tells_how_far_it_is_and_new_tables_are_read(
    desk: Desk, learning: Learning, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_learn", stand_in.learn_at_once)
    assert learning.describe()["state"] == "idle"
    assert learning.start()
    wait_for(lambda: told[-1:] and told[-1]["state"] == "done")
    assert [one["done"] for one in told] == [0, 1, 2, 3, 3]
    assert told[2]["words"] == "learning identities"
    assert told[-1]["words"] == "identities follow all corrections now"
    assert told[-1]["curve"] == [1.0, 0.5, 0.33333]
    assert desk.generation == 1


def test_a_second_start_is_refused_while_it_learns(learning: Learning, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_learn", stand_in.learn_slowly)
    assert learning.start()
    process = learning._process
    assert not learning.start()
    assert learning._process is process


def test_stopping_leaves_the_tables_as_they_were(
    desk: Desk, learning: Learning, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_learn", stand_in.learn_slowly)
    before = read_tables(desk.run.path)
    assert not learning.cancel(), "nothing is going on yet"
    learning.start()
    wait_for(lambda: learning.done == 1)
    process = learning._process
    assert learning.cancel()
    wait_for(lambda: not process.is_alive())
    assert told[-1]["state"] == "cancelled"
    assert (read_tables(desk.run.path), desk.generation) == (before, 0)


def test_what_begins_right_after_stopping_is_not_taken_for_what_was_stopped(
    learning: Learning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_learn", stand_in.learn_slowly)
    learning.start()
    stopped = learning._process
    learning.cancel()
    learning.start()
    stopped.join(LONGEST_S)
    wait_for(lambda: learning.done == 1)
    # The watcher of the stopped process looks twice a second.
    time.sleep(1.2)
    assert learning.describe()["state"] == "running"


def test_a_process_that_dies_is_noticed(
    desk: Desk, learning: Learning, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_learn", stand_in.die)
    learning.start()
    wait_for(lambda: told[-1:] and told[-1]["state"] == "failed")
    assert told[-1]["words"] == "the process that was learning has ended"
    assert desk.generation == 0
    assert learning.start(), "one may try again"


@pytest.mark.parametrize(
    ("answer", "news"),
    [
        (DataError("worm: the recording is away"), ("failed", "worm: the recording is away")),
        (ZeroDivisionError("by zero"), ("failed", "ZeroDivisionError: by zero")),
        (SimpleNamespace(summary=None), ("done", "no correction since the last training")),
        (SimpleNamespace(summary=SimpleNamespace(redone=[1])), ("done", "identities follow all corrections now")),
    ],
    ids=["said", "defect", "nothing new", "learnt"],
)
def test_the_process_says_how_it_ended(answer: Any, news: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def run(folder: str, on_progress: Callable[[Any], None]) -> Any:
        on_progress(folder)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("cender.pipeline.run.run_recording", run)
    said: list[tuple[str, Any]] = []
    module._learn("worm", SimpleNamespace(put=said.append))
    assert said == [("progress", "worm"), news]
