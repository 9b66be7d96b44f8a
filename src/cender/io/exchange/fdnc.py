"""Point files of fDNC: a folder of ``NAME_<volume>.npy``, each neurons × 4 (x, y, z in µm, label)."""

import re
from pathlib import Path

import numpy as np

from cender.errors import DataError
from cender.io.atomic import write_folder
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.points import gather_points
from cender.types import Annotations

_NUMBER = re.compile(r"(\d+)$")


def load_fdnc(path: Path, around: Surroundings) -> Incoming:
    """Places and labels of all files; a label below 0 is a neuron without identity.

    fDNC's pickled dictionaries (``*.data``) are refused: reading them would run what is in them.
    """
    files = {int(found[1]): file for file in sorted(path.glob("*.npy")) if (found := _NUMBER.search(file.stem))}
    if not files:
        raise DataError(f"{path}: expected a folder of files like real_684.npy, each neurons × 4; found none")
    tables = {volume: _read_table(file) for volume, file in sorted(files.items())}
    check_rows(path, "points", sum(map(len, tables.values())))
    rows = np.concatenate(list(tables.values()))
    volume = np.repeat(np.array(list(tables)), [len(one) for one in tables.values()])
    label = np.where(np.isfinite(rows[:, 3]) & (rows[:, 3] >= 0), rows[:, 3], -1).astype(np.int64)
    volumes = gather_points(volume, rows[:, 2::-1].copy(), label, around, path)
    return Incoming(Annotations(str(path), around.voxel_um, around.rate_hz, volumes))


def save_fdnc(out: Outgoing, path: Path) -> None:
    """Write one file per volume that has neurons."""
    if path.exists() and (path.is_file() or any(path.iterdir())):
        raise DataError(f"{path} exists already; give the name of a new folder")
    with write_folder(path) as part:
        for volume, one in sorted(out.known.annotations.items()):
            if len(one):
                np.save(part / f"real_{volume}.npy", np.column_stack([one.centre_um[:, ::-1], one.identity]))


def _read_table(path: Path) -> np.ndarray:
    try:
        table = np.load(path, allow_pickle=False, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path} cannot be read as an array of numbers: {error}") from None
    if table.ndim != 2 or table.shape[1] != 4 or table.dtype.kind not in "iuf":
        raise DataError(f"{path}: expected neurons × 4 (x, y, z, label), found {table.shape} {table.dtype}")
    return np.array(table, float)


FDNC = ExchangeFormat(
    name="fdnc",
    title="points of fDNC: a folder of files like real_684.npy, neurons × 4 (x, y, z in µm, label)",
    keeps=("centres", "identities"),
    recognize=lambda path: path.is_dir() and any(_NUMBER.search(file.stem) for file in path.glob("*.npy")),
    load=load_fdnc,
    save=save_fdnc,
    note="chosen with --format fdnc when writing",
)
