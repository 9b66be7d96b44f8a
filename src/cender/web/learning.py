"""Learning in the background: a run of the folder in a process of its own, watched and cancellable."""

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from threading import Lock, Thread
from typing import Any, Literal

from cender.errors import CenderError
from cender.pipeline.plan.progress import Progress

MOST_POINTS = 400
"""Points of the learning curve that are sent to the page."""


@dataclass(slots=True)
class Learning:
    """The one run that the page may have going on; its results are in the tables when it ends."""

    folder: Path
    tell: Callable[..., None]
    on_done: Callable[[], None]
    state: Literal["idle", "running", "done", "failed", "cancelled"] = "idle"
    words: str = ""
    done: int = 0
    total: int = 0
    curve: list[float] = field(default_factory=list)
    _process: Any = None
    _lock: Lock = field(default_factory=Lock)

    def describe(self) -> dict[str, Any]:
        """How far it is."""
        return {
            "state": self.state,
            "words": self.words,
            "done": self.done,
            "total": self.total,
            "curve": self.curve[:: max(len(self.curve) // MOST_POINTS, 1)],
        }

    def start(self) -> bool:
        """Begin, unless it is going on already."""
        with self._lock:
            if self.state == "running":
                return False
            self.state, self.words, self.done, self.total, self.curve = "running", "reading what people said", 0, 0, []
            context = multiprocessing.get_context("spawn")
            news: Any = context.Queue()
            self._process = context.Process(target=_learn, args=(str(self.folder), news), daemon=True)
            self._process.start()
        Thread(target=self._watch, args=(self._process, news), name="learning", daemon=True).start()
        self.tell("learning", **self.describe())
        return True

    def cancel(self) -> bool:
        """Stop; what was finished is kept, and the tables stay as they were."""
        with self._lock:
            if self.state != "running":
                return False
            self.state, self.words = "cancelled", "stopped"
            self._process.terminate()
        self.tell("learning", **self.describe())
        return True

    def _watch(self, process: Any, news: Any) -> None:
        while True:
            try:
                kind, value = news.get(timeout=0.5)
            except Empty:
                if process.is_alive():
                    continue
                kind, value = "failed", "the process that was learning has ended"
            with self._lock:
                # Stopped; another one may have begun since.
                if self.state != "running" or self._process is not process:
                    break
                if kind != "progress":
                    self.state, self.words = kind, value
                else:
                    self._note(value)
            if kind == "done":
                self.on_done()
            self.tell("learning", **self.describe())
            if kind != "progress":
                break
        process.join(10)

    def _note(self, progress: Progress) -> None:
        self.words = "learning identities" if progress.stage == "recording" else "looking at volumes"
        self.done, self.total = progress.done, progress.total
        if progress.loss == progress.loss:
            self.curve.append(round(progress.loss, 5))


def _learn(folder: str, news: Any) -> None:
    """In the other process: run the folder, and say how far it is."""
    from cender.pipeline.run import run_recording

    try:
        done = run_recording(folder, on_progress=lambda one: news.put(("progress", one)))
    except CenderError as error:
        news.put(("failed", str(error)))
        return
    except Exception as error:  # noqa: BLE001  (the page must hear of a defect too)
        news.put(("failed", f"{type(error).__name__}: {error}"))
        return
    redone = done.summary is not None and len(done.summary.redone) > 0
    news.put(("done", "identities follow all corrections now" if redone else "no correction since the last training"))
