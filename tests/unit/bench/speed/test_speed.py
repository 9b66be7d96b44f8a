"""The benchmark of speed, with little to measure: the figures need not be precise here."""

import json
from functools import partial

import pytest
from typer.testing import CliRunner

from cender.bench.speed import reading, stages
from cender.cli.app import app
from cender.simulate import SimulateParams

NO_RUNS = ("--volumes", "0", "--long", "0", "--kills", "0")
SMALL = partial(SimulateParams, shape=(8, 200, 200), voxel_um=(3.0, 0.9, 0.9))


def test_speed_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reading, stages):
        monkeypatch.setattr(module, "SimulateParams", SMALL)
        monkeypatch.setattr(module, "DRAWN", 1)
    monkeypatch.setattr(reading, "HELD", 1)
    monkeypatch.setattr(stages, "ANCHORS_TIMED", 16)
    drawn = stages.draw_volumes(1)
    monkeypatch.setattr(stages, "draw_volumes", lambda count=1: drawn)
    monkeypatch.setattr(stages, "measure_stages", partial(stages.measure_stages, rounds=1))
    words = ["bench", "speed", "--gigabytes", "0.1", "--json", *NO_RUNS]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    figures = json.loads(done.stdout)
    assert figures["file"]["volumes"] >= 1
    assert figures["file"]["gb_per_s"] > 0
    assert figures["on_the_fly"]["peak_mb"] is None or figures["on_the_fly"]["peak_mb"] > 10
    assert set(figures["ratios"]) == {"reading_to_memmap", "drawing_to_memmap"}
    assert set(figures["stages"]["stages_ms"]) >= {"preprocess", "detect", "merge"}
    assert figures["paper_network"]["anchors"] > 16
