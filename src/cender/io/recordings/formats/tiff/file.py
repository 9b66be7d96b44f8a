"""TIFF in one file: OME-TIFF, ImageJ's hyperstacks, and plain stacks of images."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from jaxtyping import Shaped

from cender.errors import UnreadableRecording, UnsupportedFormat
from cender.io.atomic import write_atomically
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN
from cender.io.recordings.formats.handle import Handle
from cender.io.recordings.formats.planes import FlatPlanes, count_whole, number_planes
from cender.io.recordings.formats.store import Index, Store
from cender.io.recordings.formats.tiff.metadata import read_imagej, read_ome
from cender.types import Recording

_CLASSIC_LIMIT = 2**32 - 2**27
"""Bytes of images from which on BigTIFF is written; classic TIFF ends at 4 GiB, headers included."""
_OME_TYPES = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32", "float64")


def load_tiff(path: Path, params: RecordingParams) -> Store:
    """The array of a TIFF file, with what OME-XML or ImageJ say of it."""
    try:
        with tifffile.TiffFile(path) as tif:
            return _describe(path, tif)
    except (tifffile.TiffFileError, ValueError, IndexError, KeyError, struct.error) as error:
        raise UnreadableRecording(f"{path} is a damaged or truncated TIFF file: {error}") from error


def save_tiff(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write an OME-TIFF, volume by volume; BigTIFF where it would not fit into 4 GB."""
    dtype = recording.dtype
    if dtype.name not in _OME_TYPES:
        raise UnsupportedFormat(
            f"OME-TIFF cannot hold pixels of type {dtype} ({path}); write .ome.zarr, .h5 or .npz instead"
        )
    metadata = _compose_ome(recording)
    big = len(recording) * recording.volume_bytes > _CLASSIC_LIMIT
    with write_atomically(path) as part, tifffile.TiffWriter(part, bigtiff=big, ome=True) as writer:
        writer.write(
            _stream(recording, on_volume),
            shape=recording.shape,
            dtype=dtype,
            photometric="minisblack",
            metadata=metadata,
        )


def _stream(recording: Recording, on_volume: Callable[[int], None]) -> Iterator[Shaped[np.ndarray, "y x"]]:
    for volume in recording:
        for channel in volume.data:
            yield from channel
        on_volume(volume.index)


def _compose_ome(recording: Recording) -> dict[str, Any]:
    metadata: dict[str, Any] = {"axes": "TCZYX"}
    if recording.voxel_um is not None:
        for letter, size in zip("ZYX", recording.voxel_um, strict=True):
            metadata |= {f"PhysicalSize{letter}": size, f"PhysicalSize{letter}Unit": "µm"}
    if recording.rate_hz is not None:
        metadata |= {"TimeIncrement": 1 / recording.rate_hz, "TimeIncrementUnit": "s"}
    if recording.roles is not None:
        metadata["Channel"] = {"Name": list(recording.roles)}
    if recording.times_s is not None:
        planes = recording.shape[1] * recording.shape[2]
        times = [float(time) for time in recording.times_s for _ in range(planes)]
        metadata["Plane"] = {"DeltaT": times, "DeltaTUnit": ["s"] * len(times)}
    return metadata


def _describe(path: Path, tif: Any) -> Store:
    size = path.stat().st_size
    series, warnings = _find_series(tif)
    axes, shape = _name_axes(series), tuple(series.shape) if series is not None else ()
    page = tif.pages[0] if series is None else series.keyframe
    if page.samplesperpixel > 1 or (axes and not axes.endswith(("YX", UNKNOWN))):
        raise UnreadableRecording(
            f"{path} is a colour (RGB) picture of {page.samplesperpixel} values per pixel; expected grey "
            "frames. "
            "Save the raw channels instead"
        )
    dtype = np.dtype(page.dtype).newbyteorder(tif.byteorder)
    offset = None if series is None else series.dataoffset
    if series is None or (len(shape) == 2 and _ends_early(tif, size)):
        # Of a stack that was cut off, the first image's header may be the only one left, its images one after
        # the other.
        axes, shape, offset = _rebuild(tif, page, size)
    plane_bytes = prod(shape[-2:]) * dtype.itemsize
    if offset is not None:
        there = max(0, size - offset) // plane_bytes
        whole = _cut(path, shape, there, axes)
        read: Any = FlatPlanes(path, offset, whole, dtype)
    else:
        whole = _cut(path, shape, _count_pages(tif, series, size), axes)
        read = PagePlanes(Handle(tifffile.TiffFile, str(path)), whole)
    if whole != shape or _ends_early(tif, size):
        warnings = (*warnings, _say_cut(shape, whole))
    said = read_ome(tif, axes, whole) if tif.is_ome else read_imagej(tif) if tif.is_imagej else {}
    kind = "ome-tiff" if tif.is_ome else "imagej-tiff" if tif.is_imagej else "tiff"
    any_index = isinstance(read, FlatPlanes)
    return Store(axes, whole, dtype, read, warnings=warnings, kind=kind, any_index=any_index, **said)


