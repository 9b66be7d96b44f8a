"""Image stacks of Micro-Manager: ``PREFIX_MMStack_Pos0.ome.tif``, with ``…_1.ome.tif`` and so on of one acquisition.

The place of every image comes from the index that the program writes into each file, or, where a file was not closed,
from the description that each image carries.
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, nan, prod
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from jaxtyping import Int, Shaped

from cender.errors import UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.formats.metadata import make_voxel, read_roles
from cender.io.recordings.formats.signatures import is_mmstack_file, list_mmstacks
from cender.io.recordings.formats.store import Index, Store

_STRIPS, _DESCRIPTION = 273, 51123
"""TIFF tags: where the pixels begin, and Micro-Manager's description of an image."""
_KEYS = ("ChannelIndex", "SliceIndex", "FrameIndex", "PositionIndex")
_MOST_TAGS = 200
"""Tags that a sound image has at most."""
_MOST_TEXT_BYTES = 2**24
"""Longest description that is read."""
_MOST_PER_AXIS = 10_000
"""Longest axis that a summary is believed."""


def load_mmstack(path: Path, params: RecordingParams) -> Store:
    """The array ``t c z y x`` of one stage position, over all files of the acquisition that lie beside each other."""
    files = _list_acquisition(path) if path.is_dir() else _list_siblings(path)
    rows, summary = _read_rows(files)
    rows = _choose_position(rows, files, path)
    grid, whole = _lay_grid(rows, summary, files, path)
    page = _read_page(files[0])
    if not whole:
        raise UnreadableRecording(f"{path}: not one volume is whole; is a file of the acquisition missing beside it?")
    planes = StackPlanes(tuple(str(file) for file in files), grid[:whole], page.shape, page.dtype, page.order)
    warnings = _say_left(whole, max(len(grid), _count(summary, "Frames")))
    shape = (*planes.grid.shape[:3], *page.shape)
    return Store("TCZYX", shape, page.dtype, planes, warnings=warnings, **_read_facts(planes, summary))


@dataclass(frozen=True, slots=True)
class StackPlanes:
    """Reads images by the offset of their headers: ``grid`` has file and offset for each ``t c z``."""

    files: tuple[str, ...]
    grid: Int[np.ndarray, "t c z 2"]
    image_shape: tuple[int, int]
    dtype: np.dtype
    order: str

    def __call__(self, index: Index) -> Shaped[np.ndarray, "..."]:
        """The images at this index over T, C and Z."""
        chosen = self.grid[index]
        places = chosen.reshape(-1, 2).tolist()
        images = np.empty((len(places), *self.image_shape), self.dtype)
        for row, (number, offset) in enumerate(places):
            with Path(self.files[number]).open("rb") as file:
                file.seek(_read_header(file, offset, self.order)[_STRIPS][1])
                content = file.read(images[row].nbytes)
            images[row] = np.frombuffer(content, self.dtype).reshape(self.image_shape)
        return images.reshape(*chosen.shape[:-1], *self.image_shape)

    def describe(self, volume: int) -> dict[str, Any]:
        """What the program wrote beside the first image of a volume; empty where it wrote nothing that can be read."""
        number, offset = self.grid[volume, 0, 0].tolist()
        with Path(self.files[number]).open("rb") as file:
            count, at = _read_header(file, offset, self.order).get(_DESCRIPTION, (0, 0))
            file.seek(at)
            text = file.read(min(count, _MOST_TEXT_BYTES)).rstrip(b"\0")
        try:
            said = json.loads(text.decode("utf-8", "replace"))
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}


@dataclass(frozen=True, slots=True)
class _Page:
    shape: tuple[int, int]
    dtype: np.dtype
    order: str


def _read_header(file: Any, offset: int, order: str) -> dict[int, tuple[int, int]]:
    """Count and value (or its place) of each tag of an image's header."""
    file.seek(offset)
    (tags,) = struct.unpack(f"{order}H", file.read(2))
    if tags > _MOST_TAGS:
        raise ValueError(f"an image has {tags} tags")
    rows = struct.iter_unpack(f"{order}HHII", file.read(12 * tags))
    return {tag: (count, value) for tag, _, count, value in rows}


def _list_acquisition(folder: Path) -> list[Path]:
    """The files of the one acquisition in a folder."""
    files = list_mmstacks(folder)
    prefixes = sorted({file.name.partition("_MMStack")[0] for file in files})
    if len(prefixes) > 1:
        raise UnreadableRecording(
            f"{folder} holds {len(prefixes)} acquisitions ({', '.join(prefixes[:6])}); give one of the files, such as "
            f"{files[0].name}"
        )
    return files


def _list_siblings(path: Path) -> list[Path]:
    """The files of the acquisition that a file belongs to, itself first; alone where its name was changed."""
    prefix, word, _ = path.name.partition("_MMStack")
    if not word:
        return [path]
    others = [file for file in list_mmstacks(path.parent) if file.name.startswith(prefix + word) and file != path]
    return [path, *others]


