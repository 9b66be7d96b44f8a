"""``cender bench detection`` from the command line, on animals and heads that are small."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cases.simulations import simulate
from cender.cli.app import app
from cender.errors import ConfigError, DataError

SMALL = ["--set", "simulate.shape=[12, 256, 256]", "--set", "simulate.voxel_um=[1.5, 0.6, 0.6]"]
ONE = ["--preset", "easy", "--animals", "1", "--volumes", "1", "--only", "default", *SMALL]


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["bench", "detection", *words], catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_figures_of_every_task() -> None:
    shown = json.loads(run(*ONE, "--json"))
    (result,) = shown["presets"]
    assert (result["preset"], result["volumes"], shown["real"]) == ("easy", 1, None)
    assert set(result["tasks"]) == {"default", "true boxes, paper merging", "true boxes, default merging"}
    assert result["tasks"]["default"]["detection_3d"]["f1"] > 0.5
    assert result["tasks"]["true boxes, default merging"]["detection_2d"]["f1"] == 1
    assert result["tasks"]["default"]["ms_per_volume"] > 0


def test_settings_are_obeyed() -> None:
    plain, strict = (
        json.loads(run(*ONE, "--json", "--set", f"merge.least_chance={chance}"))["presets"][0]["tasks"]["default"]
        for chance in (0.5, 0.999)
    )
    assert strict["detection_3d"]["recall"] < plain["detection_3d"]["recall"]


def test_table_for_people() -> None:
    shown = run(*ONE)
    assert "3D F1" in shown
    assert "The paper's" in shown


def test_real_heads_before_and_after_learning(tmp_path: Path) -> None:
    for number in range(3):
        simulation = simulate(seed=5200 + number, volumes=1, preset="easy", shape=(6, 128, 128))
        known, voxel = simulation.annotate(0), np.array(simulation.world.params.voxel_um)
        np.savez(
            tmp_path / f"neuropal_head_{number}.npz",
            volume=simulation.recording.volume(0).data[0],
            voxel_um_zyx=voxel,
            points_zyx=known.centre_um / voxel,
        )
    quick = {"fine_steps": 1, "window_px": 32, "windows": 1, "replay": 1, "threads": 1}
    words = [part for name, value in quick.items() for part in ("--set", f"train.{name}={value}")]
    real = json.loads(run(*ONE, "--json", "--data", str(tmp_path), *words))["real"]
    assert set(real["zero_shot"]["heads"]) == {f"neuropal_head_{number}" for number in range(3)}
    assert real["zero_shot"]["mean"]["recall"] > 0.4
    assert len(real["fine_tuned_on_two"]["pairs"]) == 3
    assert 0 < real["fine_tuned_on_two"]["mean"]["recall"] <= 1


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="default or paper"):
        run("--only", "best")
    with pytest.raises(DataError, match="neuropal_head"):
        run(*ONE, "--data", str(tmp_path))
