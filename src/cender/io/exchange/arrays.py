"""Arrays of points as labs save them with numpy: volumes × neurons × 3, or a list of places with volumes beside it."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from cender.errors import DataError
from cender.io.atomic import write_atomically
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.places import read_spelling, settle_places
from cender.io.exchange.points import gather_points
from cender.io.recordings.formats.npy import read_any_header
from cender.types import Annotations

_VOLUMES = ("volume", "volumes", "t", "t_idx", "frame", "frames", "time_index", "timepoint")
"""Names that arrays of volume numbers have in other people's files."""
_IDENTITIES = ("identity", "identities", "id", "ids", "label", "labels", "worldline_id", "track", "track_id", "neuron")
"""Names that arrays of identities have."""
_NAMES = ("name", "names", "cell", "cells", "cell_name", "cell_names")
"""Names that arrays of cell names have."""
_PLACES = ("point", "centre", "center", "centroid", "position", "coord", "place", "xyz", "zyx", "yxz")
"""Words in the names of arrays of places."""
_MOST_NAME_LETTERS = 64
"""Longest name that is believed to be one."""
Shapes = dict[str, tuple[tuple[int, ...], np.dtype]]


def load_arrays(path: Path, around: Surroundings) -> Incoming:
    """Points of an NPZ or NPY file; in an array of three dimensions the row is the identity, NaN means absent.

    The order and unit of places come from the name of the array (``points_xyz``, ``zyx_um``), from the user, or from
    what fits the recording.
    """
    shapes = _list_arrays(path)
    name = _choose(shapes, path)
    read = {key: _read(path, key) for key in _pick(shapes, name)}
    values = read.pop(name).astype(float)
    volume, row, flat, doubts = _flatten(values, read, around, path)
    here = np.isfinite(flat).all(axis=1)
    if not here.any():
        raise DataError(f"{path} says nothing: every place of {name} is NaN")
    identity, names = _find_identities(read, row, values, path)
    centre, said = settle_places(flat[here], read_spelling(name), around, path)
    volumes = gather_points(volume[here], centre, identity[here], around, path)
    used = {int(one) for one in identity[here]}
    known = Annotations(
        str(path), around.voxel_um, around.rate_hz, volumes, names={n: word for n, word in names.items() if n in used}
    )
    others = [key for key in shapes if key not in {name, *read}]
    return Incoming(known, (f"arrays {', '.join(others)}",) if others else (), (*doubts, *said))


def save_arrays(out: Outgoing, path: Path) -> None:
    """Write one row per neuron and volume: ``volume``, ``zyx_um``, ``identity``, ``probability`` and ``name``."""
    volumes = [one for _, one in sorted(out.known.annotations.items())]
    identity = np.concatenate([one.identity for one in volumes]).astype(np.int64)
    names = [out.known.names.get(number, "") for number in identity.tolist()]
    with write_atomically(path) as part, part.open("wb") as file:
        np.savez(
            file,
            volume=np.concatenate([np.full(len(one), one.volume) for one in volumes]).astype(np.int64),
            zyx_um=np.concatenate([one.centre_um for one in volumes]),
            identity=identity,
            probability=np.concatenate([one.probability for one in volumes]),
            name=np.array(names, f"<U{max(1, *map(len, names), 1)}"),
        )


def _list_arrays(path: Path) -> Shapes:
    """Shape and type of every array, without reading any."""
    if path.suffix.lower() == ".npy":
        with path.open("rb") as file:
            shape, _, dtype = read_any_header(file, path)
        return {"": (shape, dtype)}
    found: Shapes = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.endswith(".npy"):
                with archive.open(member) as opened:
                    shape, _, dtype = read_any_header(opened, path)  # type: ignore[arg-type]  # (it is a BufferedIOBase)
                found[member.removesuffix(".npy")] = shape, dtype
    return found


def _choose(shapes: Shapes, path: Path) -> str:
    """The array of places."""
    able = [
        name
        for name, (shape, dtype) in shapes.items()
        if len(shape) in (2, 3) and shape[-1] == 3 and dtype.kind in "iuf"
    ]
    named = [name for name in able if any(word in name.lower() for word in _PLACES)]
    if len(named or able) == 1:
        return (named or able)[0]
    listed = ", ".join(f"{name} {shape}" for name, (shape, _) in shapes.items())
    raise DataError(
        f"{path}: expected one array of places, volumes × neurons × 3 or neurons × 3, such as points_xyz; found "
        f"{len(named or able)} in {listed}"
    )


