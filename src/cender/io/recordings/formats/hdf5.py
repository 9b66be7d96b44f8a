"""HDF5: ZephIR's ``data`` (T,C,Z,Y,X) with ``times``, our own files, any dataset, or one dataset per volume."""

from collections import Counter
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
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape, guess_layout
from cender.io.recordings.formats.families import Family, find_family
from cender.io.recordings.formats.guarded import GuardedFile
from cender.io.recordings.formats.own import (
    TIMES,
    choose_voxel_size,
    is_voxel_name,
    pack_facts,
    unpack_axes,
    unpack_facts,
)
from cender.io.recordings.formats.signatures import is_hdf5
from cender.io.recordings.formats.store import Index, Store
from cender.types import Recording

_ZEPHIR = "data"
"""Name of the dataset in ZephIR's files, which is also the one we write."""
# A dataset with so many times the numbers of any other is the recording.
_CLEARLY_LARGEST = 20


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """An HDF5 file for reading, also while another program is writing to it."""
    try:
        file = h5py.File(path, "r")
    except OSError as first:
        if path.is_file() and not is_hdf5(path):
            raise UnreadableRecording(f"{path} is not an HDF5 file: it does not begin as these do") from first
        try:
            file = h5py.File(path, "r", swmr=True, locking=False)
        except OSError:
            raise UnreadableRecording(
                f"{path} cannot be opened as HDF5; it is truncated, or another program is writing it: {first}"
            ) from first
    with file:
        yield file


@contextmanager
def inspect_hdf5(path: Path) -> Iterator[Any]:
    """The same for reading what a file says of itself: damage over which HDF5's library would hang is an error.

    A file that another program is writing is read as it is.
    """
    with open_hdf5(path) as file:
        if file.swmr_mode:
            yield file
        else:
            with GuardedFile(path) as guarded, h5py.File(guarded, "r") as checked:
                yield checked


def load_hdf5(path: Path, params: RecordingParams) -> Store:
    """The dataset of an HDF5 file that holds the recording, with its facts."""
    with inspect_hdf5(path) as file:
        datasets = list_datasets(file)
        family = find_family(path, datasets, params.dataset) if _ZEPHIR not in datasets else None
        if family is not None:
            return _stack_datasets(path, datasets, family)
        dataset = _choose(datasets, path, params.dataset)
        name = dataset.name.lstrip("/")
        whole, warnings = _count_written(dataset)
        facts = dict(dataset.attrs)
        said = unpack_facts(facts)
        times = _read_times(dataset)
        shape = (whole, *dataset.shape[1:])
        axes = unpack_axes(facts, dataset.ndim) or _read_labels(dataset)
        if axes is None:
            zephir = name == _ZEPHIR and dataset.ndim == 5 and guess_layout(shape) in ("TCZYX", "TZCYX")
            axes = "TCZYX" if zephir else UNKNOWN * dataset.ndim
        reader = DatasetReader(path, name)
        said = _read_voxel(file, datasets, dataset) | said
        return Store(axes, shape, dataset.dtype, reader, times_s=times, warnings=warnings, any_index=True, **said)


