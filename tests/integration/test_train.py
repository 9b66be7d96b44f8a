"""``cender train detector`` from folders to weights."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cender.cli.app import app
from cender.config import load_config
from cender.errors import CenderError, DataError
from cender.io import load_truth, load_weights, save_truth
from cender.nets.scoring import KIND
from cender.pipeline.learn.simulated import save_simulation
from cender.pipeline.volumes.detector import build_detector
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Annotations

QUICK = ["train.fine_steps=2", "train.steps=2", "train.check_every=1", "train.window_px=32", "train.windows=1"]


@pytest.fixture(scope="module")
def worm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    params = SimulateParams(preset="easy", seed=1900, volumes=1, shape=(12, 320, 320), voxel_um=(2.2, 0.5, 0.5))
    folder = tmp_path_factory.mktemp("annotated") / "worm"
    save_simulation(simulate_recording(params), folder, "npz")
    return folder


def train(*words: object) -> str:
    sets = [word for setting in QUICK for word in ("--set", setting)]
    result = CliRunner().invoke(app, ["train", "detector", *map(str, words), *sets])
    if isinstance(result.exception, CenderError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_annotated_folder_gives_weights_that_a_detector_takes(worm: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.safetensors"
    assert str(out) in train(worm, "--out", out)
    weights = load_weights(out, KIND)
    assert weights.metadata["steps"] == "2"
    assert out.with_suffix(".png").stat().st_size > 0
    assert not out.with_suffix(".checkpoint").exists()
    build_detector(load_config(None, [f"detect.weights={out.as_posix()}"]).detect)


def test_default_place_is_the_folders_own_models(worm: Path) -> None:
    train(worm)
    assert (worm / "models" / "detector.safetensors").is_file()


def test_centres_alone_refine_weights_but_cannot_start_from_nothing(worm: Path, tmp_path: Path) -> None:
    truth = load_truth(worm / "truth")
    points = {key: Annotation.from_points(key, one.centre_um, one.identity) for key, one in truth.annotations.items()}
    bare = tmp_path / "bare"
    bare.mkdir()
    save_truth(Annotations("points", truth.voxel_um, truth.rate_hz, points), bare / "truth")
    shutil.copy(worm / "recording.npz", bare)
    out = tmp_path / "a.safetensors"
    train(bare, "--out", out, "--partial")
    assert out.is_file()
    with pytest.raises(DataError, match="cannot be the only teacher"):
        train(bare, "--out", out, "--from-scratch")


def test_missing_recording_is_named(worm: Path, tmp_path: Path) -> None:
    shutil.copytree(worm / "truth", tmp_path / "lonely" / "truth")
    with pytest.raises(DataError, match=r"expected the recording beside it as recording\.\*"):
        train(tmp_path / "lonely")


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(DataError, match="at least one truth folder"):
        train()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_stopped_twice_in_a_hurry_it_can_still_go_on(worm: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.safetensors"
    sets = [word for setting in (*QUICK, "train.fine_steps=1000000") for word in ("--set", setting)]
    words = [sys.executable, "-m", "cender", "train", "detector", str(worm), "--out", str(out), *sets]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        said = ""
        while "neurons" not in said:
            said += process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        said += process.communicate()[1]
    assert process.returncode == 130, said
    assert "the same command goes on from there" in said
    kept = load_weights(out.with_suffix(".checkpoint"), "detector checkpoint")
    assert json.loads(kept.metadata["progress"])["step"] >= 1