def _pick(shapes: Shapes, name: str) -> list[str]:
    """The arrays that are read: places, and those beside them whose names say what they are."""
    words = {*_VOLUMES, *_IDENTITIES, *_NAMES}
    return [name, *(key for key, (shape, _) in shapes.items() if key.lower() in words and len(shape) == 1)]


def _read(path: Path, name: str) -> Any:
    if path.suffix.lower() == ".npy":
        array = np.load(path, allow_pickle=False, mmap_mode="r")
        check_rows(path, "places", array.size // 3)
        return np.asarray(array)
    with zipfile.ZipFile(path) as archive:
        with archive.open(f"{name}.npy") as opened:
            shape, _, dtype = read_any_header(opened, path)  # type: ignore[arg-type]
        check_rows(path, name, int(np.prod(shape, dtype=float)))
        if dtype.kind == "U" and dtype.itemsize > 4 * _MOST_NAME_LETTERS:
            raise DataError(f"{path}, {name}: expected words of at most {_MOST_NAME_LETTERS} letters, found {dtype}")
        with archive.open(f"{name}.npy") as opened:
            return np.lib.format.read_array(opened, allow_pickle=False)


def _flatten(
    values: np.ndarray, beside: dict[str, Any], around: Surroundings, path: Path
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    """Volume, row and place of every point, and doubts."""
    if values.ndim == 3:
        doubts: tuple[str, ...] = ()
        if around.volumes is not None and values.shape[0] != around.volumes == values.shape[1]:
            values = values.transpose(1, 0, 2)
            doubts = (f"the array is taken as neurons × volumes × 3: the recording has {around.volumes} volumes",)
        volume, row = (axis.ravel() for axis in np.indices(values.shape[:2]))
        return volume, row, values.reshape(-1, 3), doubts
    count = len(values)
    volumes = _find(beside, _VOLUMES, count)
    if volumes is None:
        if around.volumes != 1:
            raise DataError(
                f"{path}: {count} places and no array that says in which volume each is; expected volume (from 0) of "
                f"length {count} beside it, or volumes × neurons × 3"
            )
        return np.zeros(count, np.int64), np.arange(count), values, ()
    if volumes.dtype.kind not in "iuf" or (volumes != np.rint(volumes)).any():
        raise DataError(f"{path}: expected whole numbers as volumes")
    return volumes.astype(np.int64), np.arange(count), values, ()


def _find(beside: dict[str, Any], words: tuple[str, ...], count: int) -> Any:
    """The array of one of these names and this length, None where there is none."""
    return next((array for key, array in beside.items() if key.lower() in words and len(array) == count), None)


def _find_identities(
    beside: dict[str, Any], row: np.ndarray, values: np.ndarray, path: Path
) -> tuple[np.ndarray, dict[int, str]]:
    """The identity of every point and the names of identities."""
    count = int(row.max(initial=-1)) + 1
    given, words = _find(beside, _IDENTITIES, count), _find(beside, _NAMES, count)
    if given is not None and given.dtype.kind == "U":
        given, words = None, given if words is None else words
    alone = "volume" if any(key.lower() in _VOLUMES for key in beside) and values.ndim == 2 else ""
    if given is not None:
        if given.dtype.kind not in "iuf":
            raise DataError(f"{path}: expected numbers as identities, found {given.dtype}")
        number = np.where(np.isfinite(given) & (given >= 0), given, -1).astype(np.int64)
    elif words is not None and alone:
        # The same name in several volumes is one neuron.
        known = {word: place for place, word in reversed(list(enumerate(words.tolist()))) if str(word).strip()}
        number = np.array([known.get(word, -1) for word in words.tolist()], np.int64)
    else:
        number = np.full(count, -1) if alone else np.arange(count)
    names: dict[int, str] = {}
    if words is not None and words.dtype.kind == "U":
        rows = zip(number.tolist(), words.tolist(), strict=True)
        names = {one: word.strip() for one, word in rows if one >= 0 and word.strip()}
    return number[row], names


def _recognize(path: Path) -> bool:
    if path.suffix.lower() == ".npz":
        return True
    if path.suffix.lower() != ".npy" or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            shape = read_any_header(file, path)[0]
    except (DataError, ValueError):
        return False
    return len(shape) in (2, 3) and shape[-1] == 3


ARRAYS = ExchangeFormat(
    name="arrays",
    title="numpy's points.npz or .npy: points_xyz (volumes × neurons × 3) and the like, or zyx_um, volume and identity",
    keeps=("centres", "identities", "names", "probabilities"),
    recognize=_recognize,
    asks_places=True,
    load=load_arrays,
    save=save_arrays,
    written_as=(".npz",),
    note="order and unit of places are in the name of the array, else settled by the recording or asked for "
    "(`--places xyz,px`); probabilities are written, not taken back",
)
