"""NWB: the image series and colour stacks of the C. elegans labs, read as HDF5, the order of axes not trusted."""

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cender.errors import UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.hdf5 import DatasetReader, open_hdf5
from cender.io.recordings.formats.metadata import convert_um, make_voxel, read_roles
from cender.io.recordings.formats.nwb_stack import (
    MOST_CHANNELS,
    find_reach,
    find_reference,
    is_stack,
    list_images,
    read_colours,
)
from cender.io.recordings.formats.store import Store
from cender.types import VoxelSize

_NAME = "CalciumImageSeries"
# As the extension's schema has them.
_SERIES_ORDER, _STACK_ORDER = "TXYZC", "XYZC"


def load_nwb(path: Path, params: RecordingParams) -> Store:
    """The calcium series of an NWB file, else its colour stack, or the one that ``recording.dataset`` names."""
    with open_hdf5(path) as file:
        series = _choose(file, path, params.dataset)
        stack = is_stack(series)
        data = series["data"]
        if data.ndim not in ((4,) if stack else (4, 5)) or data.dtype.kind not in "iuf" or min(data.shape) == 0:
            expected = "one volume in colours" if stack else "volumes over time"
            raise UnreadableRecording(
                f"{path}, {series.name}: expected {expected}, found {format_shape(data.shape)} {data.dtype}"
            )
        volume = series.get("imaging_volume", series.get("imaging_plane"))
        channels = _read_channels(volume)
        axes, warnings = settle_order(
            data.shape,
            _read_dimension(series),
            len(channels),
            _STACK_ORDER if stack else _SERIES_ORDER,
            find_reach(file, volume) if stack else {},
        )
        times, rate = _read_times(series)
        roles = read_roles(channels)
        if stack and roles is None:
            roles, said = find_reference(read_colours(series), len(channels))
            warnings = (*warnings, *said)
        return Store(
            axes,
            data.shape,
            data.dtype,
            DatasetReader(path, str(data.name)),
            voxel_um=None if volume is None else read_spacing(volume),
            rate_hz=rate,
            times_s=times,
            roles=roles,
            warnings=warnings,
            any_index=True,
        )


def settle_order(
    shape: tuple[int, ...],
    dimension: tuple[int, ...],
    channels: int,
    schema: str = _SERIES_ORDER,
    reach: Mapping[str, int] | None = None,
) -> tuple[str, tuple[str, ...]]:
    """The letter of every axis, and a warning where it is not the order of the schema.

    ``dimension`` are the pixels along x, y and z that the file says, empty where it does not; ``channels`` how many it
    names, 0 where it names none; ``reach`` how many pixels along an axis its neurons need. An order counts only where
    it fits these; where none or several do, all but time are left open and have to be given.
    """
    schema = schema[: len(shape)]
    first = schema.removesuffix(schema.lstrip("T"))
    inner, least = schema[len(first) :], reach or {}
    sizes = dict(zip("XYZ", dimension, strict=False)) if len(dimension) >= 3 else {}
    if channels and "C" in schema:
        sizes["C"] = channels

    def fits(order: tuple[str, ...]) -> bool:
        pairs = zip(order, shape[len(first) :], strict=True)
        return all(sizes.get(letter, size) == size and size >= least.get(letter, 0) for letter, size in pairs)

    if sizes and fits(tuple(inner)) and _is_likely(schema, shape):
        return schema, ()
    fitting = [order for order in permutations(inner) if sizes and fits(order) and _is_likely((*first, *order), shape)]
    # Without a size for x and y, only channels and depth are told apart: no order is better than its mirror image.
    if len(fitting) == 1:
        found = first + "".join(fitting[0])
        return found, (f"the axes on disk are {found} by the sizes that the file gives, not {schema} as in its schema",)
    if not sizes and fits(tuple(inner)) and _is_likely(schema, shape):
        return schema, (f"the file gives no sizes of its axes; {schema} is taken from the schema",)
    said = f"sizes that the file gives: {', '.join(f'{k} {v}' for k, v in sizes.items()) or 'none'}"
    return first + UNKNOWN * len(inner), (
        f"the order of axes cannot be settled: {format_shape(shape)} on disk, {said}; look at the picture",
    )


def _is_likely(order: Any, shape: tuple[int, ...]) -> bool:
    """Whether there are few channels, and fewer frames than pixels in a row or column."""
    size = dict(zip(order, shape, strict=True))
    return bool(size.get("C", 1) <= MOST_CHANNELS and size["Z"] <= min(size["X"], size["Y"]))


def read_spacing(volume: Any) -> VoxelSize | None:
    """The voxel size of an imaging volume: ``grid_spacing`` is x, y, z, in meters unless it says otherwise."""
    spacing = volume.get("grid_spacing")
    if not isinstance(spacing, h5py.Dataset) or spacing.shape != (3,) or spacing.dtype.kind not in "iuf":
        return None
    unit = str(spacing.attrs.get("unit", "meters")).lower().rstrip("s")
    x, y, z = (convert_um(float(side), unit) for side in spacing[()])
    return make_voxel(z, y, x)


def _choose(file: Any, path: Path, wanted: str | None) -> Any:
    found = list_images(file)
    listing = ", ".join(f"{name} ({format_shape(item['data'].shape)})" for name, item in found.items()) or "none"
    if wanted is not None:
        name = wanted.strip("/").removeprefix("acquisition/").removesuffix("/data")
        if name not in found:
            raise UnreadableRecording(f"{path} has no images {name!r} in acquisition; it has: {listing}")
        return found[name]
    if _NAME in found:
        return found[_NAME]
    deep = [item for item in found.values() if item["data"].ndim >= 4]
    series = [item for item in deep if not is_stack(item)]
    if len(series or deep) != 1:
        raise UnreadableRecording(
            f"{path} is NWB; expected one series of volumes in acquisition, such as {_NAME}, found: {listing}"
            + ("; choose one with --set recording.dataset=NAME" if deep else "")
        )
    return (series or deep)[0]


def _read_dimension(series: Any) -> tuple[int, ...]:
    dimension = series.get("dimension")
    if not isinstance(dimension, h5py.Dataset) or dimension.ndim != 1 or dimension.dtype.kind not in "iu":
        return ()
    sizes = tuple(int(size) for size in dimension[:4])
    return sizes if all(size > 0 for size in sizes) else ()


def _read_channels(volume: Any) -> list[str]:
    """Names of the channels in their order."""
    listed = None if volume is None else volume.get("order_optical_channels/channels")
    if not isinstance(listed, h5py.Dataset) or listed.ndim != 1 or h5py.check_string_dtype(listed.dtype) is None:
        return []
    return [str(word) for word in listed.asstr(errors="replace")[: MOST_CHANNELS + 1]]


def _read_times(series: Any) -> tuple[np.ndarray | None, float | None]:
    start, stamps = series.get("starting_time"), series.get("timestamps")
    if is_stack(series):
        return None, None
    if isinstance(stamps, h5py.Dataset) and stamps.shape == series["data"].shape[:1]:
        times = np.asarray(stamps[()], float)
        return (times if np.isfinite(times).all() else None), None
    rate = float(start.attrs.get("rate", 0)) if isinstance(start, h5py.Dataset) else 0.0
    if not (np.isfinite(rate) and rate > 0):
        return None, None
    return None, rate