@dataclass(frozen=True, slots=True)
class PagePlanes:
    """Reader of images that each have a header of their own, or are compressed."""

    handle: Handle[Any]
    shape: tuple[int, ...]

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over all axes but the last two."""
        numbers = number_planes(self.shape[:-2], index)
        with self.handle.use() as tif:
            pages = _list_pages(tif)
            images = [_read_page(pages, int(number)) for number in numbers.ravel()]
        if not images:
            return np.empty((*numbers.shape, *self.shape[-2:]))
        return np.stack(images).reshape(*numbers.shape, *self.shape[-2:])


def _read_page(pages: Any, number: int) -> Shaped[np.ndarray, "y x"]:
    page = pages[number]
    if page is None:
        raise ValueError(f"image {number} is missing from the file")
    return np.asarray(page.asarray())


def _list_pages(tif: Any) -> Any:
    series, _ = _find_series(tif)
    return tif.pages if series is None else series.pages


def _find_series(tif: Any) -> tuple[Any, tuple[str, ...]]:
    try:
        found = list(tif.series)
    except (tifffile.TiffFileError, ValueError, IndexError, KeyError):
        return None, ()
    if len(found) == 1:
        return found[0], ()
    first = max(found, key=lambda series: prod(series.shape))
    return first, (f"the file holds {len(found)} pictures; only the largest ({first.name or 'unnamed'}) is read",)


def _name_axes(series: Any) -> str:
    if series is None:
        return ""
    axes = "".join(letter if letter in "TCZYXS" else UNKNOWN for letter in series.axes)
    # The library that writes plain arrays calls the last two dimensions Y and X whatever they are.
    nothing_said = series.kind in ("shaped", "generic", "uniform") and axes == UNKNOWN * (len(axes) - 2) + "YX"
    return UNKNOWN * len(axes) if nothing_said and len(axes) > 3 else axes


def _ends_early(tif: Any, size: int) -> bool:
    """Whether the chain of image headers points behind the end of the file."""
    last, layout = tif.pages[-1] if len(tif.pages) > 1 else tif.pages[0], tif.tiff
    file = tif.filehandle
    file.seek(last.offset)
    tags = struct.unpack(layout.tagnoformat, file.read(layout.tagnosize))[0]
    file.seek(last.offset + layout.tagnosize + tags * layout.tagsize)
    pointer = file.read(layout.offsetsize)
    if len(pointer) < layout.offsetsize:
        return True
    return bool(struct.unpack(layout.offsetformat, pointer)[0] >= size)


def _rebuild(tif: Any, page: Any, size: int) -> tuple[str, tuple[int, ...], int | None]:
    image = (page.imagelength, page.imagewidth)
    if len(tif.pages) > 1 or page.compression != 1:
        return f"{UNKNOWN}YX", (len(tif.pages), *image), None
    offset = page.dataoffsets[0]
    there = (size - offset) // max(1, prod(image) * page.dtype.itemsize)
    said = tif.imagej_metadata if tif.is_imagej else None
    if said:
        lead = tuple(int(said.get(name, 1)) for name in ("frames", "slices", "channels"))
        if prod(lead) == int(said.get("images", 1)):
            return "TZCYX", (*lead, *image), offset
    return f"{UNKNOWN}YX", (there, *image), offset


def _count_pages(tif: Any, series: Any, size: int) -> int:
    """Images of a series that are there to their last byte."""
    pages = tif.pages if series is None else series.pages
    if series is not None and series.is_multifile:
        return len(pages)
    # A damaged header can promise any number of images; those that are there are in the chain.
    count = min(len(pages), len(tif.pages))
    while count:
        page = pages[count - 1]
        if page is not None and all(o + n <= size for o, n in zip(page.dataoffsets, page.databytecounts, strict=True)):
            break
        count -= 1
    return (
        next((n for n in range(count) if pages[n] is None), count)
        if series is not None and count < len(pages)
        else count
    )


def _cut(path: Path, shape: tuple[int, ...], there: int, axes: str) -> tuple[int, ...]:
    if len(shape) < 3 or there >= prod(shape[:-2]):
        return shape
    whole = count_whole(shape, there)
    if whole == 0 or axes[0] not in ("T", UNKNOWN):
        raise UnreadableRecording(
            f"{path} is truncated: {there} of {prod(shape[:-2])} images are there, which is no whole volume ({axes})"
        )
    return (whole, *shape[1:])


def _say_cut(shape: tuple[int, ...], whole: tuple[int, ...]) -> str:
    return (
        f"the file ends early (truncated, or being written): {whole[0]} of {shape[0]} volumes are whole"
        if whole != shape
        else "the file ends early (truncated, or being written): only what is whole is read"
    )