def _read_rows(files: list[Path]) -> tuple[Int[np.ndarray, "n 6"], dict[str, Any]]:
    """For every image its channel, frame in z, volume, position, the number of its file and where its header is."""
    found: list[Any] = []
    summary: dict[str, Any] = {}
    for number, file in enumerate(files):
        if not is_mmstack_file(file):
            continue
        with file.open("rb") as opened:
            said = tifffile.read_micromanager_metadata(opened, {"Summary", "IndexMap"})
        summary = summary or dict(said.get("Summary") or {})
        index = said.get("IndexMap")
        rows = index.astype(np.int64) if index is not None and len(index) else _walk(file)
        rows = rows[rows[:, 4] > 0]
        found.append(np.column_stack([rows[:, :4], np.full(len(rows), number), rows[:, 4]]))
    rows = np.concatenate(found) if found else np.zeros((0, 6), np.int64)
    if not len(rows):
        raise UnreadableRecording(f"{files[0]} is a stack of Micro-Manager without images")
    return rows, summary


def _walk(file: Path) -> Int[np.ndarray, "n 5"]:
    """The index of a file that was not closed, from what is written beside each image."""

    def list_images() -> Iterator[tuple[int, ...]]:
        with tifffile.TiffFile(file) as tif:
            for page in tif.pages:
                if not isinstance(page, tifffile.TiffPage):
                    continue
                said = page.tags[_DESCRIPTION].value if _DESCRIPTION in page.tags else None
                if isinstance(said, dict) and set(_KEYS[:3]) <= set(said):
                    yield (*(int(said.get(key, 0)) for key in _KEYS), page.offset)

    return np.array(list(list_images()), np.int64).reshape(-1, 5)


def _choose_position(rows: Int[np.ndarray, "n 6"], files: list[Path], path: Path) -> Int[np.ndarray, "m 6"]:
    positions = np.unique(rows[:, 3])
    if len(positions) == 1:
        return rows
    mine = np.unique(rows[rows[:, 4] == 0, 3])
    if path.is_dir() or len(mine) != 1:
        names = sorted({files[int(rows[rows[:, 3] == one, 4][0])].name for one in positions})
        raise UnreadableRecording(
            f"{path} holds {len(positions)} stage positions; expected one. "
            + (f"Give one of its files: {', '.join(names[:6])}" if len(names) > 1 else "Save them to separate files")
        )
    return np.asarray(rows[rows[:, 3] == mine[0]])


def _lay_grid(
    rows: Int[np.ndarray, "n 6"], summary: dict[str, Any], files: list[Path], path: Path
) -> tuple[Int[np.ndarray, "t c z 2"], int]:
    """File and offset of every image, and how many volumes from the first on are whole."""
    channels, frames, volumes = (int(size) + 1 for size in rows[:, :3].max(axis=0))
    channels, frames = max(channels, _count(summary, "Channels")), max(frames, _count(summary, "Slices"))
    if prod((volumes, channels, frames)) > 2 * len(rows) + _MOST_PER_AXIS:
        raise UnreadableRecording(f"{path}: the index of its {len(rows)} images is damaged")
    size = np.array([file.stat().st_size for file in files])
    grid = np.zeros((volumes, channels, frames, 2), np.int64)
    grid[rows[:, 2], rows[:, 0], rows[:, 1]] = rows[:, 4:]
    there = (grid[..., 1] > 0) & (grid[..., 1] < size[grid[..., 0]])
    complete = there.all(axis=(1, 2))
    return grid, volumes if complete.all() else int(np.argmin(complete))


def _read_page(file: Path) -> _Page:
    with tifffile.TiffFile(file) as tif:
        page = tif.pages.first
        if page.samplesperpixel > 1 or page.dtype is None or page.compression != 1 or len(page.dataoffsets) != 1:
            raise UnreadableRecording(f"{file}: expected grey images without compression, as Micro-Manager writes them")
        shape = (int(page.imagelength), int(page.imagewidth))
        return _Page(shape, np.dtype(page.dtype).newbyteorder(tif.byteorder), tif.byteorder)


def _say_left(whole: int, promised: int) -> tuple[str, ...]:
    if promised <= whole:
        return ()
    return (f"{whole} of {promised} volumes are whole; the others were not recorded, or lie in a file that is missing",)


def _read_facts(planes: StackPlanes, summary: dict[str, Any]) -> dict[str, Any]:
    """Voxel size, rate and roles; the clock of the images goes before the interval that was asked for."""
    first, last, steps = planes.describe(0), planes.describe(-1), len(planes.grid) - 1
    sides = _number(summary, "PixelSize_um"), _number(first, "PixelSizeUm")
    side = next((one for one in sides if isfinite(one) and one > 0), nan)
    elapsed_ms = _number(last, "ElapsedTime-ms") - _number(first, "ElapsedTime-ms")
    interval_ms = _number(summary, "Interval_ms")
    step_ms = elapsed_ms / steps if steps and elapsed_ms > 0 else interval_ms
    names = summary.get("ChNames")
    return {
        "voxel_um": make_voxel(abs(_number(summary, "z-step_um")), side, side),
        "rate_hz": 1000 / step_ms if isfinite(step_ms) and step_ms > 0 else None,
        "roles": read_roles([str(name) for name in names]) if isinstance(names, list) else None,
    }


def _count(summary: dict[str, Any], key: str) -> int:
    """A size that the description of the acquisition gives; 0 where it gives none that can be."""
    value = _number(summary, key)
    return int(value) if isfinite(value) and 0 < value <= _MOST_PER_AXIS else 0


def _number(said: dict[str, Any], key: str) -> float:
    try:
        return float(said.get(key))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return nan
