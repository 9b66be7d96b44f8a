"""The authors' proofread heads: labelme files with an outline and five points."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.exchange.authors.layout import RATE_HZ, VOXEL_UM, list_numbered, load_mapping, read_stack_name
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings, mark_partial
from cender.types import Annotation, Annotations, Crop, Head

_POINTS = ("mass_of_center", "anterior_y", "posterior_y", "ventral_x", "dorsal_x")
"""Points of a head in the authors' files: its middle and the ends of its axes."""


def load_head(path: Path) -> Head:
    """Head and axes of a file: a polygon ``head`` and five points."""
    listed = load_mapping(path).get("shapes")
    shapes = {str(one["label"]): _read_points(one, path) for one in _expect_shapes(listed, path)}
    lacking = [name for name in ("head", *_POINTS) if name not in shapes]
    if lacking:
        raise DataError(f"{path}: expected a head and its five points, {', '.join(lacking)} is missing; draw it")
    outline = shapes["head"][:, ::-1]
    origin, anterior, _, ventral, _ = (shapes[name][0, ::-1] for name in _POINTS)
    low, high = np.floor(outline.min(axis=0)).astype(int), np.ceil(outline.max(axis=0)).astype(int)
    crop = Crop(int(low[1]), int(low[0]), int(high[1] - low[1] + 1), int(high[0] - low[0] + 1))
    return Head(crop, outline, origin, _aim(anterior - origin, path), _aim(ventral - origin, path))


def load_heads(path: Path, around: Surroundings) -> Incoming:
    """Heads and axes of one file ``000.json`` or of a folder of them, counted from 0; neurons stay as they are."""
    empty = Annotation.from_points(0, np.zeros((0, 3)))
    files = list_numbered(path, "000.json, 001.json")
    heads = {int(file.stem): replace(empty, volume=int(file.stem), head=load_head(file)) for file in files}
    known = Annotations(str(path), around.voxel_um or VOXEL_UM, around.rate_hz or RATE_HZ, heads)
    return Incoming(mark_partial(known))


def _expect_shapes(value: Any, path: Path) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise DataError(f"{path}: expected labelme's list of shapes, found {type(value).__name__}")
    return [one for one in value if "label" in one]


def _read_points(shape: dict[str, Any], path: Path) -> np.ndarray:
    try:
        points = np.array(shape["points"], float)
    except (KeyError, TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points) or not (np.abs(points) < 1e6).all():
        raise DataError(
            f"{path}: expected points of x and y as {shape['label']}, found {str(shape.get('points'))[:60]}"
        )
    return points


def _aim(along: np.ndarray, path: Path) -> np.ndarray:
    length = float(np.linalg.norm(along))
    if length == 0:
        raise DataError(f"{path}: an end of an axis lies on the centre of mass; move it")
    return np.asarray(along / length)


HEADS = ExchangeFormat(
    name="authors-heads",
    title="proofread heads of the paper's authors: labelme 000.json, or a folder of them",
    keeps=("heads",),
    recognize=lambda path: read_stack_name(path) is not None and path.suffix == "",
    load=load_heads,
)
