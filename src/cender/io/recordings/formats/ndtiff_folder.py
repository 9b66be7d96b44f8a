"""ND-TIFF of Micro-Manager 2: a folder with ``NDTiff.index`` and stacks of TIFF."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from cender.errors import DataError, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.formats.handle import Handle
from cender.io.recordings.formats.metadata import make_voxel, read_roles
from cender.io.recordings.formats.store import Index, Store

_NAMES = {"T": "time", "C": "channel", "Z": "z"}


@contextmanager
def open_ndtiff(path: str) -> Iterator[Any]:
    """A data set of the library ``ndtiff``; a `DataError` says how to install it where it is not there."""
    try:
        library = import_module("ndtiff")
    except ImportError as error:
        raise DataError(
            f"{path} is ND-TIFF of Micro-Manager; to read it, install the extra: pip install 'cender[ndtiff]'"
        ) from error
    # The library tells its progress on standard output, which is not ours to write on.
    with redirect_stdout(io.StringIO()):
        opened = library.Dataset(path)
    try:
        yield opened
    finally:
        opened.close()


def load_ndtiff(path: Path, params: RecordingParams) -> Store:
    """The array ``t c z y x`` of a data set of one position; volumes that are not whole yet are left out."""
    with open_ndtiff(str(path)) as data:
        axes = {str(name): list(values) for name, values in data.axes.items()}
        others = [
            f"{name} = {len(values)}"
            for name, values in axes.items()
            if name not in _NAMES.values() and len(values) > 1
        ]
        if others:
            raise UnreadableRecording(f"{path} has more than time, channels and z ({', '.join(others)})")
        lead = tuple(tuple(axes.get(name, ())) for name in _NAMES.values())
        fixed = {name: values[0] for name, values in axes.items() if name not in _NAMES.values()}
        reader = ImageReader(Handle(open_ndtiff, str(path)), lead, tuple(fixed.items()))
        whole = _count_whole(data, reader)
        dtype, size = np.dtype(data.dtype), (int(data.image_height), int(data.image_width))
        facts = _read_facts(data.summary_metadata or {}, [str(name) for name in lead[1]])
    if not whole:
        raise UnreadableRecording(f"{path}: not one volume is whole yet")
    times = max(1, len(lead[0]))
    warnings = (f"the last {times - whole} of {times} volumes are not whole and are left out",) if whole < times else ()
    shape = (whole, max(1, len(lead[1])), max(1, len(lead[2])), *size)
    return Store("TCZYX", shape, dtype, reader, warnings=warnings, **facts)


@dataclass(frozen=True, slots=True)
class ImageReader:
    """Reads images by the values that time, channel and z have in the data set; an axis without values is not there."""

    handle: Handle[Any]
    lead: tuple[tuple[Any, ...], ...]
    fixed: tuple[tuple[str, Any], ...]

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over T, C and Z."""
        sizes = [max(1, len(values)) for values in self.lead]
        chosen = [np.atleast_1d(np.arange(size)[one]) for size, one in zip(sizes, index, strict=False)]
        kept = tuple(len(numbers) for numbers, one in zip(chosen, index, strict=False) if isinstance(one, slice))
        with self.handle.use() as data:
            images = [
                np.asarray(data.read_image(**self.place(at))) for at in product(*(one.tolist() for one in chosen))
            ]
        return np.stack(images).reshape(*kept, *images[0].shape)

    def place(self, at: tuple[int, ...]) -> dict[str, Any]:
        """The words by which the library knows an image."""
        found = {
            name: values[number] for name, values, number in zip(_NAMES.values(), self.lead, at, strict=True) if values
        }
        return {**dict(self.fixed), **found}


def _count_whole(data: Any, reader: ImageReader) -> int:
    """Volumes from the first on of which every image is there."""
    times, channels, frames = (range(max(1, len(values))) for values in reader.lead)
    for time in times:
        if not all(data.has_image(**reader.place((time, *rest))) for rest in product(channels, frames)):
            return time
    return len(times)


def _read_facts(summary: dict[str, Any], channels: list[str]) -> dict[str, Any]:
    side, depth, step_ms = (_number(summary.get(name)) for name in ("PixelSize_um", "z-step_um", "Interval_ms"))
    return {
        "voxel_um": make_voxel(abs(depth), side, side),
        "rate_hz": 1000 / step_ms if isfinite(step_ms) and step_ms > 0 else None,
        "roles": read_roles(channels) if channels else None,
    }


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return nan
