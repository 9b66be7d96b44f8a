"""What the detector learns from: heads on the network's grid with their boxes and centres."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Float32, Int, Shaped

from cender.detect.normalise import USUAL_GRIDS, Grids, cut_head
from cender.detect.still import hold_still
from cender.types import Annotation, Crop, VoxelSize

NOWHERE = np.zeros((0, 3))
"""No places at all."""
ENOUGH = 5
"""From so many heads on, whole ones are held out: one in as many."""
MOST_HELD = 48
"""Heads that are held out at most; more would take time and say no more."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One annotated head; all coordinates are indices of the network's grid.

    ``box`` is ``x y w h`` with the frame in ``frame`` and the row of its neuron in ``neuron``; ``centre`` is ``z y x``.
    Around the places ``unsure`` (``z y x``) there may or may not be a neuron: they teach nothing; at ``denied`` ones
    there is surely none. Of a ``partial`` head only these and the marks teach; of the rest a trained network goes on
    thinking what it thought before. ``step_um`` is the distance of the grid's points.
    """

    image: Float32[np.ndarray, "z y x"]
    frame: Int[np.ndarray, " n"]
    box: Float[np.ndarray, "n 4"]
    neuron: Int[np.ndarray, " n"]
    centre: Float[np.ndarray, "m 3"]
    unsure: Float[np.ndarray, "k 3"]
    step_um: Float[np.ndarray, " 3"]
    partial: bool = False
    denied: Float[np.ndarray, "d 3"] = field(default_factory=NOWHERE.copy)


def make_sample(
    red: Shaped[np.ndarray, "z y x"],
    annotation: Annotation,
    voxel_um: VoxelSize,
    crop: Crop,
    unsure_um: Float[np.ndarray, "k 3"] = NOWHERE,
    denied_um: Float[np.ndarray, "d 3"] = NOWHERE,
    grids: Grids = USUAL_GRIDS,
) -> Sample:
    """An annotated volume, cut to the head and brought to the network's grid.

    ``unsure_um`` are places to leave out, ``denied_um`` places where there is surely no neuron.
    """
    still = hold_still(red, crop, voxel_um)
    image, grid = cut_head(still.stack, still.move_crop(crop), voxel_um, grids)
    regions = annotation.regions
    centre = (still.points_from_full(annotation.centre_um / np.array(voxel_um)) - grid.first) / grid.step
    box = still.boxes_from_full(regions.z, regions.box_px)
    box[:, :2] = (box[:, :2] - 0.5 - grid.first[[2, 1]] + grid.step[[2, 1]] / 2) / grid.step[[2, 1]]
    box[:, 2:] /= grid.step[[2, 1]]
    frame = (regions.z - grid.first[0]) / grid.step[0]
    frame, rows = _reframe(frame, regions.neuron, len(image), float(grid.step[0]))
    unsure, denied = (
        (still.points_from_full(places / np.array(voxel_um)) - grid.first) / grid.step
        for places in (unsure_um, denied_um)
    )
    step_um = grid.step * np.array(voxel_um)
    return Sample(image, frame, box[rows], regions.neuron[rows], centre, unsure, step_um, denied=denied)


def _reframe(
    frame: Float[np.ndarray, " n"], neuron: Int[np.ndarray, " n"], frames: int, step: float
) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """Whole frames of the network's grid, and for each the row of the nearest given box of the same neuron."""
    if step == 1:
        return np.rint(frame).astype(int), np.arange(len(frame))
    found: list[tuple[int, int]] = []
    for one in np.unique(neuron):
        rows = np.flatnonzero(neuron == one)
        low, high = frame[rows].min() - 0.5 / step, frame[rows].max() + 0.5 / step
        for index in range(max(0, round(low + 0.5)), min(frames - 1, round(high - 0.5)) + 1):
            found.append((index, int(rows[np.abs(frame[rows] - index).argmin()])))
    table = np.array(found, int).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def crop_around(annotation: Annotation, shape: tuple[int, int], voxel_um: VoxelSize, margin_um: float = 8.0) -> Crop:
    """The rectangle around everything that is annotated, with a margin, inside the image."""
    points = annotation.centre_um[:, 1:] / np.array(voxel_um[1:])
    margin = margin_um / np.array(voxel_um[1:])
    low = np.clip(np.floor(points.min(0) - margin), 0, np.array(shape) - 1).astype(int)
    high = np.clip(np.ceil(points.max(0) + margin) + 1, low + 1, shape).astype(int)
    return Crop(int(low[1]), int(low[0]), int(high[1] - low[1]), int(high[0] - low[0]))


def hold_out(samples: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Samples to learn from and to validate with: every fifth head (fewer of many), or a fifth of few heads' width.

    The split does not depend on chance, so that an interrupted training resumes with the same one.
    """
    if len(samples) >= ENOUGH:
        every = max(ENOUGH, -(-len(samples) // MOST_HELD))
        held = [sample for index, sample in enumerate(samples) if index % every == every - 1]
        return [sample for index, sample in enumerate(samples) if index % every != every - 1], held
    taught, held = [], []
    for sample in samples:
        place = np.sort(sample.centre[:, 2])
        cut = int(place[int(0.8 * len(place))]) if len(place) else sample.image.shape[2]
        taught.append(cut_columns(sample, 0, max(cut, 32)))
        held.append(cut_columns(sample, min(max(cut, 0), sample.image.shape[2] - 32), sample.image.shape[2]))
    return taught, [sample for sample in held if len(sample.centre)] or taught


def cut_columns(sample: Sample, start: int, stop: int) -> Sample:
    """The part of a head between two columns, with the neurons that have their centre there."""
    inside = (sample.centre[:, 2] >= start) & (sample.centre[:, 2] < stop)
    number = np.cumsum(inside) - 1
    mine = inside[sample.neuron]
    shift = np.array([0, 0, start])
    return Sample(
        sample.image[:, :, start:stop],
        sample.frame[mine],
        sample.box[mine] - np.array([start, 0, 0, 0]),
        number[sample.neuron[mine]],
        sample.centre[inside] - shift,
        sample.unsure - shift,
        sample.step_um,
        sample.partial,
        sample.denied - shift,
    )
