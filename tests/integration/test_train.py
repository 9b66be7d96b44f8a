"""``cender train detector`` from folders to weights."""

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.annotate.edits import DeleteNeuron
from cender.annotate.marks import Spot
from cender.cli.app import app
from cender.config import load_config
from cender.errors import CenderError, DataError
from cender.io import load_truth, load_weights, save_truth
from cender.io.params import RecordingParams
from cender.io.results.annotations.human import save_human
from cender.io.results.annotations.log import EditLog
from cender.io.results.folder.run_folder import create_run
from cender.nets.scoring import KIND
from cender.pipeline.learn.annotated import load_annotated
from cender.pipeline.learn.learning import collect_heads
from cender.pipeline.learn.simulated import save_simulation
from cender.pipeline.volumes.detector import build_detector
from cender.simulate import SimulateParams, simulate_recording
from cender.training.detector.samples import Sample
from cender.types import Annotation, Annotations

QUICK = ["train.fine_steps=2", "train.steps=2", "train.check_every=1", "train.window_px=32", "train.windows=1"]
QUICK += ["train.replay=1", "train_recognizer.steps=2", "train_recognizer.self_rounds=0", "train_recognizer.warped=2"]


@pytest.fixture(scope="module")
def worm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    params = SimulateParams(preset="easy", seed=1900, volumes=1, shape=(12, 280, 280), voxel_um=(1.8, 0.4, 0.4))
    folder = tmp_path_factory.mktemp("annotated") / "worm"
    save_simulation(simulate_recording(params), folder, "npz")
    return folder


def train(*words: object, what: str = "detector") -> str:
    sets = [word for setting in QUICK for word in ("--set", setting)]
    result = CliRunner().invoke(app, ["train", what, *map(str, words), *sets])
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


@pytest.fixture
def corrected(worm: Path, tmp_path: Path) -> Path:
    """A folder in which a person has marked every other neuron and removed what the machine saw at another place."""
    truth = load_truth(worm / "truth")
    source = {"source": str(worm / "recording.npz"), "voxel_um": list(truth.voxel_um or ())}
    folder = create_run(tmp_path / "run", {"recording": source}).path
    one = truth.annotations[0]
    save_human(folder, replace(Annotation.from_points(0, one.centre_um[::2], one.identity[::2]), complete=False))
    with EditLog(folder) as log:
        log.append("Ada", DeleteNeuron(spot=Spot(volume=0, key="m3", place_um=(4.0, 20.0, 20.0))))
    return folder


def test_marks_and_removals_of_a_run_folder_teach(corrected: Path) -> None:
    known = load_annotated(corrected, RecordingParams())
    assert not known.truth.annotations[0].complete
    np.testing.assert_allclose(known.denied_um[0], [[4.0, 20.0, 20.0]])
    heads = collect_heads([corrected], load_config(None, ["train.replay=1"]))
    assert heads.samples[0].partial
    assert len(heads.samples[0].denied) == 1
    assert len(heads.replay) == 1


def test_one_command_teaches_both(corrected: Path) -> None:
    train(corrected, what="all")
    assert (corrected / "models" / "detector.safetensors").is_file()
    assert (corrected / "models" / "recognizer.safetensors").is_file()


def test_a_folder_that_nobody_annotated_teaches_nothing(worm: Path, tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", {"recording": {"source": str(worm / "recording.npz")}}).path
    with pytest.raises(DataError, match="nothing is annotated here yet"):
        train(folder, what="all")


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


def test_every_seed_simulates_animals_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    nothing = np.zeros((0, 3))
    empty = Sample(
        np.zeros((2, 32, 32), np.float32),
        np.zeros(0, int),
        np.zeros((0, 4)),
        np.zeros(0, int),
        nothing,
        nothing,
        np.ones(3),
    )

    def remember(animals: int, volumes: int, seed: int, *_: object) -> list[Sample]:
        drawn.append(seed)
        return [empty]

    monkeypatch.setattr("cender.pipeline.learn.learning.make_simulated_samples", remember)
    for seed in (0, 20_000):
        collect_heads([], load_config(None, []), simulated=2, seed=seed)
    assert drawn[1] - drawn[0] == 20_000
