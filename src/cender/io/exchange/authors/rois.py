"""The box array of the authors' annotator: volumes × neurons × 6 or more, NPY."""

from pathlib import Path

import numpy as np

from cender.errors import DataError
from cender.io.exchange.authors.layout import Box, build_volume, gather_volumes
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings
from cender.types import Annotation

# z and depth are kept as multiples of the pixel size in the frame.
_Z_SCALE = 5.0
_MOST_FRAMES = 1000
"""Frames over which the boxes of one volume may extend."""


def load_roi_array(path: Path) -> list[Annotation]:
    """Volumes of their array ``(T, N, ≥ 6)``: centre x, y, z × 5, width, height, depth × 5; NaN is absent.

    The row of a neuron is its identity. Each box becomes one region in every frame that its depth covers.
    """
    try:
        array = np.load(path, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path} cannot be read as an NPY file: {error}") from None
    if array.ndim != 3 or array.shape[2] < 6 or array.dtype.kind not in "iuf":
        raise DataError(f"{path}: expected numbers, volumes × neurons × 6 or more, found {array.shape} {array.dtype}")
    check_rows(path, "boxes", array.shape[0] * array.shape[1])
    return [build_volume(volume, _list_boxes(rows, path), path) for volume, rows in enumerate(array[:, :, :6])]


def load_rois(path: Path, around: Surroundings) -> Incoming:
    """All volumes of a file."""
    return gather_volumes(path, load_roi_array(path), around)


def _list_boxes(rows: np.ndarray, path: Path) -> list[Box]:
    values = rows.astype(float)
    boxes: list[Box] = []
    for identity in np.flatnonzero(np.isfinite(values).all(axis=1)).tolist():
        x, y, z, w, h, depth = values[identity]
        half = max(depth / _Z_SCALE - 1, 0) / 2
        first, last = round(z / _Z_SCALE - half), round(z / _Z_SCALE + half)
        if last - first > _MOST_FRAMES:
            raise DataError(f"{path}: a box of {last - first} frames; expected x, y, z × 5, width, height, depth × 5")
        corner = float(x - (w - 1) / 2), float(y - (h - 1) / 2), float(w), float(h)
        boxes += [(frame, *corner, identity) for frame in range(first, last + 1)]
    return boxes


ROIS = ExchangeFormat(
    name="authors-rois",
    title="box array of the authors' annotator: volumes × neurons × 6, NPY",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".npy",
    load=load_rois,
)
