"""Tables in parquet or CSV, checked against their schema when they are read and when they are written."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from cender.errors import DataError, UnsupportedFormat
from cender.io.atomic import write_atomically
from cender.io.cut_off import refuse_cut_off
from cender.io.results.tables.schemas import Column, Kind, Schema

_KIND_NAMES: dict[Kind, str] = {
    pl.Int64: "a whole number",
    pl.Float64: "a number",
    pl.String: "text",
    pl.Boolean: "true or false",
}
_TRUTH_WORDS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a table comes from, to say it as the user finds it: lines of a CSV file, or rows of a frame."""

    name: str
    lines: np.ndarray | None = None

    def cell(self, row: int) -> str:
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"


def load_table(path: Path, schema: Schema) -> pl.DataFrame:
    """Read a table and check it.

    Parameters
    ----------
    path
        A ``.parquet`` or ``.csv`` file (UTF-8, commas, one header line; empty lines are skipped).
    schema
        What the table must hold. Columns beyond it are kept, behind the others.

    Raises
    ------
    DataError
        Names the file, the line or row, the column, what was expected and what was found.
    """
    if path.suffix == ".parquet":
        frame = _read_parquet(path)
        return check_table(frame, schema, str(path))
    if path.suffix == ".csv":
        frame, lines = _read_csv(path)
        checked = _check(frame, schema, _Origin(str(path), lines))
        return checked.with_columns(_infer(checked[name]) for name in checked.columns if name not in schema.columns)
    raise UnsupportedFormat(f"{path}: a table is a .csv or a .parquet file, not {path.suffix or 'one without suffix'}")


def save_table(frame: pl.DataFrame, path: Path, schema: Schema) -> None:
    """Check a table and put it in place atomically, as parquet or CSV by the suffix of ``path``."""
    checked = check_table(frame, schema, str(path))
    with write_atomically(path) as part:
        if path.suffix == ".parquet":
            checked.write_parquet(part)
        elif path.suffix == ".csv":
            checked.write_csv(part)
        else:
            raise UnsupportedFormat(f"{path}: a table is a .csv or a .parquet file")


def check_table(frame: pl.DataFrame, schema: Schema, where: str) -> pl.DataFrame:
    """The table with the schema's columns first and in its types; `DataError` where it does not fit."""
    return _check(frame, schema, _Origin(where))


def _check(frame: pl.DataFrame, schema: Schema, origin: _Origin) -> pl.DataFrame:
    absent = [name for name, column in schema.columns.items() if column.required and name not in frame.columns]
    if absent:
        raise DataError(
            f"{origin.name}: a {schema.name} table lacks {', '.join(map(repr, absent))}; "
            f"its columns are {', '.join(schema.columns)}; found {', '.join(frame.columns) or 'none'}"
        )
    checked = []
    for name, column in schema.columns.items():
        if name in frame.columns:
            checked.append(_check_column(frame[name], column, origin))
    extra = [frame[name] for name in frame.columns if name not in schema.columns]
    result = pl.DataFrame([*checked, *extra])
    for key in schema.unique:
        _refuse_repeats(result, key, origin)
    return result


def _check_column(values: pl.Series, column: Column, origin: _Origin) -> pl.Series:
    refuse = partial(_refuse, values, column, origin)
    typed = _convert(values, column, origin)
    missing = _find_missing(typed)
    if missing.any():
        refuse(missing & ~_find_missing(values, "nan"))
        refuse(missing & (not column.empty))
    if typed.dtype.is_numeric():
        _refuse_out_of_range(typed.to_numpy(), column, refuse)
    elif column.choices:
        refuse(~missing & ~typed.is_in(list(column.choices)).fill_null(False).to_numpy())
    return typed if column.fill is None else typed.fill_null(column.fill)


def _refuse(values: pl.Series, column: Column, origin: _Origin, bad: np.ndarray) -> None:
    """Raise where any of the values is bad, naming the first."""
    if bad.any():
        row = int(bad.argmax())
        found = values[row]
        shown = "an empty cell" if found in (None, "") or found != found else repr(found)
        where = f"{origin.name}, {origin.cell(row)}, column {values.name!r}"
        raise DataError(f"{where}: expected {_describe(column)}, found {shown}")


def _refuse_out_of_range(numbers: np.ndarray, column: Column, refuse: Callable[[np.ndarray], None]) -> None:
    # Comparisons with NaN are false, so missing values pass.
    refuse(np.isinf(numbers))
    if column.least is not None:
        refuse(numbers < column.least)
    if column.above is not None:
        refuse(numbers <= column.above)
    if column.most is not None:
        refuse(numbers > column.most)


def _convert(values: pl.Series, column: Column, origin: _Origin) -> pl.Series:
    """The values in the column's type, null where one of them cannot be."""
    kind, found = column.kind, values.dtype
    if found == kind:
        return values
    if found == pl.Null or (kind == pl.String and found in (pl.Categorical, pl.Enum)):
        return values.cast(kind)
    if found == pl.String and origin.lines is not None:
        return _parse(values, kind)
    if kind == pl.Float64 and found.is_numeric():
        return values.cast(kind)
    if kind == pl.Int64 and found.is_integer():
        return values.cast(kind, strict=False)
    if kind == pl.Int64 and found.is_float():
        return _whole(values.cast(pl.Float64))
    raise DataError(
        f"{origin.name}, column {values.name!r}: expected {_describe(column)}, found a column of type {found}"
    )


