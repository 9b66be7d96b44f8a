"""Annotated volumes: truth folders and the recordings they belong to."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cender.detect.normalise import is_usual
from cender.errors import DataError, UnusableVolume
from cender.io import load_truth, open_recording
from cender.io.params import RecordingParams
from cender.pipeline.volumes.compass import load_compass
from cender.preprocess import find_head
from cender.preprocess.compass import Compass
from cender.training.detector.partial import Score, complete_sample
from cender.training.detector.samples import Sample, crop_around, make_sample
from cender.types import Annotation, Annotations, Crop, Recording, VoxelSize


def load_annotated(folder: Path, params: RecordingParams) -> tuple[Annotations, Recording]:
    """The truth in a folder and the recording that it is about.

    ``folder`` is what ``cender simulate`` made, or a truth folder whose ``truth.toml`` names its recording as
    ``recording`` under ``[provenance]`` (a path, relative to the folder), or that has a ``recording.*`` beside it.
    """
    home = folder / "truth" if (folder / "truth" / "truth.toml").is_file() else folder
    truth = load_truth(home)
    named = truth.provenance.get("recording")
    beside = sorted((home.parent if named is None else home).glob("recording*" if named is None else str(named)))
    if named is not None and not beside:
        raise DataError(f"{home / 'truth.toml'} says its recording is {named}, but there is no such file")
    if not beside:
        raise DataError(
            f"{home}: expected the recording beside it as recording.*, or named in truth.toml under [provenance] as "
            "recording = 'PATH'"
        )
    return truth, open_recording(beside[0], params).require("axes", "channel roles")


def make_samples(truth: Annotations, recording: Recording, score: Score | None) -> Iterator[Sample]:
    """Heads to learn from, one for every annotated volume.

    ``score`` is a trained network that completes partial and centre-only annotation; None refuses such volumes.
    """
    voxel_um = _find_voxel_um(truth, recording)
    red = recording.channel("red")
    compass = load_compass()
    for index, annotation in truth.annotations.items():
        if not len(annotation):
            continue
        if not 0 <= index < len(recording):
            raise DataError(f"{truth.source} annotates volume {index}, but {recording.source} has {len(recording)}")
        stack = recording.volume(index, (red or 0,)).data[0]
        crop = _find_crop(stack, annotation, voxel_um, compass)
        sample = make_sample(stack, annotation, voxel_um, crop)
        boxed = len(np.unique(sample.neuron)) == len(sample.centre)
        if annotation.complete and boxed:
            yield sample
        elif score is None:
            raise DataError(
                f"{truth.source}, volume {index}: only partly annotated, or centres without boxes; such volumes refine "
                "existing weights but cannot be the only teacher. Leave out --from-scratch"
            )
        else:
            yield complete_sample(sample, score, annotation.complete)


def has_usual_rig(folder: Path, params: RecordingParams) -> bool:
    """Whether the folder's first annotated volume is of a usual rig; yes where nothing is annotated."""
    truth, recording = load_annotated(folder, params)
    voxel_um, red = _find_voxel_um(truth, recording), recording.channel("red")
    for index, annotation in truth.annotations.items():
        if len(annotation) and 0 <= index < len(recording):
            stack = recording.volume(index, (red or 0,)).data[0]
            return is_usual(stack, crop_around(annotation, stack.shape[1:], voxel_um), voxel_um)
    return True


def _find_voxel_um(truth: Annotations, recording: Recording) -> VoxelSize:
    return truth.voxel_um or recording.scale


def _find_crop(stack: np.ndarray, annotation: Annotation, voxel_um: VoxelSize, compass: Compass) -> Crop:
    """The head as the machine will see it, grown to hold all that is annotated."""
    around = crop_around(annotation, stack.shape[1:], voxel_um)
    try:
        seen = find_head(stack, voxel_um, compass).crop
    except UnusableVolume:
        return around
    x, y = min(seen.x, around.x), min(seen.y, around.y)
    right, bottom = max(seen.x + seen.w, around.x + around.w), max(seen.y + seen.h, around.y + around.h)
    return Crop(x, y, right - x, bottom - y)
