"""Every format of recordings in one place, and the two verbs that use them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from cender.errors import ConfigError, DataError, UnreadableRecording, UnsupportedFormat
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.array import arrange_recording, join_channels
from cender.io.recordings.fence import fence
from cender.io.recordings.formats.signatures import (
    is_czi,
    is_hdf5,
    is_matlab,
    is_mmstack,
    is_nd2,
    is_ndtiff,
    is_npy,
    is_npz,
    is_nwb,
    is_raw,
    is_tiff,
    is_tiff_folder,
    is_zarr,
)
from cender.io.recordings.formats.store import Store
from cender.types import Recording
from cender.types.words import say_count

OnVolume = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of recording file: how to know it, read it and write it.

    ``suffixes`` choose the format of a file to be written; a file to be read is known by its content.
    """

    name: str
    suffixes: tuple[str, ...]
    matches: Callable[[Path], bool]
    load: Callable[[Path, RecordingParams], Store]
    save: Callable[[Recording, Path, OnVolume], None] | None = None

    @property
    def suffix(self) -> str:
        """How a new file of this format is called; empty for folders."""
        return self.suffixes[0] if self.suffixes else ""


def _late(module: str, name: str) -> Callable[..., Any]:
    """A function of a format's module, imported when it is first called."""

    def call(*words: Any) -> Any:
        return getattr(import_module(f"cender.io.recordings.formats.{module}"), name)(*words)

    return call


FORMATS: tuple[Format, ...] = (
    Format("ome-zarr", (".ome.zarr", ".zarr"), is_zarr, _late("ome_zarr", "load_zarr"), _late("ome_zarr", "save_zarr")),
    Format("mm-stack", (), is_mmstack, _late("tiff.mmstack", "load_mmstack")),
    Format(
        "ome-tiff",
        (".ome.tif", ".ome.tiff", ".tif", ".tiff"),
        is_tiff,
        _late("tiff.file", "load_tiff"),
        _late("tiff.file", "save_tiff"),
    ),
    Format("nd-tiff", (), is_ndtiff, _late("ndtiff_folder", "load_ndtiff")),
    Format(
        "tiff-folder",
        ("",),
        is_tiff_folder,
        _late("tiff.folder", "load_tiff_folder"),
        _late("tiff.folder", "save_tiff_volumes"),
    ),
    # The same folder, written with one file per frame.
    Format(
        "tiff-slices",
        (),
        lambda path: False,
        _late("tiff.folder", "load_tiff_folder"),
        _late("tiff.folder", "save_tiff_slices"),
    ),
    Format("matlab", (".mat",), is_matlab, _late("matlab.file", "load_matlab"), _late("matlab.file", "save_matlab")),
    Format("nwb", (), is_nwb, _late("nwb", "load_nwb")),
    Format("hdf5", (".h5", ".hdf5", ".hdf"), is_hdf5, _late("hdf5", "load_hdf5"), _late("hdf5", "save_hdf5")),
    Format("czi", (), is_czi, _late("czi", "load_czi")),
    Format("nd2", (), is_nd2, _late("nd2_file", "load_nd2")),
    Format("npy", (".npy",), is_npy, _late("npy", "load_npy"), _late("npy", "save_npy")),
    Format("npz", (".npz",), is_npz, _late("npz", "load_npz"), _late("npz", "save_npz")),
    Format("raw", (".raw", ".dat", ".bin"), is_raw, _late("raw", "load_raw"), _late("raw", "save_raw")),
)


def open_recording(path: str | Path, params: RecordingParams | None = None) -> Recording:
    """Open a recording in milliseconds; its volumes are read when they are asked for.

    Parameters
    ----------
    path
        File or folder of any format in `FORMATS`, known by its content.
    params
        What the file does not say, or says wrongly.

    Raises
    ------
    UnreadableRecording
        Where it is no recording; the message says what was found.
    """
    params, path = params or RecordingParams(), Path(path)
    arrays = [name.strip() for name in (params.dataset or "").split(",")]
    if params.green is None and len(arrays) == 1:
        return _open_one(path, params)
    alone = params.model_copy(update={"green": None, "roles": None})
    if params.green is None:
        parts = [_open_one(path, alone.model_copy(update={"dataset": name})) for name in arrays]
        return join_channels(parts, arrays, params)
    if params.roles not in (None, ("red", "green")):
        raise ConfigError(
            "recording.green names the file of the green channel, so recording.roles can only be red,green"
        )
    if len(arrays) > 1:
        raise ConfigError(
            f"recording.green names the file of the green channel, so recording.dataset is one name; found "
            f"{params.dataset}"
        )
    parts = [_open_one(path, alone), _open_one(Path(params.green), alone)]
    both = alone.model_copy(update={"roles": ("red", "green")})
    return join_channels(parts, [one.source for one in parts], both)


def save_recording(
    recording: Recording, path: str | Path, format: str | None = None, on_volume: OnVolume | None = None
) -> None:
    """Write a recording volume by volume; what was at ``path`` stays until the new file is complete.

    Parameters
    ----------
    recording
        Any recording, also one that is rendered while it is written.
    path
        File, or folder for the formats that are folders (which must not exist yet).
    format
        Name of a format; without it the suffix of the path chooses.
    on_volume
        Called with the index of each volume that was written.
    """
    path = Path(path)
    save = _choose_format(path, format).save
    if save is None:
        raise UnsupportedFormat(f"{path}: the format {format} can only be read")
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path} cannot be written: there is no folder {path.absolute().parent}")
    if path.is_dir() and any(path.iterdir()):
        raise DataError(f"{path} exists already and is not empty; remove it or give another name")
    save(recording, path, on_volume or (lambda index: None))


def _choose_format(path: Path, name: str | None) -> Format:
    for one in FORMATS:
        if one.name == name or (name is None and path.suffix.lower() in one.suffixes):
            return one
    if name is not None:
        raise UnsupportedFormat(f"unknown format {name!r}; there are {', '.join(one.name for one in FORMATS)}")
    known = " ".join(suffix for one in FORMATS for suffix in one.suffixes if suffix)
    raise UnsupportedFormat(
        f"{path}: no format for the suffix {path.suffix!r}; known are {known}, or give the format by name"
    )


def _open_one(path: Path, params: RecordingParams) -> Recording:
    if not path.exists():
        raise UnreadableRecording(f"{path}: there is no such file or folder")
    if path.is_file() and path.stat().st_size == 0:
        raise UnreadableRecording(f"{path} is an empty file (0 bytes)")
    with fence(os.fspath(path), "cannot be opened"):
        for one in FORMATS:
            if one.matches(path):
                return arrange_recording(one.load(path, params), params, os.fspath(path), one.name)
    raise UnreadableRecording(_say_unknown(path))


def _say_unknown(path: Path) -> str:
    known = f"{', '.join(one.name for one in FORMATS if one.name != 'tiff-slices')} (docs/recordings.md describes them)"
    if path.is_dir():
        count = sum(1 for _ in path.iterdir())
        found = (
            "an empty folder"
            if not count
            else f"a folder of {say_count(count, 'entry')}, none of them a TIFF file or Zarr metadata"
        )
        return f"{path} is {found}; expected a recording: {known}"
    with path.open("rb") as file:
        start = file.read(24)
    alike = next((one.name for one in FORMATS if path.suffix and path.suffix.lower() in one.suffixes), None)
    text = f"{path} is not a recording we know: it begins with {start!r}"
    if alike is not None:
        text += f", which is not how {alike} files begin, though its name ends in {path.suffix}"
    return f"{text}; expected one of {known}"
