"""A template is the recognizer of another animal's folder; one that cannot name neurons is refused with a reason."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.cli.app import app
from cender.config import Config
from cender.errors import DataError
from cender.io import open_folder, save_truth
from cender.io.weights import save_weights
from cender.pipeline.recording.recognizer.identify import build_foreign
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.pipeline.recording.recognizer.weights import KIND, find_taught
from cender.pipeline.recording.template import (
    choose_template,
    compare_with_mirror,
    find_template,
    load_template_names,
    needs_training,
)
from cender.pipeline.run import run_recording
from cender.recognize.foreign import mirror
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Identities, Weights

SMALL = {"preset": "easy", "volumes": 4, "shape": (10, 200, 200), "voxel_um": (2.5, 0.5, 0.5)}


def make_folder(folder: Path, identities: int, kind: str = "paper recognizer") -> Path:
    (folder / "models").mkdir(parents=True)
    known = list(range(5, 5 + identities))
    arrays = {"identities": np.array(known), "named": np.array([identities])}
    about = {"annotated": "1" if identities else "0"}
    metadata = {"kind": kind, "identities": json.dumps(known), "about": json.dumps(about)}
    save_weights(Weights(arrays, metadata), folder / "models" / "recognizer.safetensors")
    return folder


@pytest.mark.parametrize("kind", ["paper recognizer", KIND])
def test_the_numbers_of_the_template_stay(tmp_path: Path, kind: str) -> None:
    chosen = choose_template(make_folder(tmp_path / "worm", 30, kind), Config())
    assert find_taught(chosen) == frozenset(range(5, 35))
    assert find_taught(Config()) == frozenset()


def test_templates_that_know_too_little_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        choose_template(tmp_path / "none", Config())
    (tmp_path / "bare").mkdir()
    with pytest.raises(DataError, match="or annotated volumes, found neither"):
        choose_template(tmp_path / "bare", Config())
    with pytest.raises(DataError, match="at least 20 neurons with identities, found 10"):
        choose_template(make_folder(tmp_path / "ten", 10), Config())
    with pytest.raises(DataError, match="began without annotation"):
        choose_template(make_folder(tmp_path / "zero", 0, KIND), Config())


def test_a_folder_that_is_only_annotated_is_trained_first(tmp_path: Path) -> None:
    truth = simulate_recording(SimulateParams(**SMALL)).truth(range(1))
    save_truth(truth, tmp_path / "worm")
    assert needs_training(tmp_path / "worm")
    with pytest.raises(DataError, match="annotated but not trained"):
        choose_template(tmp_path / "worm", Config())
    few = {
        volume: replace(one, identity=np.where(np.arange(len(one)) < 10, one.identity, -1))
        for volume, one in truth.annotations.items()
    }
    save_truth(replace(truth, annotations=few), tmp_path / "few")
    with pytest.raises(DataError, match="at least 20 neurons with identities, found 10"):
        needs_training(tmp_path / "few")
    unnamed = {volume: replace(one, identity=one.identity * 0 - 1) for volume, one in truth.annotations.items()}
    save_truth(replace(truth, annotations=unnamed), tmp_path / "unnamed")
    with pytest.raises(DataError, match="neurons have identities that a person gave, found none"):
        needs_training(tmp_path / "unnamed")


def test_the_command_line_refuses_before_it_reads(tmp_path: Path) -> None:
    words = [
        "run",
        str(tmp_path / "recording.npy"),
        "--out",
        str(tmp_path / "out"),
        "--template",
        str(tmp_path / "none"),
    ]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, DataError)
    assert not (tmp_path / "out").exists()


def test_a_mirrored_animal_is_noticed() -> None:
    rng = np.random.default_rng(0)
    head = rng.normal(0, 10, (40, 3))

    def recognize(volumes: list[Annotation]) -> list[Identities]:
        """Sure of neurons that lie where the template has them."""
        away = [np.linalg.norm(one.centre_um[:, None] - head[None], axis=2).min(axis=1) for one in volumes]
        return [Identities(np.arange(len(one)), np.exp(-one)) for one in away]

    right = [Annotation.from_points(volume, head + rng.normal(0, 0.2, head.shape)) for volume in range(3)]
    mirrored = [Annotation.from_points(one.volume, one.centre_um * np.array([-1.0, 1, 1])) for one in right]
    assert compare_with_mirror(right, recognize) == []
    (said,) = compare_with_mirror(mirrored, recognize)
    assert "mirror image fits the template better" in said


def test_a_mirrored_recording_is_noticed_by_our_recognizer_and_another_animal_is_not_called_mirrored() -> None:
    untrained = {"steps": 0, "self_rounds": 0, "threads": 1}
    config = Config.model_validate({"train_recognizer": untrained})
    first, second = (
        list(simulate_recording(SimulateParams(**{**SMALL, "volumes": 2}, seed=seed)).truth().annotations.values())
        for seed in (1, 2)
    )
    recognize = build_foreign(train_weights(first[:1], [], config), config)
    assert compare_with_mirror(first[1:], recognize) == []
    assert compare_with_mirror(second, recognize) == [], "a head is nearly symmetric: its mirror image fits as well"
    (said,) = compare_with_mirror([mirror(one) for one in first[1:]], recognize)
    assert "mirror image fits the template better" in said


def test_names_of_the_template_are_carried_but_not_over_own_ones(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "worm", 30)
    truth = simulate_recording(SimulateParams(**SMALL)).truth(range(1))
    save_truth(replace(truth, names={5: "AVAL", 6: "AVAR", 7: "RIBL"}), folder)
    chosen = choose_template(folder, Config())
    assert find_template(chosen, folder) is None, "its own recognizer is no template"
    assert load_template_names(chosen, folder, {}) == {}
    assert load_template_names(chosen, tmp_path / "new", {7: "RIS", 9: "AVAR"}) == {5: "AVAL"}


def test_a_run_carries_numbers_and_names_of_another_animal(tmp_path: Path) -> None:
    config = Config.model_validate({"recognize": {"method": "paper", "paper": {"epochs": 40}}})
    teacher = simulate_recording(SimulateParams(**SMALL, seed=1)).truth()
    known = {int(number) for one in teacher.annotations.values() for number in one.identity}
    folder = tmp_path / "template"
    save_truth(replace(teacher, names={number: f"N{number}" for number in known}), folder)
    weights = train_weights(list(teacher.annotations.values()), [], config)
    save_weights(weights, folder / "models" / "recognizer.safetensors")
    other = simulate_recording(SimulateParams(**SMALL, seed=2)).recording
    np.save(tmp_path / "film.npy", np.stack([other.volume(index).data for index in range(len(other))]))
    facts = {"axes": "tczyx", "voxel_um": (2.5, 0.5, 0.5), "roles": ("red", "green"), "rate_hz": 5.0}
    run_config = choose_template(folder, Config.model_validate({"recording": facts}))
    done = run_recording(tmp_path / "film.npy", tmp_path / "out", run_config, workers=1)
    given = {number for number in done.neurons["identity"].to_list() if number >= 0}
    assert given
    assert given <= known
    assert all(name == f"N{number}" for number, name in open_folder(tmp_path / "out").load_names().items())
    assert set(open_folder(tmp_path / "out").load_names()) >= given