def _parse(values: pl.Series, kind: object) -> pl.Series:
    text = values.str.strip_chars()
    if kind == pl.Boolean:
        return text.str.to_lowercase().replace_strict(_TRUTH_WORDS, default=None, return_dtype=pl.Boolean)
    numbers = text.cast(pl.Float64, strict=False)
    if kind == pl.Float64:
        return numbers
    # pandas writes a column of whole numbers with a gap as 3.0, hence the detour.
    whole = text.cast(pl.Int64, strict=False)
    return pl.select(pl.coalesce(whole, _whole(numbers))).to_series().alias(values.name)


def _whole(numbers: pl.Series) -> pl.Series:
    integral = (numbers == numbers.floor()).fill_null(False) & (numbers.abs() < 2.0**53).fill_null(False)
    return pl.select(pl.when(integral).then(numbers).cast(pl.Int64, strict=False).alias(numbers.name)).to_series()


def _infer(values: pl.Series) -> pl.Series:
    """A column that no schema names, as numbers where all of it is, otherwise as the text it was."""
    for kind in (pl.Int64, pl.Float64):
        numbers = values.cast(kind, strict=False)
        if numbers.null_count() == values.null_count():
            return numbers
    return values


def _find_missing(values: pl.Series, *blanks: str) -> np.ndarray:
    """Which cells are empty; ``blanks`` are texts that count as empty too, as other programs write NaN."""
    if values.dtype.is_numeric():
        numbers = values.to_numpy()
        return np.asarray(np.isnan(numbers))
    if values.dtype == pl.String:
        # Few texts stand in most tables, however many rows they have.
        kinds = values.unique()
        empty = kinds.filter(kinds.str.strip_chars().str.to_lowercase().fill_null("").is_in(["", *blanks]))
        return values.is_in(empty.implode(), nulls_equal=True).to_numpy() if len(empty) else np.zeros(len(values), bool)
    return values.is_null().to_numpy()


def _describe(column: Column) -> str:
    words = " or ".join(column.choices) or _KIND_NAMES[column.kind]
    if column.least is not None and column.most is not None:
        words += f" from {column.least:g} to {column.most:g}"
    elif column.least is not None:
        words += f" of at least {column.least:g}"
    elif column.above is not None:
        words += f" above {column.above:g}"
    return words + (" or nothing" if column.empty else "")


def _are_surely_distinct(keys: pl.DataFrame) -> bool:
    """Whether no two rows without missing values are alike: keys of whole numbers are packed into one number each."""
    if any(one.null_count() or not one.dtype.is_integer() for one in keys):
        return keys.n_unique() == keys.height
    columns = [one.to_numpy().astype(np.int64, copy=False) for one in keys]
    known = np.logical_and.reduce([one >= 0 for one in columns])
    columns = [one[known] for one in columns] if not known.all() else columns
    spans = [int(one.max(initial=0)) + 1 for one in columns]
    if math.prod(spans) >= 2**62:
        return keys.n_unique() == keys.height
    packed = np.zeros(len(columns[0]), np.int64)
    for one, span in zip(columns, spans, strict=True):
        packed = packed * span + one
    if (np.diff(packed) > 0).all():
        return True
    return bool((np.diff(np.sort(packed)) > 0).all())


def _refuse_repeats(frame: pl.DataFrame, key: tuple[str, ...], origin: _Origin) -> None:
    # The quick look comes first: most tables have no repeats at all.
    if any(name not in frame.columns for name in key) or _are_surely_distinct(frame.select(key)):
        return
    known = pl.all_horizontal(
        (pl.col(name) >= 0 if frame[name].dtype.is_numeric() else pl.col(name).is_not_null()).fill_null(False)
        for name in key
    )
    rows = frame.select(*key).with_row_index("_row").filter(known)
    repeats = rows.filter(~pl.struct(*key).is_first_distinct())
    if repeats.is_empty():
        return
    second = repeats.row(0, named=True)
    first = rows.filter(pl.all_horizontal(pl.col(name) == second[name] for name in key)).row(0, named=True)
    what = ", ".join(f"{name} {second[name]}" for name in key)
    raise DataError(
        f"{origin.name}, {origin.cell(second['_row'])}: {what} is there already "
        f"({origin.cell(first['_row'])}); remove one of the two"
    )


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path, memory_map=False)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such table") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path} is not a parquet table: {error}") from None


def _read_csv(path: Path) -> tuple[pl.DataFrame, np.ndarray]:
    """The table as text, apart from columns the schema will not touch, and the line of every row."""
    try:
        frame = pl.read_csv(path, infer_schema=False)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such table") from None
    except pl.exceptions.NoDataError:
        raise DataError(f"{path} is empty; a CSV table starts with a line of column names") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path} is not a CSV table in UTF-8 with commas: {_first_line(error)}") from None
    refuse_cut_off(path)
    if frame.width == 1 and ";" in frame.columns[0]:
        raise DataError(f"{path} is separated by semicolons; save it with commas")
    repeated = [name for name in frame.columns if "_duplicated_" in name]
    if repeated:
        raise DataError(f"{path} has the column {repeated[0].split('_duplicated_')[0]!r} twice; remove one")
    frame = frame.rename({name: name.strip() for name in frame.columns}).with_row_index("_line", offset=2)
    frame = frame.filter(~pl.all_horizontal(pl.exclude("_line").is_null()))
    return frame.drop("_line"), frame["_line"].to_numpy()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
