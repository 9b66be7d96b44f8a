"""The volume pass on a Dask cluster; the only file that knows Dask."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import local
from typing import Any

from cender.errors import ConfigError
from cender.pipeline.volumes.executor import AHEAD, Processed, process_one
from cender.pipeline.volumes.job import VolumeJob, build_worker
from cender.pipeline.volumes.reading import PatientReader
from cender.types import Recording

_THREAD = local()
"""What each thread of a Dask worker keeps from one volume to the next."""


@dataclass(frozen=True, slots=True)
class DaskExecutor:
    """Workers of a Dask scheduler; each reads its volumes itself, so all must see the recording's path."""

    address: str
    workers: int = 0

    def process(self, job: VolumeJob, recording: Recording, volumes: Iterable[int]) -> Iterator[Processed]:
        """Outcomes in order, a bounded number of volumes being worked on at a time."""
        try:
            from distributed import Client
        except ImportError:
            raise ConfigError("--scheduler needs Dask: install cender[distributed]") from None
        if job.source.held is not None:
            raise ConfigError("a cluster opens the recording itself: give its path instead of an open recording")
        try:
            client = Client(self.address, timeout="20s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--scheduler {self.address}: no Dask scheduler answers there ({error})") from None
        with client:
            limit = max(self.workers, sum(client.nthreads().values())) + AHEAD
            sent = client.scatter(job, broadcast=True, hash=False)
            waiting: deque[Any] = deque()
            for index in volumes:
                waiting.append(client.submit(_process_there, sent, index, pure=False))
                if len(waiting) >= limit:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def _process_there(job: VolumeJob, index: int) -> Processed:
    # A network serves one thread at a time, and is worth keeping from one volume to the next.
    if getattr(_THREAD, "job", None) != (job.key, job.source):
        _THREAD.reader, _THREAD.worker = PatientReader(job.source, job.config.run.wait_s), build_worker(job, threads=1)
        _THREAD.job = (job.key, job.source)
    return process_one(_THREAD.reader, _THREAD.worker, index)
