"""Brightness of neurons that a person added, moved or redrew: only the volumes with such neurons are read again."""

import logging
from collections.abc import Mapping

import numpy as np

from cender.activity import measure_intensities
from cender.annotate.overlay import Corrected
from cender.io.results.parts.store import PartStore
from cender.pipeline.plan.work import Work
from cender.pipeline.volumes.channels import load_cameras
from cender.pipeline.volumes.reading import PatientReader
from cender.types import Intensities, Neurons, Regions, Volume, VoxelSize

_LOG = logging.getLogger(__name__)
NUCLEUS_UM = 3.0
"""Size of the box of a neuron of which only the centre is known, where the volume has no other neurons to go by."""


def measure_shaped(work: Work, store: PartStore, corrected: Mapping[int, Corrected]) -> dict[int, Intensities]:
    """Intensities of all neurons of the volumes in which people added, moved or redrew one, by volume.

    A volume that cannot be read is left out; its new neurons have no brightness then.
    """
    touched = {volume: one for volume, one in corrected.items() if (one.shaped & ~one.refused).any()}
    cameras = load_cameras(store)
    if not touched or cameras is None:
        return {}
    reader = PatientReader(work.source, work.config.run.wait_s, work.recording)
    found = {}
    for volume, one in touched.items():
        read = reader.read(volume)
        if not isinstance(read, Volume):
            _LOG.warning("volume %d: no brightness of neurons that people added: %s", volume, read)
            continue
        neurons = draw_neurons(one, work.recording.scale)
        found[volume] = measure_intensities(read.stack, neurons, cameras, work.config.activity)
    return found


def draw_neurons(one: Corrected, voxel_um: VoxelSize) -> Neurons:
    """The neurons of a volume with boxes for all of them; what is no neuron has none, so that it takes no light."""
    annotation = one.annotation
    centre_px = annotation.centre_um / np.array(voxel_um)
    regions = annotation.regions.select(~np.isin(annotation.regions.neuron, np.flatnonzero(one.refused)))
    moved = one.shaped & ~one.redrawn & (np.arange(len(annotation)) < one.found)
    regions = regions.select(~np.isin(regions.neuron, np.flatnonzero(moved)))
    bare = np.setdiff1d(np.flatnonzero(~one.refused), regions.neuron)
    drawn = _draw_boxes(annotation.regions, centre_px[bare], bare, voxel_um)
    names = ("z", "box_px", "score", "neuron", "intensity")
    boxes = Regions(*(np.concatenate([getattr(regions, name), getattr(drawn, name)]) for name in names))
    z_px = np.maximum(np.rint(centre_px[:, 0]), 0).astype(int)
    return Neurons(centre_px, z_px, z_px, np.ones(len(annotation)), boxes)


def _draw_boxes(like: Regions, centre_px: np.ndarray, owner: np.ndarray, voxel_um: VoxelSize) -> Regions:
    """Boxes around centres, of the usual size and in the usual number of frames of this volume."""
    usual = like.neuron[like.neuron >= 0]
    size_px = np.array([NUCLEUS_UM / voxel_um.x_um, NUCLEUS_UM / voxel_um.y_um])
    frames = max(round(NUCLEUS_UM / voxel_um.z_um), 1)
    if len(usual):
        size_px = np.median(like.box_px[:, 2:], axis=0)
        frames = max(round(float(np.median(np.unique(usual, return_counts=True)[1]))), 1)
    z: list[int] = []
    box: list[tuple[float, ...]] = []
    neuron: list[int] = []
    for row, (centre_z, y, x) in zip(owner.tolist(), centre_px.tolist(), strict=True):
        first = round(centre_z - (frames - 1) / 2)
        for frame in range(max(first, 0), max(first + frames, 1)):
            z.append(frame)
            box.append((x - (size_px[0] - 1) / 2, y - (size_px[1] - 1) / 2, *size_px.tolist()))
            neuron.append(row)
    return Regions.from_boxes(np.array(z, int), np.array(box, float).reshape(-1, 4), neuron=np.array(neuron, int))
