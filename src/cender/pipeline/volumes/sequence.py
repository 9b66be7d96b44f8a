"""The per-volume stages over a whole recording, one volume in memory at a time."""

from collections.abc import Iterator

from cender.config import Config
from cender.errors import UnreadableRecording
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.volume import process_volume
from cender.types import Outcome, Recording


def process_recording(recording: Recording, config: Config) -> Iterator[Outcome]:
    """Outcomes of the volumes in order; a volume that cannot be read or used gives an outcome that says why.

    Parameters
    ----------
    recording
        With known axes, channel roles and voxel size.
    config
        Settings of the stages.
    """
    recording.require("axes", "voxel size", "channel roles")
    compass, detector = load_compass(), build_detector(config.detect)
    red = recording.channel("red")
    channels = None if red is None else (red,)
    for index in range(len(recording)):
        try:
            volume = recording.volume(index, channels)
        except UnreadableRecording as error:
            outcome = Outcome(index, recording.time_s(index), "failed", str(error), flags=("unreadable",))
        else:
            outcome = process_volume(volume, compass, detector, config.preprocess, config.merge)
        yield outcome
