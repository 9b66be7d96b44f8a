"""OME-Zarr: NGFF 0.4 (Zarr v2) and 0.5 (Zarr v3), and plain Zarr arrays."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil, isfinite, nan, prod
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from jaxtyping import Shaped

from cender.errors import UnreadableRecording
from cender.io.atomic import write_folder
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.metadata import convert_s, convert_um, make_voxel, read_roles
from cender.io.recordings.formats.own import unpack_facts
from cender.io.recordings.formats.store import Index, Store
from cender.types import Recording

# More files than this are not looked for one by one.
_MOST_CHUNKS = 2_000_000
_ERRORS = (ValueError, KeyError, TypeError, OSError, IndexError, AttributeError)


def load_zarr(path: Path, params: RecordingParams) -> Store:
    """The largest resolution of the first picture of an OME-Zarr folder, or the array that the user names."""
    try:
        node = zarr.open(str(path), mode="r")
        attributes = dict(node.attrs)
    except _ERRORS as error:
        raise UnreadableRecording(f"{path} has Zarr's files but cannot be opened: {error}") from error
    if isinstance(node, zarr.Array):
        return _describe(path, "", node, {})
    scales = _find_scales(attributes)
    name = params.dataset or (str(scales["datasets"][0]["path"]) if scales else _only_array(path, node))
    if name not in node or not isinstance(node[name], zarr.Array):
        raise UnreadableRecording(f"{path} has no array {name!r}; it has: {_list_arrays(node)}")
    return _describe(path, name, node[name], attributes)


def save_zarr(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write OME-Zarr 0.5 with one chunk per volume and channel."""
    with write_folder(path) as part:
        group = zarr.open_group(str(part), mode="w", zarr_format=3)
        array = group.create_array(
            "0",
            shape=recording.shape,
            dtype=recording.dtype,
            chunks=(1, 1, *recording.shape[2:]),
            dimension_names=list("tczyx"),
            fill_value=0,
            config={"write_empty_chunks": True},
        )
        for volume in recording:
            array[volume.index] = volume.data
            on_volume(volume.index)
        group.attrs.update(_compose(recording))


