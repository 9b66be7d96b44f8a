"""Annotated volumes: truth folders with their recordings, and run folders that people have corrected."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float

from cender.annotate.overlay import lay_over
from cender.annotate.state import VolumeState
from cender.detect.measure import has_large_nuclei
from cender.detect.normalise import USUAL_GRIDS, Grids, is_usual
from cender.errors import DataError, UnusableVolume
from cender.io import load_truth, open_recording
from cender.io.exchange.doors import open_images
from cender.io.exchange.format import mark_partial
from cender.io.params import RecordingParams
from cender.io.results.annotations.human import build_annotation
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import open_folder
from cender.io.results.folder.run_results import load_run, load_scale
from cender.io.results.truth.folder import load_truth_root
from cender.pipeline.volumes.compass import load_compass
from cender.preprocess import find_head
from cender.preprocess.compass import Compass
from cender.training.detector.neurons import Known
from cender.training.detector.partial import Score, complete_sample
from cender.training.detector.samples import NOWHERE, Sample, crop_around, make_sample
from cender.types import Annotation, Annotations, Crop, Recording, Stack, VoxelSize


@dataclass(frozen=True, slots=True)
class Annotated:
    """A recording and what people say of its neurons; at ``denied_um`` (by volume) they say that there is none."""

    truth: Annotations
    recording: Recording
    denied_um: Mapping[int, Float[np.ndarray, "d 3"]] = field(default_factory=dict)

    @property
    def voxel_um(self) -> VoxelSize:
        """Size of a voxel, as either says it."""
        return self.truth.voxel_um or self.recording.scale

    @property
    def first(self) -> Stack:
        """The first volume of which something is said, with the channel that neurons are found in."""
        image = self.read(next(iter(self.truth.annotations), 0))
        return Stack(image, self.voxel_um, image, None)

    def read(self, volume: int) -> np.ndarray:
        """The images that neurons are found in."""
        if not 0 <= volume < len(self.recording):
            raise DataError(
                f"{self.truth.source} annotates volume {volume}, but {self.recording.source} has {len(self.recording)}"
            )
        return np.asarray(self.recording.volume(volume, (self.recording.channel("red") or 0,)).data[0])


def load_annotated(folder: Path, params: RecordingParams, partial: bool = False) -> Annotated:
    """What people say in a folder, and the recording that it is about.

    ``folder`` is a run folder, what ``cender simulate`` made, or a truth folder whose ``truth.toml`` names its
    recording as ``recording`` under ``[provenance]`` (a path, relative to the folder), or that has a ``recording.*``
    beside it.
    With ``partial`` no volume counts as completely annotated.
    """
    known = _load_run(folder) if (folder / "run.toml").is_file() else _load_truth(folder, params)
    return replace(known, truth=mark_partial(known.truth)) if partial else known


def _load_truth(folder: Path, params: RecordingParams) -> Annotated:
    home = folder / "truth" if (folder / "truth" / "truth.toml").is_file() else folder
    named = None if home.is_file() else load_truth_root(home).provenance.get("recording")
    beside = sorted((home.parent if named is None else home).glob("recording*" if named is None else str(named)))
    if named is not None and not beside:
        raise DataError(f"{home / 'truth.toml'} says its recording is {named}, but there is no such file")
    if not beside:
        raise DataError(
            f"{home}: expected the recording beside it as recording.*, or named in truth.toml under [provenance] as "
            "recording = 'PATH'"
        )
    recording = open_recording(beside[0], params).require("axes", "channel roles")
    return Annotated(load_truth(home, recording.voxel_um), recording)


def _load_run(folder: Path) -> Annotated:
    """What people say in a run folder; in volumes that they looked through, what they left of the machine's counts."""
    run = open_folder(folder)
    with EditLog(run.path) as log:
        said = log.states()
    if not said:
        raise DataError(f"{folder}: nothing is annotated here yet; `cender annotate {folder}` opens the page")
    recording = open_images(run.path, run.load_settings()).require("axes", "channel roles")
    voxel_um, rate_hz = load_scale(run)
    bare = Annotations(str(folder), voxel_um or recording.voxel_um, rate_hz, {})
    found = load_run(folder) if run.has_table("neurons") else bare
    volumes, denied = {}, {}
    for volume, state in said.items():
        if state.unusable is not None:
            continue
        volumes[volume] = _settle(found.annotations.get(volume), state, found.voxel_um)
        places = [mark.place_um for mark in state.marks.values() if mark.removed]
        denied[volume] = np.array(places, float).reshape(-1, 3)
    return Annotated(replace(found, annotations=volumes), recording, denied)


def _settle(found: Annotation | None, state: VolumeState, voxel_um: VoxelSize | None) -> Annotation:
    if found is None or not (state.complete or state.reviewed):
        return build_annotation(state, voxel_um)
    return replace(lay_over(found, state).settled, complete=True)


def make_samples(known: Annotated, score: Score | None, grids: Grids = USUAL_GRIDS) -> Iterator[Sample]:
    """Heads to learn from, one for every annotated volume.

    ``score`` is a trained network that completes partial and centre-only annotation; None refuses such volumes.
    """
    compass, nothing = load_compass(), NOWHERE
    for index, annotation in known.truth.annotations.items():
        denied = known.denied_um.get(index, nothing)
        if not len(annotation) and not len(denied):
            continue
        stack = known.read(index)
        crop = _find_crop(stack, annotation, known.voxel_um, compass)
        sample = make_sample(stack, annotation, known.voxel_um, crop, denied_um=denied, grids=grids)
        boxed = len(np.unique(sample.neuron)) == len(sample.centre)
        if annotation.complete and boxed:
            yield sample
        elif score is None:
            raise DataError(
                f"{known.truth.source}, volume {index}: only partly annotated, or centres without boxes; such volumes "
                "refine existing weights but cannot be the only teacher. Leave out --from-scratch"
            )
        else:
            yield complete_sample(sample, score, annotation.complete)


def find_known(known: Annotated) -> Iterator[Known]:
    """Volumes whose neurons are all annotated and in which a head is found."""
    compass = load_compass()
    for index, annotation in known.truth.annotations.items():
        if not annotation.complete or not len(annotation):
            continue
        stack = known.read(index)
        try:
            head = find_head(stack, known.voxel_um, compass)
        except UnusableVolume:
            continue
        yield Known(stack, known.voxel_um, head, annotation)


def has_usual_rig(known: Annotated) -> bool:
    """Whether the first annotated volume is of a usual rig, with nuclei of usual size; yes where none is annotated."""
    for index, annotation in known.truth.annotations.items():
        if len(annotation):
            stack = known.read(index)
            crop = crop_around(annotation, stack.shape[1:], known.voxel_um)
            large = has_large_nuclei(annotation.regions, known.voxel_um)
            return is_usual(stack, crop, known.voxel_um) and not large
    return True


def _find_crop(stack: np.ndarray, annotation: Annotation, voxel_um: VoxelSize, compass: Compass) -> Crop:
    """The head as the machine will see it, grown to hold all that is annotated."""
    if not len(annotation):
        return find_head(stack, voxel_um, compass).crop
    around = crop_around(annotation, stack.shape[1:], voxel_um)
    try:
        seen = find_head(stack, voxel_um, compass).crop
    except UnusableVolume:
        return around
    x, y = min(seen.x, around.x), min(seen.y, around.y)
    right, bottom = max(seen.x + seen.w, around.x + around.w), max(seen.y + seen.h, around.y + around.h)
    return Crop(x, y, right - x, bottom - y)
