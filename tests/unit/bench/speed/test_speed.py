"""The benchmark of speed, with little to measure."""

import json
from functools import partial

import pytest
from typer.testing import CliRunner

from cender.bench.speed import reading, stages
from cender.cli.app import app

NO_RUNS = ("--volumes", "0", "--long", "0", "--kills", "0")


def run(*words: str) -> str:
    """What a benchmark prints; its own errors are raised."""
    result = CliRunner().invoke(app, ["bench", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_speed_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    # Few volumes are timed, once: the figures need not be precise here.
    monkeypatch.setattr(reading, "HELD", 1)
    monkeypatch.setattr(reading, "DRAWN", 1)
    monkeypatch.setattr(stages, "ANCHORS_TIMED", 16)
    drawn = stages.draw_volumes(1)
    monkeypatch.setattr(stages, "draw_volumes", lambda count=1: drawn)
    monkeypatch.setattr(stages, "measure_stages", partial(stages.measure_stages, rounds=1))
    figures = json.loads(run("speed", "--gigabytes", "0.1", "--json", *NO_RUNS))
    assert figures["file"]["volumes"] == 1
    assert figures["file"]["gb_per_s"] > 0
    assert figures["on_the_fly"]["peak_mb"] is None or figures["on_the_fly"]["peak_mb"] > 10
    assert set(figures["ratios"]) == {"reading_to_memmap", "drawing_to_memmap"}
