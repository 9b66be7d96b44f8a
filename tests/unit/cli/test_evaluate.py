"""``cender evaluate``: tables for people, JSON for scripts, clear words for mistakes."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cases.building import Neuron, recording, volume
from cases.catalogue import CASES
from cender.cli.app import app
from cender.errors import CenderError, ConfigError, DataError
from cender.io import create_run, save_outcomes, save_truth
from cender.io.results.annotations.base import open_to_write
from cender.types import Annotation, Annotations, Identities, Neurons, Outcome, VoxelSize


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    """Truth folders of a prediction that misses one of three neurons, and of the truth."""
    case = CASES["missed neuron"]
    save_truth(case.predicted, tmp_path / "mine")
    save_truth(case.truth, tmp_path / "truth")
    return str(tmp_path / "mine"), str(tmp_path / "truth")


def run(*words: str) -> str:
    """What the command prints on standard output; its own errors are raised."""
    result = CliRunner().invoke(app, ["evaluate", *words], catch_exceptions=False, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.stdout


def refuse(*words: str) -> str:
    """The message with which the command refuses."""
    with pytest.raises(CenderError) as caught:
        CliRunner().invoke(app, ["evaluate", *words], catch_exceptions=False)
    assert isinstance(caught.value, ConfigError | DataError)
    return str(caught.value)


def test_json_is_one_object_and_nothing_else(folders: tuple[str, str]) -> None:
    mine, truth = folders
    figures = json.loads(run(mine, "--truth", truth, "--json"))
    assert figures["detection_3d"] == pytest.approx({"precision": 1, "recall": 2 / 3, "f1": 0.8})
    assert figures["errors"]["detection"]["missed"] == 1
    assert figures["provenance"]["data"] == truth
    assert not figures["provenance"]["renamed"]


def test_tables_show_figures_with_their_counts(folders: tuple[str, str]) -> None:
    mine, truth = folders
    text = run(mine, "--truth", truth)
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]
    assert ["neurons (3D)", "1.000", "0.667", "0.800", "3", "2", "2"] in rows
    assert ["identity accuracy, all", "0.667", "2 of 3 neurons"] in rows
    assert ["trace correlation", "–", "median of 0 varying neurons"] in rows
    assert "as they are" in text


def test_half_of_the_points_say_nothing_about_precision(tmp_path: Path) -> None:
    case = CASES["perfect"]
    save_truth(case.predicted, tmp_path / "mine")
    centres = case.truth.annotations[0].centre_um[::2].tolist()
    rows = [f"0,{z},{y},{x},{number}" for number, (z, y, x) in enumerate(centres)]
    half = tmp_path / "half.csv"
    half.write_text("\n".join(["volume,z_um,y_um,x_um,identity", *rows]) + "\n")
    text = run(str(tmp_path / "mine"), "--truth", str(half))
    table = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]
    assert [row[1:4] for row in table if row[0] == "centres (2 µm)"] == [["–", "1.000", "–"]]
    assert "1 not completely annotated" in text


def test_renaming_is_asked_for(tmp_path: Path) -> None:
    case = CASES["two volumes renamed consistently"]
    save_truth(case.predicted, tmp_path / "mine")
    save_truth(case.truth, tmp_path / "truth")
    words = (str(tmp_path / "mine"), "--truth", str(tmp_path / "truth"), "--json")
    assert json.loads(run(*words))["identity"]["accuracy"] == 0
    assert json.loads(run(*words, "--rename"))["identity"]["accuracy"] == 1


def test_volumes_limit_the_comparison(tmp_path: Path) -> None:
    case = CASES["volume not processed"]
    save_truth(case.predicted, tmp_path / "mine")
    save_truth(case.truth, tmp_path / "truth")
    words = (str(tmp_path / "mine"), "--truth", str(tmp_path / "truth"), "--json")
    assert json.loads(run(*words))["detection_3d"]["recall"] == 0.5
    assert json.loads(run(*words, "--volumes", "0:1"))["detection_3d"]["recall"] == 1


@pytest.mark.parametrize("text", ["5", "3:3", "4:2", "a:b", "-1:2", ":"])
def test_malformed_ranges_are_refused(folders: tuple[str, str], text: str) -> None:
    mine, truth = folders
    assert repr(text) in refuse(mine, "--truth", truth, f"--volumes={text}")


def test_volumes_that_the_truth_lacks_are_refused(folders: tuple[str, str]) -> None:
    mine, truth = folders
    assert "volumes are 0 to 0" in refuse(mine, "--truth", truth, "--volumes", "7:9")


def test_a_folder_of_neither_kind_is_refused(folders: tuple[str, str], tmp_path: Path) -> None:
    _, truth = folders
    (tmp_path / "other").mkdir()
    assert "a folder with neither" in refuse(str(tmp_path / "other"), "--truth", truth)
    assert "no such folder" in refuse(str(tmp_path / "nowhere"), "--truth", truth)


def test_picture_is_drawn(folders: tuple[str, str], tmp_path: Path) -> None:
    mine, truth = folders
    run(mine, "--truth", truth, "--picture", str(tmp_path / "errors.png"))
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")
    assert "cannot be written" in refuse(mine, "--truth", truth, "--picture", str(tmp_path / "errors.xyz"))


def save_run(path: Path, annotation: Annotation) -> None:
    """A run folder of one volume that found and named these neurons, and of one that failed."""
    count = len(annotation)
    neurons = Neurons(annotation.centre_um, np.zeros(count, int), np.full(count, 2), np.ones(count), annotation.regions)
    names = Identities(annotation.identity, annotation.probability)
    outcomes = [Outcome(0, 0.1, "ok", neurons=neurons), Outcome(1, 0.3, "failed", "dark")]
    run_folder = create_run(path, {"recording": {"voxel_um": [1.0, 1.0, 1.0], "rate_hz": 5.0}})
    save_outcomes(run_folder, outcomes, VoxelSize(1.0, 1.0, 1.0), {0: names})


def test_a_run_without_annotations_is_renamed(tmp_path: Path) -> None:
    true = (Neuron(0, identity=4), Neuron(8, identity=5))
    save_truth(recording(volume(0, *true), volume(1, *true)), tmp_path / "truth")
    worm = tmp_path / "worm"
    save_run(worm, volume(0, Neuron(0, identity=0), Neuron(8, identity=1)))
    words = (str(worm), "--truth", str(tmp_path / "truth"), "--json")
    figures = json.loads(run(*words))
    assert figures["detection_3d"] == pytest.approx({"precision": 1, "recall": 1 / 2, "f1": 2 / 3})
    assert figures["identity"]["accuracy"] == 1 / 2  # the failed volume is missed
    assert json.loads(run(*words, "--keep-numbers"))["identity"]["accuracy"] == 0
    open_to_write(worm / "annotations.sqlite").close()
    assert json.loads(run(*words))["identity"]["accuracy"] == 0


def test_a_truth_of_points_that_lies_beside_what_was_found_is_said_to(tmp_path: Path) -> None:
    place = np.random.default_rng(0).uniform(0, [24, 30, 60], (40, 3))
    for name, shift in (("mine", 0.0), ("right", 0.3), ("beside", 2.4)):
        points = Annotation.from_points(0, place + np.array([shift, 0.0, 0.0]), np.arange(40))
        right = Annotation.from_points(1, place, np.arange(40))
        save_truth(Annotations(name, VoxelSize(2.2, 0.5, 0.5), None, {0: points, 1: right}), tmp_path / name)

    def ask(name: str, *words: str) -> str:
        run = CliRunner().invoke(app, ["evaluate", str(tmp_path / "mine"), "--truth", str(tmp_path / name), *words])
        return " ".join(run.output.split())

    assert "lie beside" not in ask("right")
    assert "in 1 of 2 volumes the places of the truth all lie beside" in ask("beside")
    assert "2.4, 0.0, 0.0 µm" in ask("beside")
    assert "lie beside" not in ask("beside", "--volumes", "1:2"), "only volumes that are compared"
