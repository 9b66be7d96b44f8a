"""Folders of TIFF files: one file per volume, or one file per frame."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from jaxtyping import Shaped

from cender.errors import UnreadableRecording
from cender.io.atomic import write_folder
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import UNKNOWN, format_shape
from cender.io.recordings.formats.metadata import read_roles
from cender.io.recordings.formats.numbered import Place, fill_grid, read_numbers
from cender.io.recordings.formats.signatures import TIFF_SUFFIXES
from cender.io.recordings.formats.store import Index, Store
from cender.io.recordings.formats.tiff.file import load_tiff, save_tiff
from cender.types import Recording

_MICRO_MANAGER = re.compile(r"img_(\d{9})_(.*)_(\d{3})")


def load_tiff_folder(path: Path, params: RecordingParams) -> Store:
    """The array that the TIFF files of a folder make together, in the order of the numbers in their names."""
    files = sorted(
        file for file in path.iterdir() if file.suffix.lower() in TIFF_SUFFIXES and not file.name.startswith(".")
    )
    axes, places, channels = _read_names(path, files)
    first = load_tiff(files[0], RecordingParams())
    if channels:
        first = replace(first, roles=read_roles(channels))
    if first.shape[:-2] and prod(first.shape[:-2]) > 1:
        return _stack_volumes(path, places, axes, first)
    return _stack_slices(path, places, axes, first)


def save_tiff_volumes(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write one OME-TIFF file per volume."""
    digits = max(4, len(str(len(recording) - 1)))
    with write_folder(path) as part:
        for index in range(len(recording)):
            save_tiff(
                recording.limited(index, index + 1),
                part / f"volume_{index:0{digits}}.ome.tif",
                lambda _: None,
            )
            on_volume(index)


