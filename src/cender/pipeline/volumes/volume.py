"""The per-volume stages joined: head, regions, neurons, or the reason why not."""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from jaxtyping import Real

from cender.errors import UnusableVolume
from cender.merge import merge_regions
from cender.merge.params import MergeParams
from cender.pipeline.volumes.flags import find_flags, say_flag
from cender.preprocess import find_head
from cender.preprocess.compass import Compass
from cender.preprocess.params import PreprocessParams
from cender.types import Annotation, Detections, Head, Intensities, Neurons, Outcome, Stack, Status, Volume, VoxelSize

Detector = Callable[[Real[np.ndarray, "z y x"], Head, VoxelSize], Detections]
Measure = Callable[[Stack, Neurons], Intensities]


def process_volume(
    volume: Volume,
    compass: Compass,
    detector: Detector,
    preprocess: PreprocessParams,
    merge: MergeParams,
    measure: Measure | None = None,
    clock: Callable[[], float] = perf_counter,
) -> Outcome:
    """Head, regions, neurons and intensities of one volume; one that cannot be used gives an outcome that says why.

    Neurons are found in the red channel; in the green one where there is no other.

    Parameters
    ----------
    volume
        With a red or a green channel, and its voxel size.
    compass
        What `load_compass` gives.
    detector
        What `build_detector` makes.
    preprocess, merge
        Settings of the stages before and after it.
    measure
        Intensities of the neurons; not measured by default.
    clock
        Seconds that the stages are timed with.
    """
    spent: dict[str, float] = {}
    start = clock()

    def lap(stage: str) -> None:
        nonlocal start
        now = clock()
        spent[stage] = 1e3 * (now - start)
        start = now

    head: Head | None = None
    try:
        stack = volume.stack
        head = find_head(stack.image, stack.voxel_um, compass, preprocess)
        lap("preprocess")
        found = detector(stack.image, head, stack.voxel_um)
        lap("detect")
        neurons = merge_regions(found, stack.voxel_um, merge)
        lap("merge")
        intensities = None
        if measure is not None:
            intensities = measure(stack, neurons)
            lap("activity")
    except UnusableVolume as error:
        return Outcome(volume.index, volume.time_s, "failed", str(error), head, milliseconds=spent, flags=(error.kind,))
    if not len(neurons):
        reason = "no neuron found"
        return Outcome(volume.index, volume.time_s, "failed", reason, head, neurons, spent, flags=("no neurons",))
    flags = find_flags(head, preprocess.flag_below)
    reason = "; ".join(say_flag(flag, head) for flag in flags)
    status: Status = "flagged" if flags else "ok"
    return Outcome(volume.index, volume.time_s, status, reason, head, neurons, spent, intensities, flags)


def annotate_outcome(outcome: Outcome, voxel_um: VoxelSize) -> Annotation:
    """What a machine finds in a volume, in the form in which people say it; nothing has an identity yet."""
    neurons = Neurons.empty() if outcome.neurons is None else outcome.neurons
    return Annotation(
        outcome.volume,
        neurons.centre_px * np.array(voxel_um),
        np.full(len(neurons), -1),
        np.zeros(len(neurons)),
        neurons.regions,
        outcome.head,
        flagged=outcome.status != "ok",
        voxel_um=voxel_um,
    )
