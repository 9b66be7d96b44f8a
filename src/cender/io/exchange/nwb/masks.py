"""Segmentations of other programs in NWB: voxels of every neuron, or images in which each neuron has its number."""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from jaxtyping import Float, Int

from cender.errors import DataError
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import Surroundings
from cender.io.recordings.arrange.axes import format_shape
from cender.io.recordings.fence import check_volume_size

# As the extension's schema has it.
_ORDER = "XYZ"
_COLUMNS = ("voxel_mask", "color_voxel_mask")


def read_voxels(plane: Any, where: str) -> tuple[Float[np.ndarray, "n 3"], Int[np.ndarray, " n"]]:
    """Middle of the voxels of every neuron, ``z y x`` in pixels, and the row of each in its table.

    The fields are taken by their names. Rows without a voxel, or whose voxels all weigh nothing, were not seen.
    """
    name = next((one for one in _COLUMNS if isinstance(plane.get(one), h5py.Dataset)), "")
    fields = set(plane[name].dtype.names or ()) if name else set()
    if not {"x", "y", "z"} <= fields:
        raise DataError(f"{where}: expected {' or '.join(_COLUMNS)} with x, y and z, found {', '.join(sorted(plane))}")
    check_rows(Path(where), name, int(plane[name].size or 0))
    voxels = np.ravel(plane[name][()])
    ends = plane.get(f"{name}_index")
    stops = np.arange(1, len(voxels) + 1) if ends is None else np.ravel(ends[()]).astype(np.int64)
    sizes = np.diff(stops, prepend=0)
    if sizes.sum() != len(voxels) or (sizes < 0).any():
        raise DataError(f"{where}: {name}_index does not fit the {len(voxels)} voxels of {name}")
    owner = np.repeat(np.arange(len(stops)), sizes)
    weight = np.asarray(voxels["weight"], float) if "weight" in fields else np.ones(len(voxels))
    counted = np.where(weight > 0, 1.0, 0.0)
    count = np.bincount(owner, counted, len(stops))
    seen = np.flatnonzero(count > 0)
    sums = [np.bincount(owner, counted * np.asarray(voxels[axis], float), len(stops)) for axis in "zyx"]
    return (np.stack(sums, axis=1)[seen] / count[seen, None]).reshape(-1, 3), seen


def settle_masks(
    shape: tuple[int, ...], around: Surroundings, where: str
) -> tuple[tuple[int, int, int], tuple[str, ...]]:
    """How a volume on disk is turned to ``z y x``, and a warning where its axes are not in the order of the schema.

    The sizes of the recording decide, not the schema: files exist that do not keep to it.
    """
    if len(shape) != 4:
        raise DataError(f"{where}: expected masks of volumes over time (t, x, y, z), found {format_shape(shape)}")
    if around.shape is None:
        raise DataError(f"{where}: the run folder does not know the size of its recording; run it once before")
    sizes = dict(zip("ZYX", around.shape[2:], strict=True))
    fitting = ["".join(order) for order in permutations(_ORDER) if tuple(sizes[axis] for axis in order) == shape[1:]]
    if not fitting:
        raise DataError(
            f"{where}: masks of {format_shape(shape[1:])} pixels are not of a recording of "
            f"{format_shape(around.shape[2:])} (z y x)"
        )
    found = _ORDER if _ORDER in fitting else fitting[0]
    said = f"{where}: the axes on disk are T{found} by the sizes of the recording, not T{_ORDER} as in the schema"
    turn = found.index("Z"), found.index("Y"), found.index("X")
    return turn, () if found == _ORDER else (said,)


def iterate_masks(
    data: Any, turn: tuple[int, int, int], path: Path
) -> Iterator[tuple[int, Float[np.ndarray, "n 3"], Int[np.ndarray, " n"]]]:
    """Middle of every number in every volume, ``z y x`` in pixels, and the numbers; 0 is no neuron."""
    if data.dtype.kind not in "iu":
        raise DataError(f"{path}, {data.name}: expected masks of whole numbers, found {data.dtype}")
    check_volume_size(str(path), int(np.prod(data.shape[1:])) * data.dtype.itemsize)
    for volume in range(data.shape[0]):
        image = np.asarray(data[volume]).transpose(turn)
        places = np.nonzero(image)
        numbers, owner = np.unique(image[places], return_inverse=True)
        if len(numbers) and int(numbers[0]) < 0:
            raise DataError(f"{path}, {data.name}, volume {volume}: expected numbers from 0 on, found {numbers[0]}")
        count = np.bincount(owner, minlength=len(numbers))
        middle = [np.bincount(owner, axis, len(numbers)) / np.maximum(count, 1) for axis in places]
        yield volume, np.stack(middle, axis=1).reshape(-1, 3), numbers.astype(np.int64)
