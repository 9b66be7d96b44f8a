"""Tables say what is wrong with them, and where."""

from pathlib import Path

import polars as pl
import pytest

from cender.errors import DataError, UnsupportedFormat
from cender.io.results.tables.checked import check_table, load_table, save_table
from cender.io.results.tables.schemas import (
    IDENTITIES,
    REGIONS,
    RUN_TABLES,
    TRACES,
    TRUTH_POINTS,
    TRUTH_REGIONS,
    TRUTH_TABLES,
)

HEADER = "volume,neuron,z,x,y,w,h,identity\n"
GOOD = HEADER + "0,1,2,3.5,4,5,6,7\n0,1,3,3.5,4,5,6,7\n"


def write_csv(folder: Path, text: str) -> Path:
    path = folder / "regions.csv"
    path.write_bytes(text.encode("utf-8"))
    return path


def test_csv_is_read_in_the_types_of_the_schema(tmp_path: Path) -> None:
    table = load_table(write_csv(tmp_path, GOOD), TRUTH_REGIONS)
    assert table.columns == list(TRUTH_REGIONS.columns)
    assert table.dtypes == [column.kind for column in TRUTH_REGIONS.columns.values()]
    assert table.row(0) == (0, 1, 2, 3.5, 4.0, 5.0, 6.0, 7)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,1,4,3,4,-5,6,7", r"line 4, column 'w': expected a number above 0, found '-5'"),
        ("0,1,4,3,4,5,0,7", r"line 4, column 'h': expected a number above 0, found '0'"),
        ("0,1,4,nan,4,5,6,7", r"line 4, column 'x': expected a number, found 'nan'"),
        ("0,1,4,,4,5,6,7", r"line 4, column 'x': expected a number, found an empty cell"),
        ("0,1,4,inf,4,5,6,7", r"line 4, column 'x': expected a number, found 'inf'"),
        ("0,1,4,left,4,5,6,7", r"line 4, column 'x': expected a number, found 'left'"),
        ("0,1,4.5,3,4,5,6,7", r"line 4, column 'z': expected a whole number of at least 0, found '4.5'"),
        ("-1,1,4,3,4,5,6,7", r"line 4, column 'volume': expected a whole number of at least 0, found '-1'"),
        ("0,1,4,3,4,5,6,-2", r"line 4, column 'identity': expected a whole number of at least -1 or nothing"),
        ("0,1,3,9,9,9,9,7", r"line 4: volume 0, neuron 1, z 3 is there already \(line 3\)"),
        ("0,1,4,3,4,5,6,7,8", r"is not a CSV table in UTF-8 with commas: found more fields"),
    ],
)
def test_bad_row_is_refused_with_its_place(tmp_path: Path, row: str, message: str) -> None:
    load_table(write_csv(tmp_path, GOOD), TRUTH_REGIONS)
    path = write_csv(tmp_path, GOOD + row + "\n")
    with pytest.raises(DataError, match=message) as caught:
        load_table(path, TRUTH_REGIONS)
    assert str(path) in str(caught.value)


def test_lines_are_counted_as_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 6, column 'w'"):
        load_table(write_csv(tmp_path, GOOD + "\n\n0,1,4,3,4,-5,6,7\n"), TRUTH_REGIONS)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ufeff" + GOOD, id="byte order mark"),
        pytest.param(GOOD.replace("\n", "\r\n"), id="Windows line ends"),
        pytest.param(GOOD + "\n\n", id="empty lines"),
        pytest.param(GOOD.replace(",", ", "), id="spaces"),
        pytest.param(GOOD.replace(",7\n", ",7.0\n"), id="whole numbers as pandas writes them beside gaps"),
    ],
)
def test_csv_of_other_programs_is_the_same_table(tmp_path: Path, text: str) -> None:
    plain = load_table(write_csv(tmp_path, GOOD), TRUTH_REGIONS)
    assert load_table(write_csv(tmp_path, text), TRUTH_REGIONS).equals(plain)


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "-1", "-1.0"])
def test_empty_identity_is_none(tmp_path: Path, cell: str) -> None:
    text = HEADER + f"0,1,2,3,4,5,6,{cell}\n0,2,2,3,4,5,6,{cell}\n"
    assert load_table(write_csv(tmp_path, text), TRUTH_REGIONS)["identity"].to_list() == [-1, -1]


def test_one_identity_twice_in_a_volume_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("volume,z_um,y_um,x_um,identity\n0,1,1,1,3\n1,1,1,1,3\n0,2,2,2,3\n")
    with pytest.raises(DataError, match=r"line 4: volume 0, identity 3 is there already \(line 2\)"):
        load_table(path, TRUTH_POINTS)


