"""HDF5: ZephIR's ``data`` (T,C,Z,Y,X) with ``times``, our own files, or any dataset that the user names."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from jaxtyping import Float, Shaped

from cender.errors import UnreadableRecording
from cender.io.atomic import write_atomically
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.own import TIMES, pack_facts, unpack_axes, unpack_facts
from cender.io.recordings.formats.store import Index, Store
from cender.types import Recording

_ZEPHIR = "data"


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """An HDF5 file for reading, also while another program is writing to it."""
    try:
        file = h5py.File(path, "r")
    except OSError as first:
        try:
            file = h5py.File(path, "r", swmr=True, locking=False)
        except OSError:
            raise UnreadableRecording(
                f"{path} cannot be opened as HDF5; it is truncated, or another program is writing it: {first}"
            ) from first
    with file:
        yield file


def load_hdf5(path: Path, params: RecordingParams) -> Store:
    """The dataset of an HDF5 file that holds the recording, with its facts."""
    with open_hdf5(path) as file:
        dataset = _choose(file, path, params.dataset)
        name = dataset.name.lstrip("/")
        whole, warnings = _count_written(dataset)
        facts = dict(dataset.attrs)
        said = unpack_facts(facts)
        times = _read_times(dataset)
        shape = (whole, *dataset.shape[1:])
        axes = unpack_axes(facts, dataset.ndim) or _read_labels(dataset)
        if axes is None:
            axes = "TCZYX" if name == _ZEPHIR and dataset.ndim == 5 else UNKNOWN * (dataset.ndim - 2) + "YX"
        return Store(axes, shape, dataset.dtype, DatasetReader(path, name), times_s=times, warnings=warnings, **said)


def save_hdf5(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write ZephIR's layout, one chunk a volume and channel, with our facts as attributes."""
    with write_atomically(path) as part, h5py.File(part, "w") as file:
        chunk = (1, 1, *recording.shape[2:])
        data = file.create_dataset(_ZEPHIR, recording.shape, recording.dtype, chunks=chunk)
        data.attrs.update(pack_facts(recording))
        if recording.times_s is not None:
            file[TIMES] = np.asarray(recording.times_s, float)
        for volume in recording:
            data[volume.index] = volume.data
            on_volume(volume.index)


@dataclass(frozen=True, slots=True)
class DatasetReader:
    """Reads part of a dataset; the file is open only meanwhile, so it may grow and be moved."""

    path: Path
    name: str

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The part at this index over all axes but the last two."""
        with open_hdf5(self.path) as file:
            return np.asarray(file[self.name][index])


def list_datasets(file: Any) -> dict[str, Any]:
    """All datasets of a file by name, those of MATLAB's own store apart."""
    found: dict[str, Any] = {}

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and not name.startswith("#"):
            found[name] = item

    file.visititems(note)
    return found


def _choose(file: Any, path: Path, wanted: str | None) -> Any:
    datasets = list_datasets(file)
    listing = "; ".join(f"{name} ({format_shape(d.shape)}, {d.dtype})" for name, d in datasets.items()) or "none"
    if wanted is not None:
        if wanted.strip("/") not in datasets:
            raise UnreadableRecording(f"{path} has no dataset {wanted!r} (recording.dataset); it has: {listing}")
        chosen = datasets[wanted.strip("/")]
        if chosen.ndim < 3:
            raise UnreadableRecording(
                f"{path}: dataset {wanted!r} has shape {format_shape(chosen.shape)}; a recording has at "
                "least three dimensions"
            )
        return chosen
    fitting = {name: d for name, d in datasets.items() if d.ndim >= 3 and d.dtype.kind in "iuf"}
    if _ZEPHIR in fitting:
        return fitting[_ZEPHIR]
    if len(fitting) == 1:
        return next(iter(fitting.values()))
    if not fitting:
        raise UnreadableRecording(
            f"{path} has no dataset of images (three or more dimensions of numbers); it has: {listing}"
        )
    raise UnreadableRecording(
        f"{path} has several datasets that may be the recording: {listing}; choose one with --set "
        "recording.dataset=NAME"
    )


def _count_written(dataset: Any) -> tuple[int, tuple[str, ...]]:
    """Steps of the first axis with data: a growing dataset is made longer before it is filled."""
    count = int(dataset.shape[0])
    if dataset.chunks is None or dataset.chunks[0] != 1 or dataset.external:
        return count, ()
    grid = [range(0, size, step) for size, step in zip(dataset.shape[1:], dataset.chunks[1:], strict=True)]
    corners = np.array(np.meshgrid(*grid, indexing="ij")).reshape(len(grid), prod(map(len, grid))).T
    written = count
    while written and not all(_has_chunk(dataset, (written - 1, *map(int, corner))) for corner in corners):
        written -= 1
    if written == count:
        return count, ()
    if written == 0:
        return count, ("nothing has been written into the dataset yet",)
    return written, (f"the last {count - written} of {count} volumes are not written yet and are left out",)


def _has_chunk(dataset: Any, corner: tuple[int, ...]) -> bool:
    return dataset.id.get_chunk_info_by_coord(corner).byte_offset is not None


def _read_times(dataset: Any) -> Float[np.ndarray, " t"] | None:
    times = dataset.parent.get(TIMES)
    if not isinstance(times, h5py.Dataset) or times.ndim != 1 or times.dtype.kind not in "iuf":
        return None
    return np.asarray(times[()], float)


def _read_labels(dataset: Any) -> str | None:
    labels = "".join(str(dimension.label).upper()[:1] or UNKNOWN for dimension in dataset.dims)
    return unpack_axes({"axes": labels}, dataset.ndim)