def save_tiff_slices(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write one plain TIFF a frame, named after time, channel and z."""
    digits = max(4, len(str(len(recording) - 1)))
    with write_folder(path) as part:
        for volume in recording:
            for c, z in np.ndindex(*recording.shape[1:3]):
                name = f"t{volume.index:0{digits}}_c{c}_z{z:02}.tif"
                tifffile.imwrite(part / name, volume.data[c, z], photometric="minisblack", metadata=None)
            on_volume(volume.index)


@dataclass(frozen=True, slots=True)
class SliceReader:
    """Reads frames that each have a file of their own."""

    files: np.ndarray
    image_shape: tuple[int, int]
    dtype: np.dtype

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over all axes but the last two."""
        chosen = np.asarray(self.files[index])
        images = np.empty((chosen.size, *self.image_shape), self.dtype)
        for row, file in enumerate(chosen.ravel()):
            image = tifffile.imread(file)
            if image.shape != self.image_shape or image.dtype != self.dtype.newbyteorder("="):
                raise ValueError(
                    f"{file} is {format_shape(image.shape)} {image.dtype}, the first is "
                    f"{format_shape(self.image_shape)} {self.dtype}"
                )
            images[row] = image
        return images.reshape(*chosen.shape, *self.image_shape)


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads volumes that each have a file of their own."""

    files: np.ndarray
    shape: tuple[int, ...]

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over all axes but the last two."""
        outer = self.files.ndim
        chosen = np.asarray(self.files[index[:outer]])
        parts = [self._read_file(file, index[outer:]) for file in chosen.ravel()]
        return np.stack(parts).reshape(*chosen.shape, *parts[0].shape)

    def _read_file(self, file: str, index: Index) -> Shaped[np.ndarray, "..."]:
        store = load_tiff(Path(file), RecordingParams())
        if store.shape != self.shape:
            raise ValueError(f"{file} is {format_shape(store.shape)}, the first file {format_shape(self.shape)}")
        return store.read(index)


def _read_names(folder: Path, files: list[Path]) -> tuple[str, dict[Place, Path], list[str]]:
    """Axes that the names number, the file at each place, and channels that they name; one number alone gives ``?``."""
    named = [_MICRO_MANAGER.fullmatch(file.stem) for file in files]
    channels = sorted({match[2] for match in named if match})
    axes, found = read_numbers([file.stem for file in files])
    if all(named):
        # Micro-Manager 1.4, one file per image: img_000000012_mNeptune_003.
        axes = "TCZ"
        found = [(int(match[1]), channels.index(match[2]), int(match[3])) for match in named if match]
    else:
        channels = []
    places: dict[Place, Path] = {}
    for file, place in zip(files, found or [_last_number(folder, file) for file in files], strict=True):
        if place in places:
            raise UnreadableRecording(
                f"{folder}: {places[place].name} and {file.name} have the same number; expected one "
                "sequence, named "
                "like t0001_c0_z03.tif"
            )
        places[place] = file
    return axes or UNKNOWN, places, channels


def _last_number(folder: Path, file: Path) -> Place:
    numbers = re.findall(r"\d+", file.name.split(".ome.")[0].removesuffix(file.suffix))
    if not numbers:
        raise UnreadableRecording(
            f"{folder}: {file.name} has no number in its name; expected names like t0001_c0_z03.tif, or, where this "
            f"file is the whole recording, {file} itself instead of its folder"
        )
    return (int(numbers[-1]),)


def _stack_slices(folder: Path, places: dict[Place, Path], axes: str, first: Store) -> Store:
    grid, warnings = fill_grid(str(folder), {place: str(file) for place, file in places.items()}, axes)
    if axes == UNKNOWN:
        axes = "N"
    if not _is_readable(grid.ravel()[-1]) and axes in ("T", "N") and grid.size > 1:
        grid = grid[:-1]
        warnings = (*warnings, "the last file cannot be read (still being written?) and is left out")
    image: tuple[int, int] = (first.shape[-2], first.shape[-1])
    read = SliceReader(grid, image, first.dtype.newbyteorder("="))
    return Store(
        f"{axes}YX",
        (*grid.shape, *image),
        read.dtype,
        read,
        voxel_um=first.voxel_um,
        roles=first.roles,
        warnings=warnings,
        kind="tiff-slices",
    )


def _stack_volumes(folder: Path, places: dict[Place, Path], axes: str, first: Store) -> Store:
    axes = "T" if axes == UNKNOWN else axes
    grid, warnings = fill_grid(str(folder), {place: str(file) for place, file in places.items()}, axes)
    if grid.shape[0] > 1 and not _is_alike(grid[-1].ravel() if grid.ndim > 1 else grid[-1:], first.shape):
        grid = grid[:-1]
        warnings = (*warnings, "the last volume cannot be read whole (still being written?) and is left out")
    inner = first.axes
    if inner == f"{UNKNOWN}YX" and "Z" not in axes:
        inner = "ZYX"
    if inner[0] == "T" and "T" in axes and "Z" not in inner:
        # Software that knows no z calls the frames of a stack time points; here every file is a time point
        # already.
        inner = inner.replace("T", "Z")
    if set(inner[:-2]) & set(axes):
        raise UnreadableRecording(
            f"{folder}: the names number {axes} and each file has {inner} again; expected one volume per file, "
            "or one file"
        )
    store = replace(first, axes=axes + inner, shape=(*grid.shape, *first.shape), times_s=None, kind="tiff-folder")
    return replace(store, read=FileReader(grid, first.shape), warnings=(*first.warnings, *warnings))


def _is_readable(file: Any) -> bool:
    try:
        tifffile.imread(file)
    except (tifffile.TiffFileError, ValueError, IndexError, OSError):
        return False
    return True


def _is_alike(files: Iterable[Any], shape: tuple[int, ...]) -> bool:
    try:
        return all(load_tiff(Path(file), RecordingParams()).shape == shape for file in files)
    except (UnreadableRecording, OSError):
        return False
