"""The volume pass as one piece of work, which any executor can be given."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from cender.activity import Cameras, measure_intensities
from cender.config import Config
from cender.pipeline.plan.source import Source
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector, find_least_chance
from cender.pipeline.volumes.volume import process_volume
from cender.types import Intensities, Neurons, Outcome, Stack, Volume

_LOG = logging.getLogger(__name__)
Worker = Callable[[Volume], Outcome]


@dataclass(frozen=True, slots=True)
class VolumeJob:
    """Which recording, with which settings, under the fingerprint of both; it can be sent to other processes."""

    key: str
    source: Source
    config: Config
    cameras: Cameras


def build_worker(job: VolumeJob, threads: int = 0) -> Worker:
    """A callable that does all per-volume stages; whatever goes wrong is an outcome.

    It has a network of its own, which uses so many ``threads`` (0: all cores).
    """
    compass = load_compass()
    detector = build_detector(job.config.detect, threads=threads)
    preprocess, activity = job.config.preprocess, job.config.activity
    least_chance = find_least_chance(job.config.detect, job.config.merge)
    merge = job.config.merge.with_faint()

    def measure(stack: Stack, neurons: Neurons) -> Intensities:
        return measure_intensities(stack, neurons, job.cameras, activity, neurons.score < least_chance)

    def work(volume: Volume) -> Outcome:
        try:
            return process_volume(volume, compass, detector, preprocess, merge, measure)
        except Exception as error:  # noqa: BLE001  (one bad volume must not end a night's run)
            _LOG.exception("volume %d", volume.index)
            reason = f"a defect of ours: {type(error).__name__}: {error}"
            return Outcome(volume.index, volume.time_s, "failed", reason, flags=("defect",))

    return work
