"""Named animals from tables: one row per neuron, with places, names and colours."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from cender.errors import DataError
from cender.types import Cells

PLACES = ("z_um", "y_um", "x_um")
_COLOUR = re.compile(r"colour(\d+)$")
LARGEST = 2_000_000
"""Rows of a table that are read at most."""


def load_cells(paths: Iterable[Path]) -> list[Cells]:
    """Animals of CSV files (also ``.gz``), or of truth folders with a ``points.csv``.

    Needed: ``z_um,y_um,x_um``; used where they are there: ``name``, ``colour0`` and on, ``lab``, ``group``, and
    ``worm``, ``animal`` or ``volume`` to tell animals apart.
    """
    animals: list[Cells] = []
    for path in paths:
        animals += _read_file(path / "points.csv" if path.is_dir() else path)
    return animals


def _read_file(path: Path) -> list[Cells]:
    try:
        table = pl.read_csv(path, infer_schema_length=None, n_rows=LARGEST)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; expected a CSV table with z_um, y_um, x_um and name") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path} is not a CSV table: {str(error).splitlines()[0]}") from None
    missing = [name for name in PLACES if name not in table.columns]
    if missing:
        raise DataError(f"{path}: expected the columns {', '.join(PLACES)}, {', '.join(missing)} not found")
    keys = [key for key in ("lab", "worm", "animal", "group") if key in table.columns]
    parts = table.partition_by(keys, maintain_order=True) if keys else [table]
    return [_make_cells(part, path) for part in parts if len(part)]


def _make_cells(table: pl.DataFrame, path: Path) -> Cells:
    def read(column: str) -> np.ndarray:
        values = table[column].cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        return np.asarray(values, float)

    def text(column: str) -> str:
        value = table[column][0] if column in table.columns else None
        return "" if value is None else str(value)

    position = np.stack([read(column) for column in PLACES], axis=1)
    animal = text("worm") or text("animal") or path.name
    if not np.isfinite(position).all():
        raise DataError(f"{path}: expected numbers in z_um, y_um and x_um, found gaps (animal {animal})")
    channels = sorted((int(match[1]), column) for column in table.columns if (match := _COLOUR.fullmatch(column)))
    colour = np.stack([read(column) for _, column in channels], axis=1) if channels else np.zeros((len(table), 0))
    names = table["name"].cast(pl.String).fill_null("").str.strip_chars() if "name" in table.columns else None
    name = tuple(names) if names is not None else ("",) * len(table)
    return Cells(position, colour, name, animal, text("lab"), text("group"))
