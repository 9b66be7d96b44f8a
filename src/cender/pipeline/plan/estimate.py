"""What a run will take, from a few of its volumes."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from cender.activity import Cameras
from cender.io.results.parts.outcomes import tabulate_outcomes
from cender.pipeline.plan.decide import Plan
from cender.pipeline.plan.inputs import use_own_detector
from cender.pipeline.plan.work import Work
from cender.pipeline.resources import settle_resources
from cender.pipeline.volumes.executor import AHEAD, LocalExecutor, count_workers
from cender.pipeline.volumes.job import VolumeJob

_MEASURED = 6
"""Volumes that are processed to estimate what a run takes."""
# What is loaded before the first volume: Python, networks, tables.
_BASE_MB = 600.0
# Copies of a volume's head that the stages hold while they work on it, in volumes.
_WORKING = 1.5
# Parts and tables hold the same rows.
_COPIES = 2


@dataclass(frozen=True, slots=True)
class Cost:
    """Time, memory and disk; ``measured`` volumes were worked on to know."""

    seconds: float
    volumes_per_s: float
    memory_mb: float
    disk_mb: float
    free_mb: float
    measured: int


@settle_resources()
def estimate_run(work: Work, plan: Plan, workers: int = 0) -> Cost:
    """Work on a few of the volumes, throw the results away, and scale what that took."""
    count = count_workers(workers)
    step = max(1, len(plan.todo) // _MEASURED)
    sample = plan.todo[::step][:_MEASURED]
    # How the cameras see does not change what it costs to measure it.
    job = VolumeJob(plan.key, work.source, use_own_detector(work.config, work.path), Cameras())
    outcomes, marks = [], [perf_counter()]
    for outcome, _ in LocalExecutor(workers).process(job, work.recording, sample):
        outcomes.append(outcome)
        marks.append(perf_counter())
    # The first one waits for the networks to be loaded, which a run does once.
    first = min(1, len(marks) - 2)
    per_volume_s = (marks[-1] - marks[first]) / max(1, len(marks) - 1 - first)
    frames = tabulate_outcomes(outcomes, work.recording.scale)
    row_mb = sum(frame.estimated_size() for frame in frames.values()) / 1e6 / max(1, len(sample))
    volume_mb = work.recording.volume_bytes / 1e6
    home = next(path for path in (work.path, *work.path.absolute().parents) if path.exists())
    return Cost(
        per_volume_s * len(plan.todo),
        1 / per_volume_s if per_volume_s else float("nan"),
        _BASE_MB + volume_mb * (count * _WORKING + count + AHEAD),
        _COPIES * row_mb * len(plan.chosen),
        shutil.disk_usage(Path(home)).free / 1e6,
        len(sample),
    )
