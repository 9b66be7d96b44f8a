"""The per-volume stages joined: head, regions, neurons, or the reason why not."""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from jaxtyping import Real

from cender.errors import UnusableVolume
from cender.merge import merge_regions
from cender.merge.params import MergeParams
from cender.preprocess import find_head
from cender.preprocess.params import PreprocessParams
from cender.types import Annotation, Detections, Head, Neurons, Outcome, Status, Volume, VoxelSize

Detector = Callable[[Real[np.ndarray, "z y x"], Head, VoxelSize], Detections]


def process_volume(volume: Volume, detector: Detector, preprocess: PreprocessParams, merge: MergeParams) -> Outcome:
    """Head, regions and neurons of one volume; a volume that cannot be used gives an outcome that says why.

    Parameters
    ----------
    volume
        With its red channel and its voxel size.
    detector
        What `build_detector` makes.
    preprocess, merge
        Settings of the stages before and after it.
    """
    if volume.red is None or volume.voxel_um is None:
        lacking = "red channel" if volume.red is None else "voxel size"
        return Outcome(volume.index, volume.time_s, "failed", f"the volume has no {lacking}")
    spent: dict[str, float] = {}
    start = perf_counter()

    def lap(stage: str) -> None:
        nonlocal start
        now = perf_counter()
        spent[stage] = 1e3 * (now - start)
        start = now

    head: Head | None = None
    try:
        head = find_head(volume.red, volume.voxel_um, preprocess)
        lap("preprocess")
        found = detector(volume.red, head, volume.voxel_um)
        lap("detect")
        neurons = merge_regions(found, merge, volume.voxel_um)
        lap("merge")
    except UnusableVolume as error:
        return Outcome(volume.index, volume.time_s, "failed", str(error), head=head, milliseconds=spent)
    if not len(neurons):
        return Outcome(volume.index, volume.time_s, "failed", "no neuron found", head, neurons, milliseconds=spent)
    flagged = head.quality < preprocess.flag_below
    reason = f"the head's place or axes are unsure (quality {head.quality:.2f})" if flagged else ""
    status: Status = "flagged" if flagged else "ok"
    return Outcome(volume.index, volume.time_s, status, reason, head, neurons, milliseconds=spent)


def annotate_outcome(outcome: Outcome, voxel_um: VoxelSize) -> Annotation:
    """What a machine says of a volume, in the form in which people say it."""
    neurons = Neurons.empty() if outcome.neurons is None else outcome.neurons
    given = outcome.identities
    return Annotation(
        outcome.volume,
        neurons.centre_px * np.array(voxel_um),
        np.full(len(neurons), -1) if given is None else given.identity,
        np.zeros(len(neurons)) if given is None else given.probability,
        neurons.regions,
        outcome.head,
        flagged=outcome.status != "ok",
    )
