"""What the authors' files have in common: their microscope, the names of their stacks, and boxes by volume."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.exchange.bounds import check_text_size
from cender.io.exchange.format import Incoming, Surroundings, mark_partial
from cender.types import Annotation, Annotations, Regions, VoxelSize

VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)
"""Voxel size of the authors' recordings, which their files do not say."""
RATE_HZ = 5.0
"""Volumes per second of the authors' recordings."""
FRAME_PX = 1024
"""Rows and columns of the authors' frames."""
# A neuron does not move so far from one frame to the next.
_FARTHEST_PX = 40
ANIMALS = {"w6": "C1", "w2": "C2", "w4": "C3"}
"""The paper's names of the animals, by the tag in file names."""
_STACK = re.compile(r"[iI]ma?ge?_?[sS]t(?:ac)?k_?(\d+)_dk?\d+.*?([wW]\d+)_?Dt\d{6}")
"""Names of the authors' stacks, with the number of the stack and the tag of the animal."""
# z, x, y, w, h, identity
Box = tuple[int, float, float, float, float, int]


@dataclass(frozen=True, slots=True)
class Stack:
    """Which animal and which of its stacks a file of theirs belongs to."""

    animal: str
    number: int
    name: str


def read_stack_name(path: Path) -> Stack | None:
    """Animal and number of a stack from its file's or folder's name; None for other names."""
    found = _STACK.search(path.name)
    if found is None:
        return None
    tag = found[2].lower()
    return Stack(ANIMALS.get(tag, tag), int(found[1]), found[0])


def build_volume(volume: int, boxes: Iterable[Box], path: Path) -> Annotation:
    """One volume of boxes.

    Refused where a box lies outside of the frame, an identity has two boxes in one frame, or it lies in two places.
    """
    rows = sorted(boxes, key=lambda box: (box[5] < 0, box[5], box[0]))
    where = f"{path}, volume {volume}"
    seen: set[tuple[int, int]] = set()
    for z, x, y, w, h, identity in rows:
        if z < 0 or w <= 0 or h <= 0 or x < -1 or y < -1 or x + w > FRAME_PX + 1 or y + h > FRAME_PX + 1:
            raise DataError(f"{where}: expected boxes inside of {FRAME_PX} pixels, found {(z, x, y, w, h)}; correct it")
        if identity >= 0 and (identity, z) in seen:
            raise DataError(f"{where}: identity {identity} has two boxes in frame {z}; keep one of them")
        seen.add((identity, z))
    for (z, x, y, w, h, identity), below in pairwise(rows):
        away = max(abs(below[1] + below[3] / 2 - x - w / 2), abs(below[2] + below[4] / 2 - y - h / 2))
        if identity >= 0 and below[5] == identity and away > _FARTHEST_PX * max(below[0] - z, 1):
            raise DataError(
                f"{where}: identity {identity} lies in two places, {away:.0f} pixels apart in frames {z} and "
                f"{below[0]}; give one of them another number"
            )
    # A box without identity is a neuron of its own: nothing says which others it belongs to.
    keys = [box[5] if box[5] >= 0 else -2 - row for row, box in enumerate(rows)]
    order = list(dict.fromkeys(keys))
    place = {key: at for at, key in enumerate(order)}
    owner = np.array([place[key] for key in keys], int)
    table = np.array([box[1:5] for box in rows], float).reshape(-1, 4)
    regions = Regions.from_boxes(np.array([box[0] for box in rows], int), table, neuron=owner)
    centre = np.zeros((len(order), 3))
    np.add.at(centre, owner, regions.centre_px)
    count = np.bincount(owner, minlength=len(order))[:, None] if len(order) else np.ones((0, 1))
    given = np.array([key if key >= 0 else -1 for key in order], int)
    centre_um = centre / count * np.array(VOXEL_UM)
    return Annotation(volume, centre_um, given, np.ones(len(order)), regions, voxel_um=VOXEL_UM)


def gather_volumes(path: Path, volumes: Sequence[Annotation], around: Surroundings) -> Incoming:
    """The volumes that hold a neuron, with centres in the voxel size of the run folder; annotated in part."""
    voxel = around.voxel_um or VOXEL_UM
    factor = np.array(voxel) / np.array(VOXEL_UM)
    kept = {one.volume: replace(one, centre_um=one.centre_um * factor, voxel_um=voxel) for one in volumes if len(one)}
    if not kept:
        raise DataError(f"{path}: expected boxes, found none in {len(volumes)} volumes")
    return Incoming(mark_partial(Annotations(str(path), voxel, around.rate_hz or RATE_HZ, kept)))


def list_numbered(path: Path, example: str) -> list[Path]:
    """The file itself, or all JSON files of a folder, each named by its number."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files or not all(file.stem.isdigit() for file in files):
        raise DataError(f"{path}: expected files named {example} …, found {[file.name for file in files[:3]]}")
    return files


def load_mapping(path: Path) -> Mapping[str, Any]:
    """The object of a JSON file."""
    check_text_size(path)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as JSON: {error}") from None
    return expect_mapping(value, path)


def expect_mapping(value: Any, path: Path) -> Mapping[str, Any]:
    """An object of JSON; anything else is refused."""
    if not isinstance(value, dict):
        raise DataError(f"{path}: expected an object, found {type(value).__name__}; is it a file of the authors?")
    return value


def expect_boxes(value: Any, path: Path, least: int) -> list[list[float]]:
    """A list of boxes with ``least`` numbers or more each; anything else is refused."""
    good = isinstance(value, list) and all(
        isinstance(box, list) and len(box) >= least and all(isinstance(part, int | float) for part in box)
        for box in value
    )
    if not good:
        raise DataError(f"{path}: expected boxes of {least} numbers or more, found {str(value)[:60]}")
    return [[float(part) for part in box] for box in value]
