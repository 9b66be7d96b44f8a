"""ZephIR: ``annotations.h5`` with one row per neuron and volume, and ``worldlines.h5`` with names beside it.

Coordinates are shares of the image between 0 and 1: a pixel ``i`` of ``n`` has its centre at ``(i + 0.5) / n``.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cender.errors import DataError
from cender.io.atomic import write_atomically
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.points import gather_points
from cender.io.exchange.sealed import open_sealed
from cender.types import Annotations

_COLUMNS = ("t_idx", "x", "y", "z", "worldline_id")
_FILES = ("annotations.h5", "coordinates.h5")
_NAMELESS = {"", "null", "none"}
"""Names of worldlines that mean none."""
_ZEPHIRS_OWN = "ZEIR"
"""What ZephIR writes as the author of points that it found itself."""


def load_zephir(path: Path, around: Surroundings) -> Incoming:
    """Centres, with the worldline of each as its identity; names come from ``worldlines.h5`` in the same folder."""
    file = _find_file(path)
    if around.shape is None or around.voxel_um is None:
        raise DataError(
            f"{file} gives places as shares of the image, and the run folder does not know the size of the recording; "
            "`cender run RECORDING --out WORM` first"
        )
    columns = _read_columns(file)
    share = np.stack([columns[axis].astype(float) for axis in "zyx"], axis=1)
    if not np.isfinite(share).all() or (share < 0).any() or (share > 1).any():
        raise DataError(f"{file}: expected places between 0 and 1, found {np.nanmin(share):g} to {np.nanmax(share):g}")
    size = np.array(around.shape[2:])
    centre_um = (share * size - 0.5) * np.array(around.voxel_um)
    volume, worldline = columns["t_idx"].astype(np.int64), columns["worldline_id"].astype(np.int64)
    volumes = gather_points(volume, centre_um, worldline, around, file)
    names = _read_names(_beside(file), set(columns["worldline_id"].tolist()))
    known = Annotations(str(file), around.voxel_um, around.rate_hz, volumes, names=names)
    return Incoming(known, _say_origin(columns.get("provenance")))


def save_zephir(out: Outgoing, path: Path) -> None:
    """Write ``annotations.h5`` and ``worldlines.h5``, which ZephIR wants beside its ``data.h5``."""
    if out.around.shape is None or out.around.voxel_um is None:
        raise DataError(f"{out.folder}: ZephIR's places are shares of the image, whose size run.toml does not say")
    size, voxel = np.array(out.around.shape[2:]), np.array(out.around.voxel_um)
    rows = [one for _, one in sorted(out.known.annotations.items()) if (one.identity >= 0).any()]
    if not rows:
        raise DataError(f"{out.folder}: no neuron has an identity yet, and ZephIR knows none without")
    t_idx = np.concatenate([np.full(int((one.identity >= 0).sum()), one.volume) for one in rows])
    identity = np.concatenate([one.identity[one.identity >= 0] for one in rows])
    centre = np.concatenate([one.centre_um[one.identity >= 0] for one in rows])
    share = ((centre / voxel) + 0.5) / size
    target, names = _name_files(path)
    target.parent.mkdir(exist_ok=True)
    with write_atomically(target) as part, h5py.File(part, "w") as file:
        file["id"] = np.arange(1, len(t_idx) + 1, dtype=np.uint32)
        file["t_idx"] = t_idx.astype(np.uint32)
        for place, axis in enumerate("zyx"):
            file[axis] = np.clip(share[:, place], 0, 1).astype(np.float32)
        file["worldline_id"] = identity.astype(np.uint32)
        file["parent_id"] = np.zeros(len(t_idx), np.uint32)
        file["provenance"] = np.full(len(t_idx), b"CNDR", "S4")
    _save_names(out, np.unique(identity), names)


def _save_names(out: Outgoing, identities: np.ndarray, path: Path) -> None:
    """One row for every number up to the largest: ZephIR counts worldlines without gaps."""
    numbers = np.arange(int(identities.max()) + 1)
    names = [out.known.names.get(number, "null").encode("ascii", "replace") for number in numbers.tolist()]
    with write_atomically(path) as part, h5py.File(part, "w") as file:
        file["id"] = numbers.astype(np.uint32)
        file["name"] = np.array(names, "S")
        file["color"] = np.full(len(numbers), b"#ffffff", "S7")


def _name_files(path: Path) -> tuple[Path, Path]:
    """The file of annotations and the file of names to write, inside of a folder or beside each other."""
    target = path / _FILES[0] if path.is_dir() or not path.suffix else path
    return target, _beside(target)


def _beside(path: Path) -> Path:
    """The file of names that belongs to a file of annotations; whatever stands before its name is the same."""
    stem, kind, _ = path.stem.rpartition("annotations")
    return path.with_name(f"{stem if kind else ''}worldlines.h5")


def _find_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = [path / name for name in _FILES if (path / name).is_file()]
    if not found:
        raise DataError(f"{path}: expected {' or '.join(_FILES)} of ZephIR in it")
    return found[0]


def _read_columns(path: Path) -> dict[str, Any]:
    with open_sealed(path) as file:
        lacking = [name for name in _COLUMNS if not isinstance(file.get(name), h5py.Dataset)]
        if lacking:
            raise DataError(f"{path}: expected ZephIR's columns {', '.join(_COLUMNS)}, {', '.join(lacking)} is missing")
        wanted = [name for name in (*_COLUMNS, "provenance") if isinstance(file.get(name), h5py.Dataset)]
        for name in wanted:
            check_rows(path, name, int(file[name].size or 0))
        # MATLAB has no one-dimensional arrays.
        columns = {name: np.atleast_1d(np.squeeze(file[name][()])) for name in wanted}
    numbers = [columns[name] for name in _COLUMNS]
    if any(
        column.dtype.kind not in "iuf" or column.shape != numbers[0].shape or column.ndim != 1 for column in numbers
    ):
        raise DataError(f"{path}: expected columns of numbers of one length, found {[len(one) for one in numbers]}")
    return columns


def _read_names(path: Path, used: set[int]) -> dict[int, str]:
    if not path.is_file():
        return {}
    with open_sealed(path) as file:
        if not all(isinstance(file.get(name), h5py.Dataset) for name in ("id", "name")):
            raise DataError(f"{path}: expected ZephIR's columns id and name, found {', '.join(file)}")
        for name in ("id", "name"):
            check_rows(path, name, int(file[name].size or 0))
        numbers, words = np.ravel(file["id"][()]), np.ravel(file["name"][()])
    if len(numbers) != len(words) or numbers.dtype.kind not in "iu" or words.dtype.kind not in "SO":
        raise DataError(f"{path}: expected one name for each id, found {len(words)} names of {len(numbers)}")
    texts = [word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word) for word in words]
    named = {int(number): text.strip() for number, text in zip(numbers, texts, strict=True)}
    # ZephIR itself calls a new worldline by its own number.
    return {
        number: text
        for number, text in named.items()
        if number in used and text.lower() not in _NAMELESS and text != str(number)
    }


def _say_origin(provenance: Any) -> tuple[str, ...]:
    """What is known of who made the rows: all of them become the importing author's."""
    if provenance is None or provenance.dtype.kind != "S":
        return ()
    counts = Counter(word.decode("ascii", "replace") for word in provenance.tolist())
    listed = ", ".join(f"{word} {count}" for word, count in counts.most_common(5))
    own = counts.get(_ZEPHIRS_OWN, 0)
    doubt = f"; {own} of them are ZephIR's tracking, not a person's" if own else ""
    return (f"who made each row (provenance: {listed}{doubt})",)


ZEPHIR = ExchangeFormat(
    name="zephir",
    title="ZephIR's annotations.h5 with worldlines.h5 beside it, or the folder of both",
    keeps=("centres", "identities", "names"),
    recognize=lambda path: path.name.endswith(_FILES) or any((path / name).is_file() for name in _FILES),
    load=load_zephir,
    save=save_zephir,
    written_as=(".h5", ".hdf5", ""),
    note="neurons without an identity are left out; places are rounded to 32 bits",
    targets=_name_files,
    holds=lambda one: one.identity >= 0,
    lacking="without an identity",
)
