"""Labels and results of the paper's authors: their MATLAB boxes, JSON files, labelme heads and box arrays.

All their files count pixels, frames and identities in ways of their own; what is read here is 0-based and half-open.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat

from cender.errors import DataError
from cender.types import Annotation, Crop, Head, Regions, VoxelSize

# Of their microscope.
VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)
RATE_HZ = 5.0
FRAME_PX = 1024
Z_SCALE = 5.0
# A neuron does not move so far from one frame to the next.
FARTHEST_PX = 40
POINTS = ("mass_of_center", "anterior_y", "posterior_y", "ventral_x", "dorsal_x")
ANIMALS = {"w6": "C1", "w2": "C2", "w4": "C3"}
_STACK = re.compile(r"[iI]ma?ge?_?[sS]t(?:ac)?k_?(\d+)_dk?\d+.*?([wW]\d+)_?Dt\d{6}")
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


def load_neuron_boxes(path: Path) -> dict[int, list[Box]]:
    """Human boxes of a MATLAB file by volume: variable ``neuron_boxes``, a cell of volumes × slices.

    Each cell is a struct array with ``idx`` (1-based identity, empty where there is none) and ``Position`` (1-based x y
    of the upper left corner, then the last pixel's distance from it). Boxes with ``isinlier`` 0 stay.
    """
    try:
        variables = loadmat(path)
    except (OSError, ValueError, NotImplementedError) as error:
        raise DataError(f"{path} cannot be read as a MATLAB file of version 5 or 7: {error}") from None
    cells = variables.get("neuron_boxes")
    if not isinstance(cells, np.ndarray) or cells.dtype != object or cells.ndim != 2:
        listed = sorted(name for name in variables if not name.startswith("__"))
        raise DataError(f"{path}: expected a cell array neuron_boxes of volumes × slices, found {', '.join(listed)}")
    found: dict[int, list[Box]] = {}
    for volume, z in np.ndindex(*cells.shape):
        found.setdefault(volume, []).extend(_read_cell(np.asarray(cells[volume, z]), z, f"{path}, volume {volume}"))
    return found


def load_benchmark(path: Path) -> dict[str, list[Box]]:
    """Boxes of a benchmark file by the name of the volume: ``{volume: {identity: [[z, x0, y0, x1, y1, inlier]]}}``."""
    return {
        str(volume): [
            (int(z), float(x0), float(y0), float(x1 - x0), float(y1 - y0), int(identity))
            for identity, boxes in _expect_mapping(neurons, path).items()
            for z, x0, y0, x1, y1, *_ in _expect_boxes(boxes, path, 5)
        ]
        for volume, neurons in _expect_mapping(_load_json(path), path).items()
    }


def load_result(path: Path) -> list[Box]:
    """Boxes of one volume of their results: ``{identity: [[x0, y0, x1, y1, z]]}``, all counted from 1."""
    return [
        (int(z) - 1, float(x0 - 1), float(y0 - 1), float(x1 - x0), float(y1 - y0), int(identity) - 1)
        for identity, boxes in _expect_mapping(_load_json(path), path).items()
        for x0, y0, x1, y1, z in _expect_boxes(boxes, path, 5)
    ]


def load_head(path: Path) -> Head:
    """Head and axes of a proofread labelme file: a polygon ``head`` and five points."""
    document = _expect_mapping(_load_json(path), path)
    shapes = {one["label"]: np.array(one["points"], float) for one in document.get("shapes", []) if "label" in one}
    lacking = [name for name in ("head", *POINTS) if name not in shapes]
    if lacking:
        raise DataError(f"{path}: expected a head and its five points, {', '.join(lacking)} is missing; draw it")
    outline = shapes["head"][:, ::-1]
    origin, anterior, _, ventral, _ = (shapes[name][0, ::-1] for name in POINTS)
    low, high = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int)
    crop = Crop(int(low[1]), int(low[0]), int(high[1] - low[1] + 1), int(high[0] - low[0] + 1))
    return Head(crop, outline, origin, _aim(anterior - origin, path), _aim(ventral - origin, path))


def load_roi_array(path: Path) -> list[Annotation]:
    """Volumes of their box array ``(T, N, ≥ 6)``: centre x, y, z × 5, width, height, depth × 5; NaN is absent.

    The row of a neuron is its identity. Each box becomes one region in every frame that its depth covers.
    """
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as an NPY file: {error}") from None
    if array.ndim != 3 or array.shape[2] < 6:
        raise DataError(f"{path}: expected an array of volumes × neurons × 6 or more, found {array.shape}")
    volumes = []
    for volume, rows in enumerate(array[:, :, :6].astype(float)):
        boxes: list[Box] = []
        for identity in np.flatnonzero(np.isfinite(rows).all(axis=1)).tolist():
            x, y, z, w, h, depth = rows[identity]
            half = max(depth / Z_SCALE - 1, 0) / 2
            first, last = round(z / Z_SCALE - half), round(z / Z_SCALE + half)
            corner = float(x - (w - 1) / 2), float(y - (h - 1) / 2), float(w), float(h)
            boxes += [(frame, *corner, identity) for frame in range(first, last + 1)]
        volumes.append(build_volume(volume, boxes, path))
    return volumes


def build_volume(volume: int, boxes: Iterable[Box], path: Path, frame_px: int = FRAME_PX) -> Annotation:
    """One volume of boxes.

    Refused where a box lies outside of the frame, an identity has two boxes in one frame, or it lies in two places.
    """
    rows = sorted(boxes, key=lambda box: (box[5] < 0, box[5], box[0]))
    where = f"{path}, volume {volume}"
    seen: set[tuple[int, int]] = set()
    for z, x, y, w, h, identity in rows:
        if z < 0 or w <= 0 or h <= 0 or x < -1 or y < -1 or x + w > frame_px + 1 or y + h > frame_px + 1:
            raise DataError(f"{where}: expected boxes inside of {frame_px} pixels, found {(z, x, y, w, h)}; correct it")
        if identity >= 0 and (identity, z) in seen:
            raise DataError(f"{where}: identity {identity} has two boxes in frame {z}; keep one of them")
        seen.add((identity, z))
    for (z, x, y, w, h, identity), below in pairwise(rows):
        away = max(abs(below[1] + below[3] / 2 - x - w / 2), abs(below[2] + below[4] / 2 - y - h / 2))
        if identity >= 0 and below[5] == identity and away > FARTHEST_PX * max(below[0] - z, 1):
            raise DataError(
                f"{where}: identity {identity} lies in two places, {away:.0f} pixels apart in frames {z} and "
                f"{below[0]}; give one of them another number"
            )
    # A box without identity is a neuron of its own: nothing says which others it belongs to.
    keys = [box[5] if box[5] >= 0 else -2 - row for row, box in enumerate(rows)]
    order = list(dict.fromkeys(keys))
    owner = np.array([order.index(key) for key in keys], int)
    table = np.array([box[1:5] for box in rows], float).reshape(-1, 4)
    regions = Regions.from_boxes(np.array([box[0] for box in rows], int), table, neuron=owner)
    centre = np.zeros((len(order), 3))
    np.add.at(centre, owner, regions.centre_px)
    count = np.bincount(owner, minlength=len(order))[:, None] if len(order) else np.ones((0, 1))
    given = np.array([key if key >= 0 else -1 for key in order], int)
    return Annotation(
        volume, centre / count * np.array(VOXEL_UM), given, np.ones(len(order)), regions, voxel_um=VOXEL_UM
    )


def find_labels(folder: Path) -> list[tuple[Stack, Path]]:
    """MATLAB files with labels in a folder, under their names of stacks."""
    named = [(stack, path) for path in sorted(folder.rglob("*.mat")) if (stack := read_stack_name(path))]
    return [(stack, path) for stack, path in named if _holds_boxes(path)]


def load_animals(folder: Path) -> dict[str, list[Annotation]]:
    """All volumes of a downloaded folder by animal (C1, C2, C3): MATLAB labels, with proofread heads where drawn.

    The stacks of an animal follow each other in the order of their numbers.
    """
    boxed = find_labels(folder)
    if not boxed:
        raise DataError(
            f"{folder}: expected MATLAB files with neuron_boxes named as the authors name them "
            "(…ImgStk001_dk001_{w6_Dt210514…), found none"
        )
    heads = _find_heads(folder)
    animals: dict[str, list[Annotation]] = {}
    for stack, path in sorted(boxed, key=lambda one: (one[0].animal, one[0].number, one[1])):
        known = animals.setdefault(stack.animal, [])
        first = len(known)
        for index, boxes in sorted(load_neuron_boxes(path).items()):
            volume = build_volume(first + index, boxes, path)
            drawn = heads.get((stack.name, index))
            known.append(replace(volume, head=None if drawn is None else load_head(drawn)))
    return animals


def _find_heads(folder: Path) -> dict[tuple[str, int], Path]:
    found = {}
    for path in folder.rglob("*.json"):
        stack = read_stack_name(path.parent)
        if stack is not None and path.stem.isdigit():
            found[stack.name, int(path.stem)] = path
    return found


def _holds_boxes(path: Path) -> bool:
    from scipy.io import whosmat

    try:
        return any(name == "neuron_boxes" for name, _, _ in whosmat(path))
    except (OSError, ValueError, NotImplementedError):
        return False


def _read_cell(cell: np.ndarray, z: int, where: str) -> list[Box]:
    if not cell.size:
        return []
    if cell.dtype.names is None or not {"idx", "Position"} <= set(cell.dtype.names):
        raise DataError(f"{where}, frame {z}: expected boxes with idx and Position, found {cell.dtype.names}")
    boxes: list[Box] = []
    for one in cell.ravel():
        place = np.asarray(one["Position"], float).ravel()
        if place.shape != (4,) or not np.isfinite(place).all():
            raise DataError(f"{where}, frame {z}: expected Position = [x y w h], found {place.tolist()}")
        number = np.asarray(one["idx"]).ravel()
        x, y, w, h = (int(value) for value in place)
        boxes.append((z, x - 1.0, y - 1.0, w + 1.0, h + 1.0, int(number[0]) - 1 if number.size else -1))
    return boxes


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as JSON: {error}") from None


def _expect_mapping(value: Any, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{path}: expected an object, found {type(value).__name__}; is it a file of the authors?")
    return value


def _expect_boxes(value: Any, path: Path, least: int) -> list[list[float]]:
    good = isinstance(value, list) and all(
        isinstance(box, list) and len(box) >= least and all(isinstance(part, int | float) for part in box)
        for box in value
    )
    if not good:
        raise DataError(f"{path}: expected boxes of {least} numbers or more, found {str(value)[:60]}")
    return [[float(part) for part in box] for box in value]


def _aim(along: np.ndarray, path: Path) -> np.ndarray:
    length = float(np.linalg.norm(along))
    if length == 0:
        raise DataError(f"{path}: an end of an axis lies on the centre of mass; move it")
    return np.asarray(along / length)
