"""From a recording to a run folder: all stages, in two passes, doing only what has not been done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import polars as pl

from cender.config import Config
from cender.errors import DataError
from cender.io import create_run, load_run, open_folder
from cender.io.atomic import explain_failure
from cender.io.results.folder.run_folder import RunFolder
from cender.pipeline.plan.decide import INPUTS, Plan, make_plan, make_state
from cender.pipeline.plan.inputs import find_all_models, use_own_detector
from cender.pipeline.plan.progress import OnProgress, Progress, ignore_progress
from cender.pipeline.plan.summary import Summary, Told, summarize_run
from cender.pipeline.plan.work import Work, describe_work, settle_work
from cender.pipeline.recording.recording_pass import run_tables
from cender.pipeline.resources import settle_resources
from cender.pipeline.volumes.channels import describe_channels, format_channel_map, settle_cameras
from cender.pipeline.volumes.executor import choose_executor
from cender.pipeline.volumes.job import VolumeJob
from cender.pipeline.volumes.reading import PatientReader
from cender.pipeline.volumes.volume_pass import run_volumes
from cender.types import Annotations, Recording


@dataclass(frozen=True, slots=True)
class Run:
    """A run folder with its results; tables are read when they are asked for, as polars frames.

    A table is read once, and again only where its file has changed.
    """

    path: Path
    summary: Summary | None = None
    _tables: dict[str, tuple[tuple[int, int], pl.DataFrame]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def volumes(self) -> pl.DataFrame:
        """One row per volume: status, reason, time, head, quality."""
        return self._load("volumes")

    @property
    def regions(self) -> pl.DataFrame:
        """One row per box."""
        return self._load("regions")

    @property
    def neurons(self) -> pl.DataFrame:
        """One row per neuron and volume: place, identity, probability, intensities."""
        return self._load("neurons")

    @property
    def traces(self) -> pl.DataFrame:
        """One row per identity and volume: time, intensities, ratio, whether it is valid."""
        return self._load("traces")

    @property
    def timings(self) -> pl.DataFrame:
        """Milliseconds per volume and stage."""
        return self._load("timings")

    @property
    def wide(self) -> pl.DataFrame:
        """The ratio as a table of time × identity."""
        return self._cache("traces_wide.csv", lambda path: pl.read_csv(path, infer_schema_length=None))

    @property
    def names(self) -> dict[int, str]:
        """Names of identities that the user has given."""
        return open_folder(self.path).load_names()

    @property
    def settings(self) -> dict[str, Any]:
        """All of ``run.toml``."""
        return open_folder(self.path).load_settings()

    def _load(self, name: str) -> pl.DataFrame:
        return self._cache(f"{name}.parquet", lambda _: open_folder(self.path).load_table(name))

    def _cache(self, name: str, read: Callable[[Path], pl.DataFrame]) -> pl.DataFrame:
        file = self.path / name
        stat = file.stat() if file.is_file() else None
        mark = (0, 0) if stat is None else (stat.st_mtime_ns, stat.st_size)
        if name not in self._tables or self._tables[name][0] != mark:
            self._tables[name] = mark, read(file)
        return self._tables[name][1]

    def recording(self) -> Recording:
        """Open the recording that the folder was made from."""
        return settle_work(self.path, None, None).recording

    def load(self) -> Annotations:
        """The results in the form in which they are compared with a truth."""
        return load_run(self.path)


def run_recording(
    recording: Recording | str | Path | Sequence[str | Path],
    out: str | Path | None = None,
    config: Config | None = None,
    *,
    workers: int = 0,
    scheduler: str | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Run:
    """Work on a recording, or go on with a run folder, and return the folder with its results.

    Parameters
    ----------
    recording
        A recording or its path, several paths of recordings of one animal, or an existing run folder.
    out
        The run folder, made where it does not exist. It can be left out only where ``recording`` is a run folder.
    config
        All settings; by default those that the folder keeps, else the defaults.
    workers
        How many volumes to work on at a time; 0 is one per core, at most four.
    scheduler
        Address of a Dask scheduler to use instead of this computer.
    on_progress
        Told after every volume.

    Raises
    ------
    DataError
        Not one volume could be used, the recording is not the one of the folder, or the folder cannot be written.
    """
    return run_work(settle_work(recording, out, config), workers, scheduler, on_progress)


@settle_resources()
def run_work(
    work: Work, workers: int = 0, scheduler: str | None = None, on_progress: OnProgress = ignore_progress
) -> Run:
    """`run_recording` of a recording and a folder that are open already."""
    start = perf_counter()
    folder = _claim(work)
    with explain_failure(work.path), folder.writing() as writer:
        plan = make_plan(work)
        plan.store.clear_strays()
        _run_passes(work, plan, writer, choose_executor(workers, scheduler), on_progress, workers)
        volumes = writer.load_table("volumes")
        if not (volumes["status"] != "failed").any():
            raise DataError(_say_unusable(work, volumes))
        rows = pl.scan_parquet(work.path / "neurons.parquet", glob=False)
        told = Told(writer.load_trust(), writer.load_doubts())
        summary = summarize_run(volumes, rows, plan.reasons, told, perf_counter() - start)
    return Run(folder.path, summary)


def open_results(path: str | Path) -> Run:
    """A finished run folder, to look at."""
    return Run(open_folder(Path(path)).path)


def _claim(work: Work) -> RunFolder:
    with explain_failure(work.path):
        return open_folder(work.path) if work.kept else create_run(work.path, describe_work(work, {}))


def _run_passes(
    work: Work, plan: Plan, folder: RunFolder, executor: Any, on_progress: OnProgress, workers: int
) -> None:
    if not plan.reasons:
        folder.save_settings(describe_work(work, find_all_models(work.config, work.path)))
        return
    plan.store.save_note(INPUTS, plan.inputs)
    reader = PatientReader(work.source, work.config.run.wait_s, work.recording)
    cameras = settle_cameras(reader, plan.chosen, plan.store, work.config.activity, on_progress)
    job = VolumeJob(plan.key, work.source, use_own_detector(work.config, work.path), cameras)
    run_volumes(job, work.recording, plan.store, plan.todo, executor, on_progress)
    on_progress(Progress("recording", 0, 0))
    found = run_tables(work, plan, folder, on_progress, workers)
    doubts = (*describe_channels(work.recording, cameras.channel_map), *found.doubts)
    plan.store.remove_others()
    folder.save_settings(
        {
            **describe_work(work, find_all_models(work.config, work.path)),
            "channel_map": format_channel_map(cameras.channel_map),
            "doubts": {"said": list(doubts)},
            "trust": {} if found.check is None else found.check.describe(),
            "state": make_state(work, plan),
        }
    )


def _say_unusable(work: Work, volumes: pl.DataFrame) -> str:
    reason = volumes["reason"][0] if volumes.height else "it has none"
    return (
        f"{work.recording.source}: not one of {volumes.height} volumes could be used; the first: {reason}. Look at it "
        "with `cender info --picture`: are axes, channel roles and voxel size right?"
    )
