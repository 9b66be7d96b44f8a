"""Prediction and truth of one volume side by side, with all that was matched."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cender.errors import ShapeMismatch
from cender.evaluate.match import Matching, match_boxes, match_centres, match_neurons, match_partners
from cender.types import Annotation, Annotations, Regions, VoxelSize


@dataclass(frozen=True, slots=True)
class Pairing:
    """One volume: the two sides and their matchings.

    ``boxes`` and ``neurons`` (by their boxes) are None where one side has centres only, ``centres`` where one
    side has none. ``partners`` says which true neuron is which predicted one: by boxes where both have some,
    else by centres. ``missing`` marks a volume without a prediction; its ``predicted`` side is empty.
    """

    truth: Annotation
    predicted: Annotation
    boxes: Matching | None
    neurons: Matching | None
    centres: Matching | None
    partners: Matching
    missing: bool = False


def pair_volumes(predicted: Annotations, truth: Annotations, volumes: Iterable[int]) -> tuple[Pairing, ...]:
    """Match prediction and truth in each of these volumes, which the truth must have."""
    boxed = _has_boxes(predicted) and _has_boxes(truth)
    centred = _has_centres(predicted) and _has_centres(truth)
    if boxed:
        _check_voxel_sizes(predicted, truth)
    return tuple(
        pair_volume(predicted.annotations.get(volume), truth.annotations[volume], boxed=boxed, centred=centred)
        for volume in volumes
    )


def pair_volume(
    predicted: Annotation | None, truth: Annotation, *, boxed: bool = True, centred: bool = True
) -> Pairing:
    """Match prediction and truth of one volume.

    Parameters
    ----------
    predicted
        None where the volume was not processed or failed.
    boxed, centred
        Whether boxes, and whether centres, can be compared in this recording.
    """
    side = predicted if predicted is not None else _empty_annotation(truth.volume)
    # A truth volume with centres only says nothing of boxes; one without any neuron says that there are none.
    use_boxes = boxed and (len(truth.regions) > 0 or len(truth) == 0)
    boxes = match_boxes(truth.regions, side.regions) if use_boxes else None
    neurons = match_neurons(truth, side) if use_boxes else None
    centres = match_centres(truth, side) if centred else None
    return Pairing(truth, side, boxes, neurons, centres, match_partners(truth, side), predicted is None)


def _has_boxes(side: Annotations) -> bool:
    annotations = side.annotations.values()
    return any(len(a.regions) for a in annotations) or not any(len(a) for a in annotations)


def _has_centres(side: Annotations) -> bool:
    annotations = side.annotations.values()
    return any(bool(np.isfinite(a.centre_um).all()) for a in annotations if len(a)) or not any(
        len(a) for a in annotations
    )


def _check_voxel_sizes(predicted: Annotations, truth: Annotations) -> None:
    if predicted.voxel_um is None or truth.voxel_um is None:
        return
    if not np.allclose(predicted.voxel_um, truth.voxel_um, rtol=0.01):
        raise ShapeMismatch(
            f"{predicted.source} has voxels of {_format_um(predicted.voxel_um)} µm (z y x) and {truth.source} of "
            f"{_format_um(truth.voxel_um)} µm: boxes in pixels can be compared only on the same grid. Are both of the "
            "same recording? Then correct the voxel size of one of them: voxel_um in its truth.toml, or run "
            "it again with --set recording.voxel_um=[z,y,x]"
        )


def _format_um(voxel_um: VoxelSize) -> str:
    return " × ".join(f"{size:g}" for size in voxel_um)


def _empty_annotation(volume: int) -> Annotation:
    return Annotation(volume, np.zeros((0, 3)), np.zeros(0, int), np.zeros(0), Regions.empty())