def test_extra_columns_are_kept_behind_the_others(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("colour0,volume,z_um,y_um,x_um,identity,lab\n0.5,0,1,1,1,,HL\n1,1,1,1,1,2,\n")
    table = load_table(path, TRUTH_POINTS)
    assert table.columns == ["volume", "z_um", "y_um", "x_um", "identity", "colour0", "lab"]
    assert table["colour0"].to_list() == [0.5, 1.0]
    assert table["lab"].to_list() == ["HL", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; a CSV table starts with a line of column names"),
        ("volume,z\n0,1\n", "lacks 'neuron', 'x', 'y', 'w', 'h'.*found volume, z"),
        (HEADER.replace(",", ";") + "1;2;3;4;5;6;7;8\n", "separated by semicolons"),
        ("volume,volume\n1,2\n", "the column 'volume' twice"),
    ],
)
def test_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_table(write_csv(tmp_path, text), TRUTH_REGIONS)


def test_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("hello")
    (tmp_path / "a.csv").write_bytes(b"volume,z\n\xff\xfe,1\n")
    (tmp_path / "a.xlsx").write_text("hello")
    with pytest.raises(DataError, match=r"a\.parquet is not a parquet table"):
        load_table(tmp_path / "a.parquet", REGIONS)
    with pytest.raises(DataError, match=r"a\.csv is not a CSV table in UTF-8"):
        load_table(tmp_path / "a.csv", REGIONS)
    with pytest.raises(UnsupportedFormat, match=r"\.csv or a \.parquet file, not \.xlsx"):
        load_table(tmp_path / "a.xlsx", REGIONS)
    for name in ("b.csv", "b.parquet"):
        with pytest.raises(DataError, match="no such table"):
            load_table(tmp_path / name, REGIONS)


def test_parquet_is_checked_by_row_and_type(tmp_path: Path) -> None:
    good = pl.DataFrame({"volume": [0, 0], "identity": [1, 2], "ratio": [1.0, None]})
    path = tmp_path / "traces.parquet"
    schema = TRUTH_TABLES["traces"]
    save_table(good.with_columns(pl.col("volume").cast(pl.UInt16)), path, schema)
    assert load_table(path, schema).equals(good)
    good.with_columns(pl.Series("identity", ["1", "2"])).write_parquet(path)
    with pytest.raises(DataError, match=r"column 'identity': expected a whole number.*found a column of type String"):
        load_table(path, schema)
    good.with_columns(pl.Series("identity", [1, -4])).write_parquet(path)
    with pytest.raises(DataError, match=r"row 1, column 'identity'.*found -4"):
        load_table(path, schema)


def test_bad_table_is_not_saved_and_the_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "identities.csv"
    good = pl.DataFrame({"identity": [1, 2], "name": ["AVAL", None]})
    save_table(good, path, IDENTITIES)
    before = path.read_bytes()
    with pytest.raises(DataError, match="identity 1 is there already"):
        save_table(pl.concat([good, good]), path, IDENTITIES)
    assert path.read_bytes() == before
    assert load_table(path, IDENTITIES).equals(good)


@pytest.mark.parametrize("schema", [*RUN_TABLES.values(), *TRUTH_TABLES.values(), IDENTITIES], ids=lambda s: s.name)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_empty_table_keeps_its_columns(tmp_path: Path, schema, suffix: str) -> None:
    empty = pl.DataFrame(schema={name: column.kind for name, column in schema.columns.items()})
    save_table(empty, tmp_path / f"table{suffix}", schema)
    assert load_table(tmp_path / f"table{suffix}", schema).equals(empty)


def test_choices_and_truth_values_are_checked(tmp_path: Path) -> None:
    row = {"identity": 1, "volume": 0, "time_s": 0.1, "red": 1.0, "green": 1.0, "ratio": 1.0, "dr_r0": 0.0}
    frame = pl.DataFrame([{**row, "probability": 0.5, "valid": True}])
    assert check_table(frame, TRACES, "traces").equals(frame)
    with pytest.raises(DataError, match=r"'probability': expected a number from 0 to 1 or nothing, found 1\.5"):
        check_table(frame.with_columns(probability=1.5), TRACES, "traces")
    path = tmp_path / "traces.csv"
    frame.with_columns(pl.lit("maybe").alias("valid")).write_csv(path)
    with pytest.raises(DataError, match=r"line 2, column 'valid': expected true or false, found 'maybe'"):
        load_table(path, TRACES)