def save_hdf5(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write ZephIR's layout, one chunk per volume and channel, with our facts as attributes."""
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
        """The part at this index over the first axes or all of them."""
        with open_hdf5(self.path) as file:
            return np.asarray(file[self.name][index])


@dataclass(frozen=True, slots=True)
class FamilyReader:
    """Reads volumes that each have a dataset of their own; ``names`` has one dimension per number in the names."""

    path: Path
    names: np.ndarray
    shape: tuple[int, ...]

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The part at this index over the first axes or all of them."""
        chosen = np.asarray(self.names[index[: self.names.ndim]])
        inner = index[self.names.ndim :]
        with open_hdf5(self.path) as file:
            parts = [self._read(file[name], inner) for name in chosen.ravel()]
        return np.stack(parts).reshape(*chosen.shape, *parts[0].shape)

    def _read(self, dataset: Any, index: Index) -> Shaped[np.ndarray, "..."]:
        if dataset.shape != self.shape:
            name, first = dataset.name, format_shape(self.shape)
            raise ValueError(f"dataset {name} is {format_shape(dataset.shape)}, the first one {first}")
        return np.asarray(dataset[index])


def _stack_datasets(path: Path, datasets: dict[str, Any], family: Family) -> Store:
    first = datasets[str(family.names.ravel()[0])]
    inner = unpack_axes(dict(first.attrs), first.ndim) or _read_labels(first) or UNKNOWN * first.ndim
    said = (
        _read_voxel(first.file, datasets, first)
        | unpack_facts(dict(first.file.attrs))
        | unpack_facts(dict(first.attrs))
    )
    times = first.file.get(TIMES)
    reader = FamilyReader(path, family.names, first.shape)
    shape = (*family.names.shape, *first.shape)
    return Store(
        family.axes + inner,
        shape,
        first.dtype,
        reader,
        times_s=_read_numbers(times),
        warnings=family.warnings,
        kind="hdf5-volumes",
        any_index=True,
        **said,
    )


def _read_voxel(file: Any, datasets: dict[str, Any], dataset: Any) -> dict[str, Any]:
    """A voxel size that stands in a small dataset or an attribute with a telling name."""
    found: dict[str, Any] = {}
    for owner in (dataset, dataset.parent, file):
        found |= {name: owner.attrs[name] for name in owner.attrs if is_voxel_name(name)}
    found |= {name: one[()] for name, one in datasets.items() if one.size == 3 and is_voxel_name(name.split("/")[-1])}
    return choose_voxel_size({name: np.asarray(value) for name, value in found.items()})


def list_datasets(file: Any) -> dict[str, Any]:
    """All datasets of a file by name, those of MATLAB's own store apart."""
    found: dict[str, Any] = {}

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and not name.startswith("#"):
            found[name] = item

    file.visititems(note)
    return found


def _choose(datasets: dict[str, Any], path: Path, wanted: str | None) -> Any:
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
    largest = sorted(fitting, key=lambda name: fitting[name].size)
    if len(fitting) > 1 and fitting[largest[-1]].size >= _CLEARLY_LARGEST * fitting[largest[-2]].size:
        return fitting[largest[-1]]
    if not fitting:
        raise UnreadableRecording(
            f"{path} has no dataset of images (three or more dimensions of numbers); it has: {listing}"
        )
    raise UnreadableRecording(
        f"{path} has several datasets that may be the recording: {listing}; choose one with --set "
        "recording.dataset=NAME, or several as its channels with recording.dataset=NAME,NAME"
    )


def _count_written(dataset: Any) -> tuple[int, tuple[str, ...]]:
    """Steps of the first axis with data: a growing dataset is made longer before it is filled."""
    count = int(dataset.shape[0])
    if dataset.chunks is None or dataset.chunks[0] != 1 or dataset.external:
        return count, ()
    per_step = prod(-(-size // step) for size, step in zip(dataset.shape[1:], dataset.chunks[1:], strict=True))
    if dataset.id.get_num_chunks() >= count * per_step:
        return count, ()
    written = _last_whole(dataset, per_step)
    if written == count:
        return count, ()
    if written == 0:
        return count, ("nothing has been written into the dataset yet",)
    return written, (f"the last {count - written} of {count} volumes are not written yet and are left out",)


def _last_whole(dataset: Any, per_step: int) -> int:
    """Steps of the first axis up to the last one whose chunks are all there; only what is there is counted."""
    found: Counter[int] = Counter()

    def note(chunk: Any) -> None:
        found[int(chunk.chunk_offset[0])] += 1

    dataset.id.chunk_iter(note)
    return max((step + 1 for step, chunks in found.items() if chunks >= per_step), default=0)


def _read_times(dataset: Any) -> Float[np.ndarray, " t"] | None:
    return _read_numbers(dataset.parent.get(TIMES))


def _read_numbers(times: Any) -> Float[np.ndarray, " t"] | None:
    if not isinstance(times, h5py.Dataset) or times.ndim != 1 or times.dtype.kind not in "iuf":
        return None
    return np.asarray(times[()], float)


def _read_labels(dataset: Any) -> str | None:
    labels = "".join(str(dimension.label).upper()[:1] or UNKNOWN for dimension in dataset.dims)
    return unpack_axes({"axes": labels}, dataset.ndim)
