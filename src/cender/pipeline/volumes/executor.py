"""Who does the work of the volume pass: threads here, or a cluster, behind one interface."""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Event
from time import perf_counter
from typing import NamedTuple, Protocol, runtime_checkable

from cender.pipeline.volumes.job import VolumeJob, Worker, build_worker
from cender.pipeline.volumes.reading import PatientReader, Unreadable
from cender.types import Outcome, Recording, Volume

# Volumes that are in memory beside those being worked on.
AHEAD = 2
# More of them wait for each other: some of the work is done by one thread at a time.
MOST_WORKERS = 4


class Processed(NamedTuple):
    """What became of a volume; ``unreadable`` says why it could not be read, though the file is there."""

    outcome: Outcome
    unreadable: Unreadable | None = None


@runtime_checkable
class Executor(Protocol):
    """Does the work of a job."""

    def process(self, job: VolumeJob, recording: Recording, volumes: Iterable[int]) -> Iterator[Processed]:
        """Outcomes of the volumes in the order in which they are given, while later ones are being worked on.

        ``recording`` is the job's, open in this process. Closing the iterator ends the work. A recording that is gone
        raises `UnreadableRecording`.
        """
        ...


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Threads of this process: one reads ahead, ``workers`` (0: see `count_workers`) compute, each a volume of its own.

    Threads, not processes: volumes need not be copied from one to another, and what takes long lets other threads run.
    """

    workers: int = 0

    def process(self, job: VolumeJob, recording: Recording, volumes: Iterable[int]) -> Iterator[Processed]:
        """Outcomes in order; at most ``workers + AHEAD`` volumes are in memory."""
        count = count_workers(self.workers)
        stopping = Event()
        reader = PatientReader(job.source, job.config.run.wait_s, recording, stopping)
        idle: SimpleQueue[Worker] = SimpleQueue()
        # Threads of networks that wait for each other are slower than a network with fewer of them.
        threads = 0 if count == 1 else max(1, (os.cpu_count() or 1) // count)
        for _ in range(count):
            idle.put(build_worker(job, threads))
        reading, computing = ThreadPoolExecutor(1, "read"), ThreadPoolExecutor(count, "compute")
        waiting: deque[Future[Processed]] = deque()
        try:
            for index in volumes:
                read = reading.submit(_read_timed, reader, index)
                waiting.append(computing.submit(_compute, idle, reader, index, read))
                if len(waiting) >= count + AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            stopping.set()
            for pool in (reading, computing):
                pool.shutdown(wait=True, cancel_futures=True)


def count_workers(asked: int = 0) -> int:
    """How many volumes to work on at a time: as many as asked for, by default one per core, but few."""
    return asked or min(os.cpu_count() or 1, MOST_WORKERS)


def process_one(reader: PatientReader, worker: Worker, index: int) -> Processed:
    """Read and work on one volume, both in this thread."""
    found, milliseconds = _read_timed(reader, index)
    return finish_volume(found, milliseconds, worker, reader, index)


def finish_volume(
    found: Volume | Unreadable, milliseconds: float, worker: Worker, reader: PatientReader, index: int
) -> Processed:
    """What becomes of a volume that was read, or could not be."""
    if isinstance(found, Unreadable):
        lost = Outcome(index, reader.recording.time_s(index), "failed", found.reason, flags=("unreadable",))
        return Processed(lost, found)
    outcome = worker(found)
    return Processed(replace(outcome, milliseconds={"read": milliseconds, **outcome.milliseconds}))


def _read_timed(reader: PatientReader, index: int) -> tuple[Volume | Unreadable, float]:
    start = perf_counter()
    return reader.read(index), 1e3 * (perf_counter() - start)


def _compute(
    idle: SimpleQueue[Worker], reader: PatientReader, index: int, read: Future[tuple[Volume | Unreadable, float]]
) -> Processed:
    found, milliseconds = read.result()
    worker = idle.get()
    try:
        return finish_volume(found, milliseconds, worker, reader, index)
    finally:
        idle.put(worker)


def choose_executor(workers: int = 0, scheduler: str | None = None) -> Executor:
    """A cluster where its address is given, else threads of this process."""
    if scheduler is None:
        return LocalExecutor(workers)
    from cender.pipeline.volumes.dask_executor import DaskExecutor

    return DaskExecutor(scheduler, workers)
