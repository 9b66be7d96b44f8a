"""Tables of points with other columns than ours, CSV or TSV: ``frame, x, y, z, id`` and the like."""

import re
from pathlib import Path

import numpy as np
import polars as pl

from cender.errors import DataError
from cender.io.cut_off import refuse_cut_off
from cender.io.exchange.bounds import check_rows, check_text_size
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings
from cender.io.exchange.header import read_columns
from cender.io.exchange.places import Spelling, read_spelling, settle_places
from cender.io.exchange.points import gather_points
from cender.types import Annotations

_FILLER = r"pos|position|centroid|centre|center|coord|loc|location"
"""Words beside the letter of an axis in the name of a column."""
_AXIS = re.compile(rf"(?:(?:{_FILLER}) ?)?([xyz])(?: ?(?:{_FILLER}))?(?: ?\(?(?:um|µm|μm|px|pix|pixels?|microns?)\)?)?")
"""Names of columns that hold one axis of a place."""
_VOLUMES = {"volume", "vol", "t", "t idx", "frame", "timepoint", "time point", "time index", "stack"}
"""Names that columns of volume numbers have in other people's tables."""
_IDENTITIES = {
    "identity",
    "id",
    "label",
    "track",
    "track id",
    "trackid",
    "worldline id",
    "neuron",
    "neuron id",
    "cell id",
}
"""Names that columns of identities have."""
_NAMES = {"name", "cell", "cell name", "neuron name", "label", "id", "neuron"}
"""Names that columns of cell names have."""
_OWN = {"volume", "z_um", "y_um", "x_um"}
"""Columns by which a table is known as `points.csv`."""
_SUFFIXES = (".csv", ".tsv")


def load_table(path: Path, around: Surroundings) -> Incoming:
    """Places, volumes (from 0), identities and names from the columns whose names say what they are."""
    check_text_size(path)
    refuse_cut_off(path, _separator(path))
    table = pl.read_csv(path, separator=_separator(path), infer_schema_length=None)
    check_rows(path, "points", table.height)
    axes = _find_axes(table.columns)
    column = {_tidy(name): name for name in table.columns}
    volume = next((column[word] for word in column if word in _VOLUMES), None)
    if len(axes) < 3 or (volume is None and around.volumes != 1):
        raise DataError(
            f"{path}: expected columns volume, x, y, z (with _um or _px) and id; found {', '.join(table.columns)}"
        )
    values = np.stack([_numbers(table[axes[axis]]) for axis in "xyz"], axis=1)
    units = {read_spelling(axes[axis]).unit for axis in "xyz"}
    centre, doubts = settle_places(values, Spelling("xyz", units.pop() if len(units) == 1 else None), around, path)
    when = np.zeros(table.height) if volume is None else _numbers(table[volume])
    if not np.isfinite(when).all() or (when != np.rint(when)).any():
        raise DataError(f"{path}: expected whole numbers in the column {volume}")
    identity, names, used = _find_identities(table, column)
    volumes = gather_points(when.astype(np.int64), centre, identity, around, path)
    others = [name for name in table.columns if name not in {volume, *axes.values(), *used}]
    known = Annotations(str(path), around.voxel_um, around.rate_hz, volumes, names=names)
    return Incoming(known, (f"columns {', '.join(others)}",) if others else (), doubts)


def _find_axes(columns: list[str]) -> dict[str, str]:
    """The column of each axis."""
    found = {match[1]: name for name in columns if (match := _AXIS.fullmatch(_tidy(name)))}
    return found if len(found) == 3 else {}


def _find_identities(table: pl.DataFrame, column: dict[str, str]) -> tuple[np.ndarray, dict[int, str], set[str]]:
    """Identity of every row, names, and the columns that gave them; words instead of numbers are names."""
    numbered = next(
        (column[word] for word in column if word in _IDENTITIES and table[column[word]].dtype.is_numeric()), None
    )
    named = next((column[word] for word in column if word in _NAMES and table[column[word]].dtype == pl.String), None)
    words = [(word or "").strip() for word in table[named].to_list()] if named else []
    if numbered is not None:
        given = _numbers(table[numbered])
        identity = np.where(np.isfinite(given) & (given >= 0), given, -1).astype(np.int64)
    else:
        order = {word: place for place, word in enumerate(dict.fromkeys(word for word in words if word))}
        identity = np.array([order.get(word, -1) for word in words] or [-1] * table.height, np.int64)
    rows = zip(identity.tolist(), words, strict=True) if words else ()
    names = {number: word for number, word in rows if number >= 0 and word}
    return identity, names, {name for name in (numbered, named) if name}


def _numbers(column: pl.Series) -> np.ndarray:
    return column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def _tidy(name: str) -> str:
    return re.sub(r"[_\-\s]+", " ", name.strip().lower())


def _separator(path: Path) -> str:
    return "\t" if path.suffix.lower() == ".tsv" else ","


def _recognize(path: Path) -> bool:
    """Whether the first line has x, y and z and is not that of our own points."""
    columns = read_columns(path, _separator(path)) if path.suffix.lower() in _SUFFIXES else []
    return not set(columns) >= _OWN and bool(_find_axes(columns))


TABLE = ExchangeFormat(
    name="table",
    title="a table of points with other columns, CSV or TSV: frame, x, y, z, id[, name]",
    keeps=("centres", "identities", "names"),
    recognize=_recognize,
    asks_places=True,
    load=load_table,
    note="the unit is in the name of the columns (`x_um`, `x_px`), else settled by the recording or asked for "
    "(`--places um`); volumes are counted from 0",
)
