"""The authors' human boxes: a MATLAB file with ``neuron_boxes``."""

from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.exchange.authors.layout import Box, build_volume, gather_volumes, read_stack_name
from cender.io.exchange.bounds import check_text_size
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings
from cender.io.recordings.fence import fence
from cender.io.recordings.formats.matlab.mat5 import list_variables
from cender.io.recordings.formats.matlab.values import load_values

_NAME = "neuron_boxes"


def load_neuron_boxes(path: Path) -> dict[int, list[Box]]:
    """Human boxes of a MATLAB file by volume: variable ``neuron_boxes``, a cell of volumes × slices.

    Each cell is a struct array with ``idx`` (1-based identity, empty where there is none) and ``Position`` (1-based x y
    of the upper left corner, then the last pixel's distance from it). Boxes with ``isinlier`` 0 stay.
    """
    check_text_size(path)
    with fence(str(path), "cannot be read as a MATLAB file of version 5 or 7", DataError):
        cells = load_values(path, lambda name: name == _NAME).get(_NAME)
    if not isinstance(cells, np.ndarray) or cells.dtype != object or cells.ndim != 2:
        listed = ", ".join(sorted(one.name for one in list_variables(path)))
        found_there = f"{_NAME} of another kind" if cells is not None else listed or "nothing"
        raise DataError(f"{path}: expected a cell array {_NAME} of volumes × slices, found {found_there}")
    found: dict[int, list[Box]] = {}
    for volume, z in np.ndindex(*cells.shape):
        found.setdefault(volume, []).extend(_read_cell(cells[volume, z], f"{path}, volume {volume}, frame {z}", z))
    return found


def measure_boxes(path: Path) -> tuple[int, ...] | None:
    """Volumes and slices of that variable by its header alone; None for a file without it."""
    try:
        with fence(str(path), "cannot be read", DataError):
            return next((one.shape for one in list_variables(path) if one.name == _NAME), None)
    except DataError:
        return None


def load_boxes(path: Path, around: Surroundings) -> Incoming:
    """All volumes of a file."""
    volumes = [build_volume(volume, boxes, path) for volume, boxes in sorted(load_neuron_boxes(path).items())]
    return gather_volumes(path, volumes, around)


def _read_cell(cell: Any, where: str, z: int) -> list[Box]:
    boxes: list[Box] = []
    for one in np.ravel(np.asarray(cell, object)):
        if not isinstance(one, dict) or not {"idx", "Position"} <= set(one):
            found = sorted(one) if isinstance(one, dict) else type(one).__name__
            raise DataError(f"{where}: expected boxes with idx and Position, found {found}")
        place = np.ravel(one["Position"])
        if place.shape != (4,) or place.dtype.kind not in "iuf" or not np.isfinite(place).all():
            raise DataError(f"{where}: expected Position = [x y w h], found {place.tolist()}")
        number = np.ravel(one["idx"])
        if number.size and (number.dtype.kind not in "iuf" or not np.isfinite(number[0])):
            raise DataError(f"{where}: expected a number as idx, found {number.tolist()}")
        x, y, w, h = (int(value) for value in place)
        boxes.append((z, x - 1.0, y - 1.0, w + 1.0, h + 1.0, int(number[0]) - 1 if number.size else -1))
    return boxes


BOXES = ExchangeFormat(
    name="authors-boxes",
    title="MATLAB file of the paper's authors with neuron_boxes",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".mat" and read_stack_name(path) is not None,
    load=load_boxes,
)
