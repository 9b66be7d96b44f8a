"""Real images with points that people marked: neurons are found first, then recognized."""

from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from cender.bench.detection.moving import VOXEL_UM, load_moving, pair_hits
from cender.bench.identity.subject import Subject, hide_identities
from cender.config import Config
from cender.errors import DataError
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.volume import annotate_outcome, process_volume
from cender.types import Annotation, Annotations, VoxelSize


def detect_marked(path: Path, config: Config) -> Subject:
    """A recording of an NPZ file with ``volumes`` and ``points_xyz``, whose neurons have to be found in its images.

    A marked point that has a finding within 2 pixels and 2 frames is taken to lie there, as people's depth may be a
    frame off; one that has none stays where it is, and counts as missed.
    """
    try:
        marked = load_moving(path)
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        raise DataError(
            f"{path}: expected an NPZ file with volumes and points_xyz for --images, found {error}"
        ) from None
    voxel_um = VoxelSize(*(config.recording.voxel_um or VOXEL_UM))
    compass, detector = load_compass(), build_detector(config.detect)
    truth, taught = {}, {}
    for volume, place, known in marked:
        outcome = process_volume(replace(volume, voxel_um=voxel_um), compass, detector, config.preprocess, config.merge)
        found = annotate_outcome(outcome, voxel_um)
        row, hit = pair_hits(place, found.centre_um / np.array(voxel_um))
        identity = np.full(len(found), -1)
        identity[hit] = known[row]
        centre_um = place * np.array(voxel_um)
        centre_um[row] = found.centre_um[hit]
        truth[volume.index] = Annotation.from_points(volume.index, centre_um, known)
        # People marked some of the neurons only: one without an identity may be any.
        taught[volume.index] = replace(found, identity=identity, probability=np.ones(len(found)), complete=False)
    seen = {index: hide_identities(one) for index, one in taught.items() if len(one)}
    return Subject(Annotations(str(path), voxel_um, None, truth), seen, taught, {})
