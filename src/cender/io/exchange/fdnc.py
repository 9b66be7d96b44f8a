"""Point files of fDNC: a folder of ``NAME_<volume>.npy``, each neurons × 4 (x, y, z, label).

The places that its network takes are relative to the median of the animal, in units of 84 µm (200 pixels of 0.42 µm).
``origin.csv`` is ours: it says where the medians are, so that places can be taken back.
"""

import csv
import io
import re
from pathlib import Path

import numpy as np
import polars as pl

from cender.errors import DataError
from cender.io.atomic import write_folder
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.points import gather_points
from cender.types import Annotations

UNIT_UM = 84.0
"""Length of fDNC's unit."""
_NUMBER = re.compile(r"(\d+)$")
_ORIGIN = "origin.csv"
"""Our own file beside fDNC's, with the median place of every volume, which fDNC's points are relative to."""
_COLUMNS = ("volume", "x_um", "y_um", "z_um")
# An animal in fDNC's unit reaches little beyond 1, and one in µm far beyond this.
_LARGEST = 5.0


def load_fdnc(path: Path, around: Surroundings) -> Incoming:
    """Places and labels of all files; a label below 0 is a neuron without identity.

    fDNC's own files are refused: they do not say where in the images the animal was. So are its pickled dictionaries
    (``*.data``): reading them would run what is in them.
    """
    files = {int(found[1]): file for file in sorted(path.glob("*.npy")) if (found := _NUMBER.search(file.stem))}
    if not files:
        pickled = next(path.glob("*.data"), None) if path.is_dir() else path if path.suffix == ".data" else None
        raise DataError(
            f"{pickled} is pickled, which is never loaded; in Python, save its pts (µm) and numbers for its names with "
            "numpy.save('real_0.npy', numpy.column_stack([pts, number])) and import the folder"
            if pickled
            else f"{path}: expected a folder of files like real_684.npy, each neurons × 4; found none"
        )
    tables = {volume: _read_table(file) for volume, file in sorted(files.items())}
    check_rows(path, "points", sum(map(len, tables.values())))
    rows = np.concatenate(list(tables.values()))
    volume = np.repeat(np.array(list(tables)), [len(one) for one in tables.values()])
    place = rows[:, :3]
    if (path / _ORIGIN).is_file():
        place = place * UNIT_UM + _read_origins(path / _ORIGIN, volume)
    elif len(place) and np.isfinite(place).all() and np.abs(place).max() < _LARGEST and (place < 0).any():
        raise DataError(
            f"{path}: its places are as fDNC's network takes them, relative to the median of the animal, in units of "
            f"{UNIT_UM:g} µm. Where in the images the animal was is not in them: import what they were made from, or "
            f"put {_ORIGIN} ({', '.join(_COLUMNS)} of the medians) beside them"
        )
    label = np.where(np.isfinite(rows[:, 3]) & (rows[:, 3] >= 0), rows[:, 3], -1).astype(np.int64)
    volumes = gather_points(volume, place[:, ::-1].copy(), label, around, path)
    return Incoming(Annotations(str(path), around.voxel_um, around.rate_hz, volumes))


def save_fdnc(out: Outgoing, path: Path) -> None:
    """Write one file per volume that has neurons, as fDNC's network takes them, and where their medians are."""
    if path.exists() and (path.is_file() or any(path.iterdir())):
        raise DataError(f"{path} exists already; give the name of a new folder")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    with write_folder(path) as part:
        for volume, one in sorted(out.known.annotations.items()):
            if len(one):
                place = one.centre_um[:, ::-1]
                origin = np.median(place, axis=0)
                writer.writerow((volume, *origin.tolist()))
                np.save(part / f"real_{volume}.npy", np.column_stack([(place - origin) / UNIT_UM, one.identity]))
        (part / _ORIGIN).write_text(text.getvalue(), encoding="utf-8")


def _read_table(path: Path) -> np.ndarray:
    try:
        table = np.load(path, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path} cannot be read as an array of numbers: {error}") from None
    if table.ndim != 2 or table.shape[1] != 4 or table.dtype.kind not in "iuf":
        raise DataError(f"{path}: expected neurons × 4 (x, y, z, label), found {table.shape} {table.dtype}")
    return np.array(table, float)


def _read_origins(path: Path, volume: np.ndarray) -> np.ndarray:
    """The origin of each row's volume, x y z in µm."""
    table = pl.read_csv(path, infer_schema_length=None)
    if list(table.columns) != list(_COLUMNS) or not all(dtype.is_numeric() for dtype in table.dtypes):
        raise DataError(f"{path}: expected the columns {', '.join(_COLUMNS)} of numbers")
    known = {int(row[0]): row[1:] for row in table.iter_rows() if None not in row}
    lacking = sorted(set(volume.tolist()) - set(known))
    if lacking:
        raise DataError(f"{path}: expected an origin for every volume, found none for {lacking[0]}")
    return np.array([known[one] for one in volume.tolist()], float).reshape(-1, 3)


FDNC = ExchangeFormat(
    name="fdnc",
    title="points of fDNC: a folder of files like real_684.npy, neurons × 4 (x, y, z, label)",
    keeps=("centres", "identities"),
    recognize=lambda path: (
        path.suffix == ".data"
        or (path.is_dir() and any(_NUMBER.search(file.stem) for file in path.glob("*.npy")))
        or (path.is_dir() and any(path.glob("*.data")))
    ),
    load=load_fdnc,
    save=save_fdnc,
    note="chosen with --format fdnc when writing: relative to the animal's median, in units of 84 µm, as its network "
    "takes them, with the medians in origin.csv; read with that file, or in µm",
)