@dataclass(frozen=True, slots=True)
class ArrayReader:
    """Reads the chunks that a part of an array lies in; nothing stays open."""

    path: Path
    name: str

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The part at this index over all axes but the last two."""
        node: Any = zarr.open(str(self.path), mode="r")
        array = node[self.name] if self.name else node
        return np.asarray(array[index])


def _compose(recording: Recording) -> dict[str, Any]:
    # The format wants a step for every axis; one of 1 without a unit says nothing about sizes.
    steps = [1.0] * 5
    axes: list[dict[str, str]] = [{"name": "t", "type": "time"}, {"name": "c", "type": "channel"}]
    axes += [{"name": letter, "type": "space"} for letter in "zyx"]
    if recording.rate_hz:
        axes[0]["unit"] = "second"
        steps[0] = 1 / recording.rate_hz
    if recording.voxel_um is not None:
        for axis in axes[2:]:
            axis["unit"] = "micrometer"
        steps[2:] = map(float, recording.voxel_um)
    scale = {"type": "scale", "scale": steps}
    ome: dict[str, Any] = {
        "version": "0.5",
        "multiscales": [{"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [scale]}]}],
    }
    if recording.roles is not None:
        ome["omero"] = {"channels": [_draw_channel(role, recording.dtype) for role in recording.roles]}
    own = {} if recording.times_s is None else {"cender": {"times_s": [float(time) for time in recording.times_s]}}
    return {"ome": ome, **own}


def _draw_channel(role: str, dtype: np.dtype) -> dict[str, Any]:
    colour = {"red": "FF0000", "green": "00FF00"}.get(role, "FFFFFF")
    top = float(np.iinfo(dtype).max) if dtype.kind in "iu" else 1.0
    window = {"start": 0.0, "end": top, "min": 0.0, "max": top}
    return {"label": role, "color": colour, "active": True, "window": window}


def _describe(path: Path, name: str, array: Any, attributes: Mapping[str, Any]) -> Store:
    if array.ndim < 3:
        raise UnreadableRecording(
            f"{path}: its array has shape {format_shape(array.shape)}; a recording has at least three dimensions"
        )
    scales = _find_scales(attributes)
    dimensions = [str(word or "") for word in getattr(array.metadata, "dimension_names", None) or []]
    try:
        axes, said = _read_scales(scales, name) if scales else ("", {})
    except _ERRORS as error:
        raise UnreadableRecording(f"{path}: its OME-Zarr metadata cannot be understood: {error!r}") from error
    if len(axes) != array.ndim:
        axes = "".join(word[:1].upper() if word[:1].upper() in tuple("TCZYX") else UNKNOWN for word in dimensions)
    if len(axes) != array.ndim or not set("YX") <= set(axes):
        axes = UNKNOWN * array.ndim
    omero = _ome(attributes).get("omero", {}).get("channels", [])
    own = attributes.get("cender", {})
    times = own.get("times_s")
    written, warnings = _count_written(path / name if name else path, array)
    return Store(
        axes,
        (written, *array.shape[1:]),
        np.dtype(array.dtype),
        ArrayReader(path, name),
        times_s=None if times is None else np.asarray(times, float),
        roles=read_roles([str(channel.get("label", "")) for channel in omero]),
        warnings=warnings,
        any_index=True,
        **(said or unpack_facts(dict(array.attrs))),
    )


def _ome(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    found = attributes.get("ome", attributes)
    return found if isinstance(found, Mapping) else {}


def _find_scales(attributes: Mapping[str, Any]) -> Any:
    scales = _ome(attributes).get("multiscales")
    return scales[0] if isinstance(scales, list) and scales and scales[0].get("datasets") else None


def _read_scales(scales: Any, name: str) -> tuple[str, dict[str, Any]]:
    """Axes and sizes that the metadata of a multi-resolution picture give for one of its arrays."""
    listed = [axis if isinstance(axis, dict) else {"name": axis} for axis in scales.get("axes", [])]
    axes = "".join(str(axis.get("name", UNKNOWN))[:1].upper() for axis in listed)
    axes = "".join(letter if letter in "TCZYX" else UNKNOWN for letter in axes)
    factors = np.ones(len(listed))
    dataset: dict[str, Any] = next((d for d in scales["datasets"] if str(d["path"]) == name), {})
    for change in [
        *dataset.get("coordinateTransformations", []),
        *scales.get("coordinateTransformations", []),
    ]:
        if change.get("type") == "scale":
            factors *= np.asarray(change["scale"], float)
    units = {letter: (float(factors[i]), listed[i].get("unit")) for i, letter in enumerate(axes)}
    sides = [convert_um(*units.get(letter, (nan, None))) for letter in "ZYX"]
    step_s = convert_s(*units.get("T", (nan, None)))
    return axes, {"voxel_um": make_voxel(*sides), "rate_hz": 1 / step_s if isfinite(step_s) else None}


def _list_arrays(group: Any) -> str:
    return "; ".join(f"{name} ({format_shape(array.shape)})" for name, array in group.arrays()) or "no array"


def _only_array(path: Path, group: Any) -> str:
    names = [str(name) for name, array in group.arrays() if array.ndim >= 3]
    if len(names) != 1:
        raise UnreadableRecording(
            f"{path} is a Zarr group without OME metadata and has {_list_arrays(group)}; choose with --set "
            "recording.dataset=NAME"
        )
    return names[0]


def _count_written(folder: Path, array: Any) -> tuple[int, tuple[str, ...]]:
    """Steps of the first axis with any data on disk: a growing array is made longer before it is filled."""
    count, steps = int(array.shape[0]), getattr(array, "shards", None) or array.chunks
    if prod(ceil(size / step) for size, step in zip(array.shape, steps, strict=True)) > _MOST_CHUNKS:
        return count, ()
    written = count
    while written and not any(path.exists() for path in _chunk_files(folder, array, steps, written - 1)):
        written -= 1
    if written in (0, count):
        return count, ()
    return written, (f"the last {count - written} of {count} volumes are empty (not written yet?) and are left out",)


def _chunk_files(folder: Path, array: Any, steps: tuple[int, ...], step: int) -> Iterator[Path]:
    grid = [range(ceil(size / chunk)) for size, chunk in zip(array.shape[1:], steps[1:], strict=True)]
    for corner in product(*grid):
        yield folder / array.metadata.encode_chunk_key((step // steps[0], *corner))
