"""What a whole run costs, from file to tables: beside merely reading the same file, and over a long recording."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np
import polars as pl
from jaxtyping import Shaped

from cender.bench.speed.reading import measure_peak_mb
from cender.config import Config
from cender.io import RecordingParams, open_recording, save_recording
from cender.io.recordings.arrange.joined import join_recordings
from cender.pipeline.plan.progress import Progress
from cender.pipeline.run import run_recording
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Recording

SEED = 9600
"""Seed of the simulated recording that is run."""
DRAWN = 8
"""Simulated volumes that the recording repeats."""
SHARES = (10, 25, 50, 100)
"""Percentages of the volumes after which memory is noted."""
OnVolume = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ColdReader:
    """Reads from the disk, not from what the system still holds of the file; only Linux can be told to forget."""

    recording: Recording
    path: Path

    def __call__(self, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
        """One volume, after the system has forgotten the file."""
        forget(self.path)
        return self.recording.read(volume, channels)


def forget(path: Path) -> bool:
    """Ask the system to drop a file from its memory; whether it can be asked at all."""
    if not hasattr(os, "posix_fadvise"):
        return False
    handle = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
    return True


def measure_run(
    config: Config, volumes: int, folder: Path | None = None, on_volume: OnVolume = lambda done, total: None
) -> dict[str, Any]:
    """Time of a whole run, and of only reading both channels and projecting one, from a warm and from a cold file.

    The file holds a few drawn volumes, which are read again and again.
    """
    with tempfile.TemporaryDirectory(dir=folder) as room:
        path = _draw(Path(room))
        warm = _repeat(path, volumes)
        figures: dict[str, Any] = {
            "volumes": volumes,
            "seed": SEED,
            "warm": _compare(warm, config, room, "warm", on_volume),
        }
        if forget(path):
            cold = replace(warm, read=ColdReader(warm, path))
            figures["cold"] = _compare(cold, config, room, "cold", on_volume)
    return figures


def measure_memory(config: Config, volumes: int) -> dict[str, Any]:
    """Most memory of a run over a long recording that repeats a few volumes of a file, in a process of its own.

    ``mb_after`` is the peak after so many per cent of the volumes, ``peak_mb`` that after all tables are in place.
    """
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as room, context.Pool(1) as pool:
        return pool.apply(_run_long, (config, _draw(Path(room)), volumes))


def _draw(folder: Path) -> Path:
    """A file with a few simulated volumes."""
    path = folder / "recording.npy"
    save_recording(simulate_recording(SimulateParams(seed=SEED, volumes=DRAWN)).recording, path)
    return path


def _repeat(path: Path, volumes: int) -> Recording:
    """A recording that reads the volumes of a file again and again."""
    drawn = SimulateParams()
    settings = RecordingParams(axes="TCZYX", voxel_um=drawn.voxel_um, rate_hz=drawn.rate_hz, roles=("red", "green"))
    one = open_recording(path, settings)
    joined = join_recordings([one] * -(-volumes // len(one))).limited(0, volumes)
    return replace(joined, source=f"{path.name} again and again")


def _run_long(config: Config, path: Path, volumes: int) -> dict[str, Any]:
    long = _repeat(path, volumes)
    after: dict[str, float | None] = {}

    def note(progress: Progress) -> None:
        if progress.stage == "volumes":
            reached = [share for share in SHARES if 100 * progress.done >= share * progress.total]
            after.update({str(share): measure_peak_mb() for share in reached if str(share) not in after})

    start = perf_counter()
    run_recording(long, path.parent / "run", config, on_progress=note)
    seconds = perf_counter() - start
    return {
        "volumes": volumes,
        "mb_after": after,
        "peak_mb": measure_peak_mb(),
        "seconds": seconds,
    }


def _compare(recording: Recording, config: Config, room: str, name: str, on_volume: OnVolume) -> dict[str, Any]:
    """Time of merely reading before and after the run, whose mean it is compared with, and where the run spent its own.

    ``once_s`` is what does not grow with the recording, or hardly: before the first volume is done, and after the last.
    ``stages_ms`` are medians of a volume; several volumes are worked on at the same time.
    """
    before = _read_all(recording)
    marks: list[float] = []

    def note(progress: Progress) -> None:
        if progress.stage == "volumes":
            marks.append(perf_counter())
            on_volume(progress.done, progress.total)

    start = perf_counter()
    run = run_recording(recording, Path(room) / name, config, on_progress=note)
    end = perf_counter()
    reading = (before + _read_all(recording)) / 2
    stages = run.timings.group_by("stage", maintain_order=True).agg(pl.col("milliseconds").median())
    between = len(marks) - 1
    return {
        "run_ms_per_volume": 1e3 * (end - start) / len(recording),
        "volume_ms": 1e3 * (marks[-1] - marks[0]) / between if between > 0 else None,
        "read_and_project_ms": 1e3 * reading / len(recording),
        "ratio_to_reading": (end - start) / reading,
        "volumes_per_s": len(recording) / (end - start),
        "stages_ms": dict(stages.iter_rows()),
        "once_s": {"until the first volume": marks[0] - start, "identities, traces and tables": end - marks[-1]},
    }


def _read_all(recording: Recording) -> float:
    start = perf_counter()
    for volume in recording:
        projection = volume.data[0, 0].copy()
        for frame in volume.data[0, 1:]:
            cv2.max(projection, frame, dst=projection)
    return perf_counter() - start
