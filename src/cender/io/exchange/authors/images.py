"""The authors' image stacks: which image every labelled volume was drawn in."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cender.errors import DataError
from cender.io.exchange.authors.boxes import measure_boxes
from cender.io.exchange.authors.download import find_labels
from cender.io.exchange.authors.layout import RATE_HZ, VOXEL_UM, read_stack_name
from cender.io.params import RecordingParams
from cender.io.recordings.readers import open_recording
from cender.types import Annotation, Recording, Volume

_LOG = logging.getLogger(__name__)
_MICROSCOPE = RecordingParams(voxel_um=VOXEL_UM, rate_hz=RATE_HZ, roles=("red",))


@dataclass(frozen=True, slots=True)
class Picture:
    """The image of a labelled volume: ``number`` counts as in the animal's truth folder, ``index`` in the file."""

    number: int
    path: Path
    index: int


def find_pictures(folder: Path) -> dict[str, list[Picture]]:
    """Labelled volumes of a downloaded folder whose images are there too, by animal (C1, C2, C3).

    Images are the MATLAB files with the stack name of the labels, those of the green channel left out.

    Raises
    ------
    DataError
        Where two files may be the image of one stack, or an image has fewer volumes or frames than its labels.
    """
    images = _find_images(folder)
    found: dict[str, list[Picture]] = {}
    counted: dict[str, int] = {}
    for stack, labels in find_labels(folder):
        volumes, frames = (measure_boxes(labels) or (0, 0))[:2]
        first = counted.get(stack.animal, 0)
        counted[stack.animal] = first + volumes
        known = images.get(stack.name, {})
        if len(known) > 1:
            raise DataError(f"{labels}: its image may be {' or '.join(map(str, known))}; keep one of them")
        for path, image in known.items():
            _check_size(image, (volumes, frames), labels)
            pictures = [Picture(first + index, path, index) for index in range(volumes)]
            found.setdefault(stack.animal, []).extend(pictures)
    return found


def load_pictures(pictures: Iterable[Picture], known: Mapping[int, Annotation]) -> Iterator[tuple[Volume, Annotation]]:
    """Each image with what people drew in it (``known`` by number); a box outside of the image is refused."""
    opened: dict[Path, Recording] = {}
    for one in pictures:
        if one.path not in opened:
            opened[one.path] = open_recording(one.path, _MICROSCOPE)
        volume, truth = opened[one.path].volume(one.index, (0,)), known[one.number]
        x, y, w, h = truth.regions.box_px.T
        rows, columns = volume.data.shape[2:]
        outside = np.flatnonzero((x < -1) | (y < -1) | (x + w > columns + 1) | (y + h > rows + 1))
        if len(outside):
            raise DataError(
                f"{one.path}, volume {one.index}: expected boxes inside of its {columns} × {rows} pixels, found "
                f"{truth.regions.box_px[outside[0]].tolist()} (x y w h); these labels are of another image"
            )
        yield replace(volume, index=one.number), truth


def _find_images(folder: Path) -> dict[str, dict[Path, Recording]]:
    """Recordings under stack names, by file; other MATLAB files of these names are left out, and the log says why."""
    found: dict[str, dict[Path, Recording]] = {}
    for path in sorted(folder.rglob("*.mat")):
        stack = read_stack_name(path)
        if stack is None or "green" in path.name.lower():
            continue
        try:
            found.setdefault(stack.name, {})[path] = open_recording(path, _MICROSCOPE)
        except DataError as error:
            if measure_boxes(path) is None:
                _LOG.warning("no image stack: %s", error)
    return found


def _check_size(image: Recording, labelled: tuple[int, int], labels: Path) -> None:
    volumes, frames = labelled
    if len(image) < volumes or image.shape[2] < frames:
        raise DataError(
            f"{image.source}: expected {volumes} volumes of {frames} frames as in its labels {labels.name}, found "
            f"{len(image)} of {image.shape[2]}; download it again"
        )
