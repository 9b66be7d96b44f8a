"""Names that people give to identities reach the tables, and two identities never share one."""

from pathlib import Path

import numpy as np
import pytest

from cender.errors import DataError
from cender.io import create_run, load_truth
from cender.io.results.folder.names import load_guesses
from cender.io.results.tables.traces import tabulate_traces, widen_ratio
from cender.types import Traces


def write(folder: Path, *rows: str) -> None:
    (folder / "identities.csv").write_text("\n".join(["identity,name,note", *rows]), encoding="utf-8")


def test_names_are_read(tmp_path: Path) -> None:
    run = create_run(tmp_path / "run", {})
    assert run.load_names() == {}
    write(run.path, "3,AVAL,", "5,,", "7, AVAR ,sure", "9,9,")
    assert run.load_names() == {3: "AVAL", 7: "AVAR", 9: "9"}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (("3,AVAL,", "7,AVAL,"), "identities 3 and 7 are both called 'AVAL'"),
        (("3,7,",), "identity 3 is called '7'"),
        (("3,time_s,",), "another column"),
    ],
)
def test_names_that_mislead_are_refused(tmp_path: Path, rows: tuple[str, ...], says: str) -> None:
    run = create_run(tmp_path / "run", {})
    write(run.path, *rows)
    with pytest.raises(DataError, match=says):
        run.load_names()


def test_points_with_one_name_for_two_identities_are_refused(tmp_path: Path) -> None:
    lines = ["volume,z_um,y_um,x_um,identity,name", "0,1,2,3,4,AVAL", "0,1,9,3,5,AVAL"]
    path = tmp_path / "points.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match="both called 'AVAL'"):
        load_truth(path)
    path.write_text("\n".join(lines).replace("5,AVAL", "5,AVAR"), encoding="utf-8")
    assert load_truth(path).names == {4: "AVAL", 5: "AVAR"}


def test_names_head_the_columns_of_traces() -> None:
    values = np.array([[1.0, 2.0], [3.0, np.nan]])
    index = np.arange(2)
    traces = Traces(np.array([3, 8]), index, index / 5.0, values, values, values, values, values, np.isfinite(values))
    assert widen_ratio(traces, {8: "AVAL"}).columns == ["volume", "time_s", "3", "AVAL"]
    table = tabulate_traces(traces, {8: "AVAL"})
    assert table["name"].to_list() == [None, None, "AVAL", "AVAL"]
    assert "ratio_smooth" not in table.columns
    smooth = Traces(*(getattr(traces, name) for name in Traces.__slots__[:9]), values + 1, values)
    assert tabulate_traces(smooth, {})["ratio_smooth"].to_list() == [2.0, 3.0, 4.0, None]


def test_guesses_yield_to_names_of_people(tmp_path: Path) -> None:
    assert load_guesses(tmp_path, {}) == {}
    rows = "1,AVAL,0.9,machine\n2,AVAR,0.8,machine\n3,RIS,,human\n4,,,\n"
    (tmp_path / "names.csv").write_text(f"identity,name,probability,source\n{rows}")
    assert load_guesses(tmp_path, {3: "RIS"}) == {1: ("AVAL", 0.9), 2: ("AVAR", 0.8)}
    assert load_guesses(tmp_path, {1: "AVEL"}) == {2: ("AVAR", 0.8)}
    assert load_guesses(tmp_path, {9: "AVAL"}) == {2: ("AVAR", 0.8)}, "a name that a person gave elsewhere"
    (tmp_path / "names.csv").write_text("something,else\n1,2\n")
    with pytest.raises(DataError, match="damaged"):
        load_guesses(tmp_path, {})
