"""Annotated volumes of a folder, for the paper's detector to learn from."""

from collections.abc import Iterator

import numpy as np

from cender.errors import DataError
from cender.io.results.folder.fingerprints import hash_values
from cender.pipeline.learn.annotated import Annotated
from cender.training.paper.anchor_scenes import Scene, frame_regions

MARGIN_PX = 12
"""Pixels around the outermost boxes of a volume that still belong to its head."""


def read_scenes(known: Annotated) -> Iterator[Scene]:
    """One scene for every volume in which something is annotated.

    Raises
    ------
    DataError
        A volume is annotated in part, or a neuron has no box: the paper's detector takes all else for background.
    """
    for index, annotation in sorted(known.truth.annotations.items()):
        if not len(annotation):
            continue
        if not annotation.complete or len(np.unique(annotation.regions.neuron)) < len(annotation):
            raise DataError(
                f"{known.truth.source}, volume {index}: expected every neuron marked with boxes, found it annotated in "
                "part; the paper's detector takes all else for background. Complete the volume, or leave the folder out"
            )
        red = known.read(index)
        head = frame_regions(annotation, (red.shape[1], red.shape[2]), MARGIN_PX)
        yield Scene(red, head, known.voxel_um, annotation.regions)


def hash_annotated(known: Annotated) -> str:
    """A name for what is annotated."""
    return hash_values({str(volume): one.regions.box_px.tolist() for volume, one in known.truth.annotations.items()})
