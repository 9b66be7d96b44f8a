"""NWB files read as plain HDF5: nothing in the file can load code or a schema of its own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cender.errors import DataError
from cender.io.exchange.bounds import check_inside, check_rows
from cender.io.exchange.format import Incoming, Surroundings
from cender.io.recordings.formats.nwb import read_spacing
from cender.io.results.tables.heads import HEAD_COLUMNS, head_from_cells
from cender.types import Annotation, Annotations, Head, Regions, VoxelSize

_POINT = re.compile(r"(?:seg_)?t(?:ime)?_?point_?(\d+)", re.IGNORECASE)


def load_nwb(path: Path, around: Surroundings) -> Incoming:
    """Neurons of ``CalciumSeriesSegmentation`` by time point, with identities and names.

    Files of other programs have the row of a neuron as its identity where the segmentation is tracked, and voxels of
    which the middle is taken. Volumes are annotated in part unless the file says otherwise.
    """
    with h5py.File(path, "r") as file:
        if "nwb_version" not in file.attrs:
            raise DataError(f"{path} is HDF5 but not NWB: it has no nwb_version")
        segmentation = _find_segmentation(file, path)
        voxel = around.voxel_um or _find_voxel(segmentation)
        if voxel is None:
            raise DataError(f"{path}: no voxel size; run the recording with --set recording.voxel_um=Z,Y,X first")
        labels = _read_labels(segmentation.parent)
        tracked = "untracked" not in str(segmentation.name).lower()
        volumes: dict[int, Annotation] = {}
        names: dict[int, str] = {}
        for volume, plane in _list_planes(segmentation, path):
            one, said = _read_plane(plane, volume, voxel, tracked, f"{path}, {plane.name}")
            check_inside(one.centre_um, around, f"{path}, {plane.name}")
            volumes[volume] = one
            names |= said or {row: name for row, name in enumerate(labels) if tracked and name and row < len(one)}
        volumes, times = _add_heads(segmentation.parent, volumes, path)
        left = _list_left(file)
    return Incoming(Annotations(str(path), voxel, around.rate_hz, volumes, names=names, time_s=times), left)


def _find_segmentation(file: Any, path: Path) -> Any:
    """The group with one segmentation per time point; the tracked one where there are two."""
    found: list[Any] = []

    def note(name: str, item: Any) -> None:
        kind = item.attrs.get("neurodata_type") if isinstance(item, h5py.Group) else None
        if kind == "ImageSegmentation" and any(_POINT.fullmatch(str(child)) for child in item):
            found.append(item)

    file.visititems(note)
    if not found:
        raise DataError(
            f"{path}: expected CalciumSeriesSegmentation with one segmentation per time point (Seg_tpoint_0 …), found "
            f"{', '.join(sorted(f'processing/{name}' for name in file.get('processing', {}))) or 'no processing'}"
        )
    return sorted(found, key=lambda one: ("untracked" in one.name.lower(), one.name))[0]


def _list_planes(segmentation: Any, path: Path) -> Iterator[tuple[int, Any]]:
    numbered = {int(match[1]): name for name in segmentation if (match := _POINT.fullmatch(str(name)))}
    check_rows(path, str(segmentation.name), len(numbered))
    for volume, name in sorted(numbered.items()):
        plane = segmentation[name]
        if isinstance(plane, h5py.Group):
            yield volume, plane


def _find_voxel(segmentation: Any) -> VoxelSize | None:
    for name in segmentation:
        plane = segmentation[name]
        for link in ("imaging_plane", "imaging_volume"):
            if isinstance(plane, h5py.Group) and link in plane:
                return read_spacing(plane[link])
    return None


def _read_plane(
    plane: Any, volume: int, voxel: VoxelSize, tracked: bool, where: str
) -> tuple[Annotation, dict[int, str]]:
    columns = _read_columns(plane, where)
    if all(f"{axis}_um" in columns for axis in "zyx"):
        centre = np.stack([columns[f"{axis}_um"] for axis in "zyx"], axis=1).astype(float)
    else:
        centre = _read_masks(plane, where) * np.array(voxel)
    count = len(centre)
    ids = columns.get("identity", np.arange(count) if tracked else np.full(count, -1))
    probability = columns.get("probability", np.ones(count)).astype(float)
    if len(ids) != count or len(probability) != count or not np.isfinite(centre).all():
        raise DataError(f"{where}: expected {count} rows of finite numbers in every column")
    given = ids.astype(int)
    labels = columns.get("label", np.array([""] * count, object))
    names = {int(number): str(name) for number, name in zip(given, labels, strict=True) if number >= 0 and name}
    regions = _read_boxes(plane, count, where)
    return Annotation(volume, centre, given, probability, regions, complete=False, voxel_um=voxel), names


def _read_columns(plane: Any, where: str) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for name in ("identity", "probability", "label", "z_um", "y_um", "x_um"):
        if isinstance(plane.get(name), h5py.Dataset):
            found[name] = _read(plane[name], where)
    return found


def _read(dataset: Any, where: str) -> np.ndarray:
    check_rows(Path(where), str(dataset.name), int(dataset.size or 0))
    if dataset.ndim != 1 and dataset.name.rsplit("/")[-1] != "boxes":
        raise DataError(f"{where}, {dataset.name}: expected one value per row, found {dataset.shape}")
    if h5py.check_string_dtype(dataset.dtype) is not None:
        return np.array(dataset.asstr(errors="replace")[()], object)
    return np.asarray(dataset[()])


def _read_masks(plane: Any, where: str) -> np.ndarray:
    """Middle of the voxels of every neuron, ``z y x`` in pixels; the fields are taken by their names."""
    masks, ends = plane.get("voxel_mask"), plane.get("voxel_mask_index")
    if not isinstance(masks, h5py.Dataset) or not {"x", "y", "z"} <= set(masks.dtype.names or ()):
        raise DataError(f"{where}: expected voxel_mask with x, y and z, found {', '.join(sorted(plane))}")
    voxels = _read(masks, where)
    stops = np.arange(1, len(voxels) + 1) if ends is None else _read(ends, where).astype(np.int64)
    if len(stops) and (stops[-1] != len(voxels) or (np.diff(stops, prepend=0) <= 0).any()):
        raise DataError(f"{where}: voxel_mask_index does not fit the {len(voxels)} voxels of voxel_mask")
    owner = np.repeat(np.arange(len(stops)), np.diff(stops, prepend=0))
    count = np.bincount(owner, minlength=len(stops))
    return np.stack([np.bincount(owner, voxels[axis], len(stops)) / count for axis in "zyx"], axis=1)


def _read_boxes(plane: Any, count: int, where: str) -> Regions:
    boxes, ends = plane.get("boxes"), plane.get("boxes_index")
    if not isinstance(boxes, h5py.Dataset) or not isinstance(ends, h5py.Dataset):
        return Regions.empty()
    table, stops = _read(boxes, where), _read(ends, where).astype(np.int64)
    sizes = np.diff(stops, prepend=0)
    if table.ndim != 2 or table.shape[1] != 5 or len(stops) != count or (sizes < 0).any() or sizes.sum() != len(table):
        raise DataError(f"{where}: boxes and boxes_index do not fit {count} neurons")
    owner = np.repeat(np.arange(count), sizes)
    return Regions.from_boxes(table[:, 0].astype(int), table[:, 1:].astype(float), neuron=owner)


def _read_labels(module: Any) -> list[str]:
    """Cell names of tracked neurons by row, as ``NeuronIDs`` has them."""
    labels = module.get("NeuronIDs/labels")
    if not isinstance(labels, h5py.Dataset) or h5py.check_string_dtype(labels.dtype) is None or labels.ndim != 1:
        return []
    words = [str(word).strip() for word in _read(labels, str(labels.name))]
    return [word if words.count(word) == 1 else "" for word in words]


def _add_heads(
    module: Any, volumes: Mapping[int, Annotation], path: Path
) -> tuple[dict[int, Annotation], dict[int, float]]:
    """Heads, completeness and times of our own table ``Volumes``."""
    table = module.get("Volumes")
    if not isinstance(table, h5py.Group) or "volume" not in table:
        return dict(volumes), {}
    where = f"{path}, {table.name}"
    wanted = ("volume", "time_s", "complete", "flagged", *HEAD_COLUMNS)
    columns = {name: _read(table[name], where) for name in wanted if name in table}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1 or len(columns) < len(wanted):
        raise DataError(f"{where}: expected the columns {', '.join(wanted)} of one length")
    found, times = dict(volumes), {}
    for row in range(lengths.pop()):
        cells: dict[str, Any] = {name: column[row] for name, column in columns.items()}
        volume = int(cells["volume"])
        times[volume] = float(cells["time_s"])
        numbers = {name: None if _is_nan(cells[name]) else float(cells[name]) for name in HEAD_COLUMNS[:-1]}
        head: Head | None = head_from_cells({**numbers, "outline": cells["outline"]}, where)
        one = found.get(volume) or Annotation.from_points(volume, np.zeros((0, 3)))
        found[volume] = replace(one, head=head, complete=bool(cells["complete"]), flagged=bool(cells["flagged"]))
    return found, times


def _is_nan(value: Any) -> bool:
    return bool(np.isnan(float(value)))


def _list_left(file: Any) -> tuple[str, ...]:
    """What the file holds beside segmentation: traces and images stay there."""
    left: list[str] = []

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Group) and item.attrs.get("neurodata_type") == "RoiResponseSeries":
            left.append(name.split("/")[-1])

    file.visititems(note)
    images = [f"images {name}" for name in file.get("acquisition", {})]
    return tuple(dict.fromkeys([*left, *images]))
