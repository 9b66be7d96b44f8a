"""``cender bench tables`` from the command line, with tables that are there at once."""

import json

import pytest
from typer.testing import CliRunner

from cender.bench.paper import tables
from cender.cli.app import app

MADE = [tables.Table("Speed", ("method", "s/volume"), (("ours", 0.125), ("theirs", None)), "on paper")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """What was asked for; the tables are given without measuring."""
    calls: list[tuple] = []

    def build_tables(config, data, full, on_step):
        calls.append((config.simulate.preset, config.simulate.volumes, data, full))
        on_step("all")
        return MADE

    monkeypatch.setattr(tables, "build_tables", build_tables)
    return calls


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["bench", "tables", *words], catch_exceptions=False, env={"CENDER_DATA": None})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_tables_are_printed(asked: list[tuple]) -> None:
    text = run()
    assert all(word in text for word in ("Speed", "ours", "0.125", "–", "on paper", "cender "))
    assert asked == [("typical", 200, None, False)]


def test_json_has_all_rows(asked: list[tuple]) -> None:
    shown = json.loads(run("--full", "--json", "--set", "simulate.volumes=30"))
    assert shown["tables"][0]["rows"] == [["ours", 0.125], ["theirs", None]]
    assert shown["scope"] == "full"
    assert shown["preset_hash"]
    assert asked == [("typical", 30, None, True)]
