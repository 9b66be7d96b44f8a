"""``cender bench tables`` from the command line, with rows that are there already."""

import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from cender.bench.paper import measurements
from cender.bench.paper.items import Item
from cender.cli import console
from cender.cli.app import app
from cender.errors import ConfigError, DataError
from cender.io.measured import Measured, add_measured

FIGURES = {"accuracy": 0.5, "train_s": 30.0, "ms_per_volume": 4.0}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """What was asked for; one row is given without measuring."""
    calls: list[tuple] = []

    def list_items(config, data, scope):
        calls.append((config.simulate.preset, config.simulate.volumes, data, scope.full))
        return [Item("typical, blocked, default", lambda: FIGURES, {})]

    monkeypatch.setattr(measurements, "list_items", list_items)
    # A console takes its width when it is made, which other tests may have done before.
    monkeypatch.setattr(console, "STDOUT", Console(width=300))
    return calls


def run(*words: str) -> str:
    env = {"CENDER_DATA": None}
    done = CliRunner().invoke(app, ["bench", "tables", *words], catch_exceptions=False, env=env)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_tables_are_printed(asked: list[tuple]) -> None:
    text = run()
    assert all(word in text for word in ("Table 4", "Table S2", "86.51", "cender, ours", "–", "cender "))
    assert asked == [("typical", 60, None, False)]


def test_json_has_all_tables_and_provenance(asked: list[tuple], tmp_path: Path) -> None:
    rows = str(tmp_path / "rows.jsonl")
    shown = json.loads(run("--full", "--rows", rows, "--json", "--set", "simulate.volumes=30"))
    assert [one["number"] for one in shown["tables"]][:8] == ["1", "2", "3", "4", "5", "6", "S1", "S2"]
    assert shown["scope"] == "full"
    assert "seconds" in shown["provenance"]["typical, blocked, default"]
    assert asked == [("typical", 30, None, True)]


def test_what_takes_hours_is_refused_where_it_would_not_be_kept(asked: list[tuple]) -> None:
    done = CliRunner().invoke(app, ["bench", "tables", "--full"], env={"CENDER_DATA": None})
    assert isinstance(done.exception, ConfigError)
    assert "--rows FILE" in str(done.exception)
    assert asked == [], "nothing was measured"


def test_kept_rows_are_printed_without_measuring(asked: list[tuple], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    first = run("--rows", str(rows), "--markdown")
    again = run("--rows", str(rows), "--kept", "--markdown")
    assert first == again
    assert "| typical, blocked, default |" in again
    assert len(asked) == 1


@pytest.mark.parametrize("command", ["tables", "figures"])
def test_a_folder_of_data_that_is_not_there_is_refused(asked: list[tuple], tmp_path: Path, command: str) -> None:
    words = ["bench", command, *([str(tmp_path / "out")] if command == "figures" else [])]
    (tmp_path / "file").touch()
    for name, found in (("none", "found nothing"), ("file", "found a file")):
        done = CliRunner().invoke(app, [*words, "--data", str(tmp_path / name)])
        assert isinstance(done.exception, DataError)
        assert found in str(done.exception)
    assert asked == [], "nothing was measured without it"
    assert not (tmp_path / "out").exists()


def test_kept_rows_of_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["bench", "tables", "--kept", "--rows", str(tmp_path / "rows.jsonl")])
    assert isinstance(done.exception, ConfigError)
    assert "there is no file" in str(done.exception)


def test_after_an_interruption_the_command_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop() -> dict:
        raise KeyboardInterrupt

    items = [Item("stages", lambda: FIGURES, {}, 5, "g"), Item("axes", stop, {}, 5, "g")]
    monkeypatch.setattr(measurements, "list_items", lambda *_: items)
    said: list[str] = []
    monkeypatch.setattr(console, "say_always", said.append)
    rows = tmp_path / "rows.jsonl"
    for words in ([], ["--rows", str(rows)]):
        CliRunner().invoke(app, ["bench", "tables", *words], env={"CENDER_DATA": None})
    assert "nothing is kept; name a file with --rows FILE" in said[0]
    assert f"{rows} keeps 1 finished row; the same command goes on" in said[1]


def test_a_part_of_the_data_fills_the_rows_that_it_can(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    points = "".join(f"{volume},0,{10 * row},{row},{row}\n" for volume in range(2) for row in range(5))
    (tmp_path / "C1").mkdir()
    (tmp_path / "C1" / "points.csv").write_text("volume,z_um,y_um,x_um,identity\n" + points)
    (tmp_path / "C1" / "truth.toml").write_text("format = 1\ncomplete = true\n")
    said: list[str] = []
    monkeypatch.setattr(console, "say_always", said.append)
    words = ["bench", "tables", "--data", str(tmp_path), "--only", "count", "--only", "C1, 30, paper", "--json"]
    monkeypatch.setattr("cender.bench.paper.lanes.count_lanes", lambda: 1)
    shown = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)
    assert not [one for one in said if one.startswith("count")], said
    assert shown["tables"][0]["rows"][1][:2] == ["C1", 2], "its volumes are counted"
    assert len(said) == 1
    assert said[0].startswith("C1, 30, paper: not measured, ")


def test_a_quick_look_keeps_what_the_full_form_has_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def list_items(config, data, scope):
        key, inputs = "carried, default", {"repeats": scope.repeats}
        return [Item(key, lambda: {**FIGURES, "accuracy": 0.7 if scope.full else 0.5}, inputs)]

    def read_accuracy(*words: str) -> float:
        table = json.loads(run("--rows", str(tmp_path / "rows.jsonl"), "--json", *words))["tables"][3]
        return next(row[3] for row in table["rows"] if row[:2] == ["across, template only", "cender, ours"])

    monkeypatch.setattr(measurements, "list_items", list_items)
    assert read_accuracy() == 50.0
    assert read_accuracy("--full") == 70.0
    assert read_accuracy() == 70.0


def test_rows_that_a_run_cannot_measure_stay_in_its_tables(asked: list[tuple], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    add_measured(rows, Measured("carried, paper", FIGURES, {"of": "another run"}, {}))
    text = run("--rows", str(rows), "--markdown")
    assert "| carried, paper |" in text
    assert "| typical, blocked, default |" in text
