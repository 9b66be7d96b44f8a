"""The first pass: every volume once, its results on disk in parts while later volumes are read and worked on."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from cender.errors import UnreadableRecording
from cender.io.results.parts.outcomes import tabulate_outcomes
from cender.io.results.parts.store import Part, PartStore
from cender.pipeline.plan.progress import OnProgress, Progress
from cender.pipeline.volumes.executor import Executor, Processed
from cender.pipeline.volumes.job import VolumeJob
from cender.pipeline.volumes.reading import Unreadable
from cender.types import Outcome, Recording, VoxelSize

# A part is closed after this time even if it is small, so that slow volumes are safe soon too.
PART_S = 20.0
_RECENT = 20
"""Last volumes from whose times the rest is estimated."""
UNREADABLE = "unreadable"


@dataclass(slots=True)
class PartWriter:
    """Gathers outcomes into parts of neighbouring volumes; a thread of its own writes them."""

    store: PartStore
    voxel_um: VoxelSize
    part_volumes: int
    _held: list[Outcome] = field(default_factory=list)
    _opened: float = 0.0
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "write"))
    _writing: Future[Part] | None = None

    def add(self, outcome: Outcome) -> None:
        """Take the next outcome; raises what went wrong with an earlier part."""
        if self._held and outcome.volume != self._held[-1].volume + 1:
            self.close_part()
        if not self._held:
            self._opened = perf_counter()
        self._held.append(outcome)
        if len(self._held) >= self.part_volumes or perf_counter() - self._opened > PART_S:
            self.close_part()

    def close_part(self) -> None:
        """Hand what is held to the thread, once the part before is on disk."""
        self.wait()
        held, self._held = self._held, []
        if held:
            self._writing = self._thread.submit(self._write, held)

    def wait(self) -> None:
        """Wait for the part that is being written; raises what went wrong with it."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def finish(self) -> None:
        """Write what is held, and wait for it."""
        try:
            self.close_part()
            self.wait()
        finally:
            self._thread.shutdown(wait=True)

    def _write(self, held: list[Outcome]) -> Part:
        return self.store.add(held[0].volume, held[-1].volume + 1, tabulate_outcomes(held, self.voxel_um))


def run_volumes(
    job: VolumeJob,
    recording: Recording,
    store: PartStore,
    todo: Sequence[int],
    executor: Executor,
    on_progress: OnProgress,
) -> None:
    """Work on the volumes and leave their results in ``store``; whatever ends this early, finished volumes are kept.

    A volume that cannot be read is noted, and tried again when the recording has changed.

    Raises
    ------
    UnreadableRecording
        The recording is gone, or too many volumes in a row cannot be read.
    """
    if not todo:
        return
    limit = job.config.run.unreadable
    counter = _Counter(len(todo))
    unreadable: dict[int, Unreadable] = {}
    in_a_row = 0
    writing = _open_writer(store, recording.scale, job.config.run.part_volumes)
    with writing as writer, _closing(executor.process(job, recording, todo)) as results:
        for outcome, failed_to_read in results:
            in_a_row = in_a_row + 1 if failed_to_read else 0
            if failed_to_read:
                unreadable[outcome.volume] = failed_to_read
            else:
                writer.add(outcome)
            if in_a_row >= limit:
                raise UnreadableRecording(
                    f"{', '.join(job.source.paths)}: {limit} volumes in a row, the last of them {outcome.volume}, "
                    f"cannot be read ({outcome.reason}). All volumes before are kept. If the file is really "
                    "damaged there, leave this stretch out with --volumes or run.exclude, or raise run.unreadable"
                )
            on_progress(counter.count(outcome))
    _save_unreadable(job, store, unreadable, todo)


def load_unreadable(store: PartStore, stamp: str) -> dict[int, Unreadable]:
    """Volumes that could not be read from files of this stamp, and why."""
    note = store.load_note(UNREADABLE) or {}
    if note.get("stamp") != stamp:
        return {}
    return {int(volume): Unreadable(*why) for volume, why in note["volumes"].items() if isinstance(why, list)}


def _save_unreadable(job: VolumeJob, store: PartStore, found: dict[int, Unreadable], tried: Sequence[int]) -> None:
    stamp = job.source.stamp()
    before = {v: why for v, why in load_unreadable(store, stamp).items() if v not in set(tried)}
    if before or found or store.load_note(UNREADABLE) is not None:
        volumes = {str(v): [why.kind, why.error] for v, why in (before | found).items()}
        store.save_note(UNREADABLE, {"stamp": stamp, "volumes": volumes})


@contextmanager
def _open_writer(store: PartStore, voxel_um: VoxelSize, part_volumes: int) -> Iterator[PartWriter]:
    writer = PartWriter(store, voxel_um, part_volumes)
    try:
        yield writer
    finally:
        writer.finish()


@contextmanager
def _closing(results: Iterator[Processed]) -> Iterator[Iterator[Processed]]:
    try:
        yield results
    finally:
        close = getattr(results, "close", None)
        if close is not None:
            close()


@dataclass(slots=True)
class _Counter:
    total: int
    done: int = 0
    flagged: int = 0
    failed: int = 0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=_RECENT))

    def count(self, outcome: Outcome) -> Progress:
        self.done += 1
        self.flagged += outcome.status == "flagged"
        self.failed += outcome.status == "failed"
        self.recent.append(perf_counter())
        span = self.recent[-1] - self.recent[0]
        rate = (len(self.recent) - 1) / span if span > 0 else float("nan")
        return Progress("volumes", self.done, self.total, self.flagged, self.failed, rate)
