"""NPZ: an archive of numpy arrays, one of them the recording."""

import zipfile
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cender.errors import UnreadableRecording
from cender.io.atomic import write_atomically
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.axes import format_shape
from cender.io.recordings.formats.npy import describe_array, read_header, write_array
from cender.io.recordings.formats.own import (
    TIMES,
    choose_voxel_size,
    is_voxel_name,
    pack_facts,
    unpack_axes,
    unpack_facts,
)
from cender.io.recordings.formats.store import Store
from cender.io.recordings.formats.unpack import unpack_once
from cender.types import Recording

_FACTS = ("axes", "voxel_um", "rate_hz", "roles", TIMES)
_LOCAL_HEADER = 30
"""Bytes of the fixed part of a file's header in a ZIP archive."""
_BLOCK = 2**22
"""Bytes that are unpacked at a time."""
# Time stamps of a very long recording fit; a bomb does not.
_MOST_FACT_BYTES = 2**26
# An array with so many times the numbers of all others is the recording.
_CLEARLY_LARGEST = 20


def load_npz(path: Path, params: RecordingParams) -> Store:
    """The array of an NPZ file that holds the recording, with the facts beside it."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise UnreadableRecording(f"{path} is a truncated or damaged NPZ file: {error}") from error
    with archive:
        headers = {name.removesuffix(".npy"): _read_shape(archive, name, path) for name in archive.namelist()}
        name = _choose(path, {name: shape for name, shape in headers.items() if shape}, params.dataset)
        small = {
            key: _read_small(archive, f"{key}.npy", path) for key in headers if is_voxel_name(key) and key not in _FACTS
        }
        facts = {key: _read_small(archive, f"{key}.npy", path) for key in _FACTS if key in headers}
        store = _describe(path, archive, archive.getinfo(f"{name}.npy"))
    times = facts.pop(TIMES, None)
    return Store(
        unpack_axes(facts, len(store.shape)) or store.axes,
        store.shape,
        store.dtype,
        store.read,
        times_s=None if times is None or times.ndim != 1 or times.dtype.kind not in "iuf" else times.astype(float),
        warnings=(*(_say_others(name, headers) if params.dataset is None else ()), *store.warnings),
        any_index=store.any_index,
        **choose_voxel_size(small) | unpack_facts(facts),
    )


def save_npz(recording: Recording, path: Path, on_volume: Callable[[int], None]) -> None:
    """Write an uncompressed archive, which can be read by the volume, with all that is known."""
    facts: dict[str, Any] = pack_facts(recording)
    if recording.times_s is not None:
        facts[TIMES] = np.asarray(recording.times_s, float)
    with write_atomically(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as archive:
        for name, value in facts.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(value), allow_pickle=False)
        with archive.open("data.npy", "w", force_zip64=True) as member:
            write_array(recording, member, on_volume)


def _describe(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Store:
    if member.compress_type != zipfile.ZIP_STORED:
        return _describe_packed(path, member)
    with path.open("rb") as file:
        file.seek(member.header_offset)
        fixed = file.read(_LOCAL_HEADER)
        begin = (
            member.header_offset
            + _LOCAL_HEADER
            + int.from_bytes(fixed[26:28], "little")
            + int.from_bytes(fixed[28:30], "little")
        )
        file.seek(begin)
        shape, fortran, dtype = read_header(file, path)
        offset = file.tell()
    return describe_array(path, offset, shape, fortran, dtype, member.file_size - (offset - begin))


def _describe_packed(path: Path, member: zipfile.ZipInfo) -> Store:
    def unpack(target: BinaryIO) -> None:
        try:
            with zipfile.ZipFile(path) as archive, archive.open(member.filename) as source:
                while block := source.read(_BLOCK):
                    target.write(block)
        except (zipfile.BadZipFile, EOFError) as error:
            raise UnreadableRecording(f"{path}: its array {member.filename} is damaged: {error}") from error

    unpacked = unpack_once(path, member.filename, member.file_size, unpack)
    with unpacked.open("rb") as file:
        shape, fortran, dtype = read_header(file, path)
        offset = file.tell()
    return describe_array(unpacked, offset, shape, fortran, dtype, member.file_size - offset)


def _read_shape(archive: zipfile.ZipFile, name: str, path: Path) -> tuple[int, ...] | None:
    """Shape of a member that may be a recording: three or more dimensions."""
    if not name.endswith(".npy"):
        return None
    with archive.open(name) as member:
        try:
            return read_header(member, path)[0]  # type: ignore[arg-type]  # (a ZipExtFile is a BufferedIOBase)
        except UnreadableRecording:
            return None


def _read_small(archive: zipfile.ZipFile, name: str, path: Path) -> Any:
    if archive.getinfo(name).file_size > _MOST_FACT_BYTES:
        raise UnreadableRecording(f"{path}: its array {name} takes {archive.getinfo(name).file_size:,} bytes, too many")
    with archive.open(name) as member:
        return np.lib.format.read_array(member, allow_pickle=False)


def _say_others(name: str, shapes: Mapping[str, tuple[int, ...] | None]) -> tuple[str, ...]:
    others = [f"{other} ({format_shape(shape)})" for other, shape in shapes.items() if shape and other != name]
    return (f"{name} is read as the recording; there is also {', '.join(others)}",) if others else ()


def _choose(path: Path, shapes: dict[str, tuple[int, ...]], wanted: str | None) -> str:
    listing = "; ".join(f"{name} ({format_shape(shape)})" for name, shape in shapes.items()) or "none"
    if wanted is not None:
        if wanted not in shapes:
            raise UnreadableRecording(
                f"{path} has no array {wanted!r} of images (recording.dataset); it has: {listing}"
            )
        return wanted
    if "data" in shapes:
        return "data"
    if len(shapes) == 1:
        return next(iter(shapes))
    if not shapes:
        raise UnreadableRecording(f"{path} has no array of three or more dimensions")
    largest = sorted(shapes, key=lambda name: prod(shapes[name]))
    if prod(shapes[largest[-1]]) >= _CLEARLY_LARGEST * prod(shapes[largest[-2]]):
        return largest[-1]
    alike = [name for name in shapes if shapes[name] == shapes[largest[-1]]]
    channels = f", or several as its channels, e.g. recording.dataset={','.join(alike)}" if len(alike) > 1 else ""
    raise UnreadableRecording(
        f"{path} has several arrays that may be the recording: {listing}; choose one, e.g. --set "
        f"recording.dataset={largest[-1]}{channels}"
    )
