"""Zeiss CZI: axes, voxel size, channel names and interval as the microscope wrote them."""

from dataclasses import dataclass
from importlib import import_module
from itertools import product
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
from defusedxml.ElementTree import fromstring
from jaxtyping import Shaped

from cender.errors import DataError, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.formats.handle import Handle
from cender.io.recordings.formats.metadata import make_voxel, read_roles
from cender.io.recordings.formats.store import Index, Store

_PIXELS: dict[str, np.dtype] = {
    "Gray8": np.dtype(np.uint8),
    "Gray16": np.dtype(np.uint16),
    "Gray32Float": np.dtype(np.float32),
}


def open_czi(path: str) -> Any:
    """A CZI file of Zeiss's own library; a `DataError` says how to install it where it is not there."""
    try:
        library = import_module("pylibCZIrw.czi")
    except ImportError as error:
        raise DataError(
            f"{path} is a Zeiss CZI file; to read it, install the extra: pip install 'cender[czi]'"
        ) from error
    return library.open_czi(path)


def load_czi(path: Path, params: RecordingParams) -> Store:
    """The array ``t c z y x`` of a CZI file of one scene."""
    with open_czi(str(path)) as file:
        box = {str(axis): tuple(map(int, span)) for axis, span in file.total_bounding_box_no_pyramid.items()}
        if len(file.scenes_bounding_rectangle_no_pyramid) > 1:
            raise UnreadableRecording(f"{path} holds several scenes; export one scene as a file")
        kinds = set(file.pixel_types.values())
        text = str(file.raw_metadata)
    if len(kinds) != 1 or not kinds <= set(_PIXELS):
        raise UnreadableRecording(f"{path} holds pixels of {', '.join(sorted(kinds))}; expected one kind of grey")
    others = [f"{axis} = {b - a}" for axis, (a, b) in box.items() if axis not in "TCZYX" and b - a > 1]
    if others:
        raise UnreadableRecording(
            f"{path} has more than time, channels and z ({', '.join(others)}); export one of them"
        )
    first = tuple(box.get(axis, (0, 1))[0] for axis in "TCZ")
    shape = tuple(b - a for a, b in (box.get(axis, (0, 1)) for axis in "TCZYX"))
    (x, w), (y, h) = ((box[axis][0], box[axis][1] - box[axis][0]) for axis in "XY")
    reader = PlaneReader(Handle(open_czi, str(path)), shape[:3], first, (x, y, w, h))
    return Store("TCZYX", shape, _PIXELS[kinds.pop()], reader, **read_facts(text))


@dataclass(frozen=True, slots=True)
class PlaneReader:
    """Reads planes one by one; ``first`` are the numbers at which T, C and Z begin."""

    handle: Handle[Any]
    lead: tuple[int, ...]
    first: tuple[int, ...]
    roi: tuple[int, int, int, int]

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over T, C and Z."""
        chosen = [np.atleast_1d(np.arange(size)[one]) for size, one in zip(self.lead, index, strict=False)]
        kept = tuple(len(numbers) for numbers, one in zip(chosen, index, strict=False) if isinstance(one, slice))
        with self.handle.use() as file:
            planes = [self._read(file, place) for place in product(*(numbers.tolist() for numbers in chosen))]
        return np.stack(planes).reshape(*kept, *planes[0].shape)

    def _read(self, file: Any, place: tuple[int, ...]) -> Shaped[np.ndarray, "y x"]:
        plane = {axis: number + first for axis, number, first in zip("TCZ", place, self.first, strict=True)}
        return np.asarray(file.read(roi=self.roi, plane=plane))[..., 0]


def read_facts(text: str) -> dict[str, Any]:
    """Voxel size, rate and roles that a CZI file's metadata give, as fields of a store."""
    root = fromstring(text, forbid_dtd=True)
    sides = {one.get("Id"): _number(one.findtext("Value")) * 1e6 for one in root.iterfind(".//Scaling/Items/Distance")}
    channels = [one.get("Name") or "" for one in root.iterfind(".//Information/Image/Dimensions/Channels/Channel")]
    step_s = _number(root.findtext(".//Information/Image/Dimensions/T/Positions/Interval/Increment"))
    return {
        "voxel_um": make_voxel(*(sides.get(axis, nan) for axis in "ZYX")),
        "rate_hz": 1 / step_s if isfinite(step_s) and step_s > 0 else None,
        "roles": read_roles(channels),
    }


def _number(text: str | None) -> float:
    try:
        return float(text) if text else nan
    except ValueError:
        return nan
