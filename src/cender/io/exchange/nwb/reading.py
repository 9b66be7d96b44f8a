"""NWB files read as plain HDF5: nothing in the file can load code or a schema of its own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cender.errors import DataError
from cender.io.exchange.bounds import check_inside, check_rows
from cender.io.exchange.format import Incoming, Surroundings
from cender.io.exchange.nwb.labels import read_column, read_list
from cender.io.exchange.nwb.masks import iterate_masks, read_voxels, settle_masks
from cender.io.exchange.nwb.volumes import add_volumes, read_numbers
from cender.io.exchange.sealed import open_sealed
from cender.io.recordings.formats.nwb import read_spacing
from cender.types import Annotation, Annotations, Regions, VoxelSize

_POINT = re.compile(r"(?:seg_)?t(?:ime)?_?point_?(\d+)", re.IGNORECASE)
_OWN = ("identity", "probability", "z_um", "y_um", "x_um")
"""Columns that cender itself adds to a segmentation."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a segmentation says: neurons by volume, names by identity, and doubts about its order of axes."""

    volumes: dict[int, Annotation]
    names: dict[int, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()


def load_nwb(path: Path, around: Surroundings) -> Incoming:
    """Neurons of ``CalciumSeriesSegmentation`` by time point, with identities and names.

    In files of other programs the row of a neuron (in images of masks: its number) is its identity where the
    segmentation is tracked, and the middle of its voxels is its place. Volumes are annotated in part unless the file
    says otherwise.
    """
    with open_sealed(path) as file:
        if "nwb_version" not in file.attrs:
            raise DataError(f"{path} is HDF5 but not NWB: it has no nwb_version")
        segmentation = _find_segmentation(file, path, around.volumes == 1)
        voxel = around.voxel_um or _find_voxel(segmentation)
        if voxel is None:
            raise DataError(f"{path}: no voxel size; run the recording with --set recording.voxel_um=Z,Y,X first")
        tracked = "untracked" not in str(segmentation.name).lower()
        labels = read_list(segmentation.parent) if tracked else []
        read = _read_series if "data" in segmentation else _read_tables
        found = read(segmentation, around, voxel, tracked, path)
        volumes, times = add_volumes(segmentation.parent, found.volumes, path)
        names = found.names or _name_rows(labels, volumes, first=1 if "data" in segmentation else 0)
        left = _list_left(file, str(segmentation.name))
    known = Annotations(str(path), voxel, around.rate_hz, volumes, names=names, time_s=times)
    return Incoming(known, left, (*found.doubts, *_find_guesses(volumes)))


def _find_guesses(volumes: Mapping[int, Annotation]) -> tuple[str, ...]:
    """A warning where a machine gave the identities: what is imported counts as a person's word."""
    sure = [one.probability[one.identity >= 0] for one in volumes.values()]
    chance = np.concatenate(sure) if sure else np.zeros(0)
    guessed = int((chance < 1).sum())
    if not guessed:
        return ()
    said = f"{guessed} of {len(chance)} identities have a probability below 1: a machine gave them"
    return (f"{said}, and now they count as a person's",)


def _find_segmentation(file: Any, path: Path, single: bool) -> Any:
    """The group of tables by time point or the series of masks; the tracked one, and tables before masks.

    For a recording of a ``single`` volume, one table for the whole (``NeuroPALNeurons``) says all.
    """
    found: list[Any] = []
    whole: list[Any] = []

    def note(name: str, item: Any) -> None:
        kind = item.attrs.get("neurodata_type") if isinstance(item, h5py.Group) else None
        tables = kind == "ImageSegmentation" and any(_POINT.fullmatch(str(child)) for child in item)
        series = kind == "MultiChannelVolumeSeries" and name.startswith("processing/") and "segment" in name.lower()
        if tables or (series and isinstance(item.get("data"), h5py.Dataset)):
            found.append(item)
        elif single and kind == "ImageSegmentation" and _list_whole(item):
            whole.append(item)

    file.visititems(note)
    if not found and len(whole) == 1:
        return whole[0]
    if not found:
        modules = [f"processing/{name}: {', '.join(item)}" for name, item in file.get("processing", {}).items()]
        raise DataError(
            f"{path}: expected CalciumSeriesSegmentation with one table per time point (Seg_tpoint_0 …) or images of "
            f"masks, found {'; '.join(modules) or 'no processing'}. One table for the whole recording says nothing of "
            "where a neuron is in each volume"
        )
    return min(found, key=lambda one: ("untracked" in one.name.lower(), "data" in one, one.name))


def _find_voxel(segmentation: Any) -> VoxelSize | None:
    for item in (segmentation, *(segmentation[name] for name in segmentation)):
        for link in ("imaging_plane", "imaging_volume"):
            if isinstance(item, h5py.Group) and link in item:
                return read_spacing(item[link])
    return None


def _read_series(series: Any, around: Surroundings, voxel: VoxelSize, tracked: bool, path: Path) -> _Found:
    """Images in which the pixels of a neuron have its number; number 1 is the first name of the list."""
    turn, doubts = settle_masks(series["data"].shape, around, f"{path}, {series.name}")
    volumes = {}
    for volume, centre_px, numbers in iterate_masks(series["data"], turn, path):
        identity = numbers if tracked else np.full(len(numbers), -1)
        if len(numbers):
            points = Annotation.from_points(volume, centre_px * np.array(voxel), identity)
            volumes[volume] = replace(points, complete=False, voxel_um=voxel)
    if not volumes:
        raise DataError(f"{path}, {series.name} says nothing: all masks are 0")
    return _Found(volumes, doubts=doubts)


def _read_tables(segmentation: Any, around: Surroundings, voxel: VoxelSize, tracked: bool, path: Path) -> _Found:
    found = _Found({})
    for volume, plane in _list_tables(segmentation, path):
        where = f"{path}, {plane.name}"
        one, names = _read_table(plane, volume, voxel, tracked, where)
        check_inside(one.centre_um, around, where)
        found.volumes[volume] = one
        found.names.update(names)
    return found


def _list_whole(segmentation: Any) -> list[Any]:
    """Tables of voxels that count no time points."""
    planes = [segmentation[name] for name in segmentation if not _POINT.fullmatch(str(name))]
    return [
        plane for plane in planes if isinstance(plane, h5py.Group) and set(plane) & {"voxel_mask", "color_voxel_mask"}
    ]


def _list_tables(segmentation: Any, path: Path) -> Iterator[tuple[int, Any]]:
    numbered = {int(match[1]): name for name in segmentation if (match := _POINT.fullmatch(str(name)))}
    if not numbered:
        yield from ((0, plane) for plane in _list_whole(segmentation)[:1])
    check_rows(path, str(segmentation.name), len(numbered))
    for volume, name in sorted(numbered.items()):
        if isinstance(segmentation[name], h5py.Group):
            yield volume, segmentation[name]


def _read_table(
    plane: Any, volume: int, voxel: VoxelSize, tracked: bool, where: str
) -> tuple[Annotation, dict[int, str]]:
    columns = {name: read_numbers(plane[name], where) for name in _OWN if isinstance(plane.get(name), h5py.Dataset)}
    if all(f"{axis}_um" in columns for axis in "zyx"):
        centre = np.stack([columns[f"{axis}_um"] for axis in "zyx"], axis=1).astype(float)
        rows = np.arange(len(centre))
    else:
        middle, rows = read_voxels(plane, where)
        centre = middle * np.array(voxel)
    count = int(rows.max(initial=-1)) + 1
    ids = columns.get("identity", np.arange(count) if tracked else np.full(count, -1))
    probability = columns.get("probability", np.ones(len(ids))).astype(float)
    if len(ids) < count or len(ids) != len(probability) or not np.isfinite(centre).all():
        raise DataError(f"{where}: expected {count} rows of finite numbers in every column")
    given = ids.astype(int)[rows]
    labels = read_column(plane, len(ids))
    said = {int(number): labels[row] for number, row in zip(given, rows, strict=True) if number >= 0 and labels[row]}
    # Boxes point at rows, and only our own tables have boxes: none of their rows is left out.
    regions = _read_boxes(plane, len(ids), where) if len(rows) == len(ids) else Regions.empty()
    return Annotation(volume, centre, given, probability[rows], regions, complete=False, voxel_um=voxel), said


def _read_boxes(plane: Any, count: int, where: str) -> Regions:
    boxes, ends = plane.get("boxes"), plane.get("boxes_index")
    if not isinstance(boxes, h5py.Dataset) or not isinstance(ends, h5py.Dataset):
        return Regions.empty()
    table, stops = read_numbers(boxes, where, columns=5), read_numbers(ends, where).astype(np.int64)
    sizes = np.diff(stops, prepend=0)
    if len(stops) != count or (sizes < 0).any() or sizes.sum() != len(table):
        raise DataError(f"{where}: boxes and boxes_index do not fit {count} neurons")
    owner = np.repeat(np.arange(count), sizes)
    return Regions.from_boxes(table[:, 0].astype(int), table[:, 1:].astype(float), neuron=owner)


def _name_rows(labels: list[str], volumes: dict[int, Annotation], first: int) -> dict[int, str]:
    used = {int(number) for one in volumes.values() for number in one.identity}
    return {number: name for number, name in enumerate(labels, first) if name and number in used}


def _list_left(file: Any, taken: str) -> tuple[str, ...]:
    """What the file holds beside the segmentation that was read: traces, images and other segmentations stay there."""
    left: list[str] = []

    def note(name: str, item: Any) -> None:
        kind = item.attrs.get("neurodata_type") if isinstance(item, h5py.Group) else None
        if kind == "RoiResponseSeries":
            left.append(name.split("/")[-1])
        elif kind == "ImageSegmentation" and f"/{name}" != taken and not name.endswith("/TrackedNeurons"):
            left.append(name.removeprefix("processing/"))

    file.visititems(note)
    images = [f"images {name}" for name in file.get("acquisition", {})]
    return tuple(dict.fromkeys([*left, *images]))
