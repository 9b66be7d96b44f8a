"""The curve of the paper's detector: one row per training, a point for every cycle, and weights that can be used."""

from pathlib import Path

import pytest

from cender.bench.paper import curve
from cender.bench.paper.own_scenes import read_scenes
from cender.config import Config
from cender.errors import DataError
from cender.io import RecordingParams, save_recording, save_truth
from cender.io.exchange.format import mark_partial
from cender.io.weights import load_weights
from cender.nets.multi_field import KIND, build_scorer
from cender.pipeline.learn.annotated import load_annotated
from cender.simulate import SimulateParams, simulate_recording
from unit.training.paper.test_anchor_targets import make_scene


def test_training_goes_on_after_every_cycle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve, "simulate_scenes", lambda seeds: ([make_scene(seed % 7) for seed in seeds][:2], "abc"))
    items = curve.list_curve([1 / 32], 2, [(7, 11)], tmp_path)
    assert [item.key.rsplit(", ")[-1] for item in items] == ["1 epochs", "3 epochs"]
    assert items[0].inputs["detector"]["anchors_px"] == [7, 11]

    def measure(cycle: int, folder: Path) -> dict:
        course = items[cycle].measure.func.__self__
        small = course.training.model_copy(update={"samples_per_epoch": 64, "batch": 32})
        return curve.Course(small, course.params, folder, course.volumes).measure(cycle)

    first = measure(0, tmp_path)
    second = measure(1, tmp_path)
    assert (first["steps"], second["steps"]) == (2, 6)
    assert second["train_s"] > first["train_s"], "from the beginning, also in another process"
    weights = load_weights(tmp_path / "multi_field_7-11_0.03125_3.safetensors", KIND)
    assert weights.metadata["preset"] == "typical abc"
    build_scorer(weights.arrays, float(weights.metadata["width"]))
    assert measure(1, tmp_path / "anew")["loss"] == pytest.approx(second["loss"]), "without a file from the beginning"


def test_threads_and_device_are_those_of_the_settings() -> None:
    config = Config.model_validate({"train": {"threads": 3}, "detect": {"device": "cpu"}})
    (item,) = curve.list_curve([0.125], 1, [(9,)], None, config)
    training = item.measure.func.__self__.training
    assert (training.threads, training.device) == (3, "cpu")
    assert "threads" not in item.inputs["training"], "figures do not depend on them"


def make_folder(folder: Path, complete: bool = True) -> Path:
    params = SimulateParams(preset="easy", volumes=2, shape=(8, 160, 160), seed=5)
    simulation = simulate_recording(params)
    folder.mkdir()
    save_recording(simulation.recording, folder / "recording.h5")
    save_truth(simulation.truth() if complete else mark_partial(simulation.truth()), folder / "truth")
    return folder


def test_own_annotated_volumes_are_learnt_from_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve, "simulate_scenes", lambda seeds: ([make_scene(1)], "abc"))
    folder = make_folder(tmp_path / "worm")
    (without,), (item,) = (curve.list_curve([0.125], 1, [(9,)], tmp_path, None, own) for own in ((), (folder,)))
    course = item.measure.func.__self__
    assert len(without.measure.func.__self__.volumes.taught[0]) == 1
    scenes = course.volumes.taught[0]
    assert [len(scene.regions) > 20 for scene in scenes[1:]] == [True, True]
    assert scenes[1].voxel_um == SimulateParams(preset="easy").voxel_um
    assert item.inputs["animals"].startswith(without.inputs["animals"] + ", worm (")
    assert "own volumes too" in item.key
    assert "own volumes too" not in without.key
    names = {one.measure.func.__self__._name_file(0, tmp_path).name for one in (item, without)}
    assert len(names) == 2, "training does not go on from weights of other volumes"


def test_volumes_annotated_in_part_do_not_teach_the_papers_detector(tmp_path: Path) -> None:
    known = load_annotated(make_folder(tmp_path / "worm", complete=False), RecordingParams())
    with pytest.raises(DataError, match="volume 0: expected every neuron marked with boxes"):
        list(read_scenes(known))


def test_a_training_of_another_momentum_has_rows_and_weights_of_its_own(tmp_path: Path) -> None:
    usual, plain = (curve.list_curve([0.125], 1, [(9,)], tmp_path, momentum=one)[0] for one in (0.9, 0.0))
    assert (usual.key, plain.key) == (
        "curve, anchors 9, width 0.125, 1 epochs",
        usual.key.replace("1 e", "momentum 0, 1 e"),
    )
    assert plain.inputs["training"]["momentum"] == 0
    files = [one.measure.func.__self__._name_file(0, tmp_path).name for one in (usual, plain)]
    assert files == ["multi_field_9_0.125_1.safetensors", "multi_field_9_0.125_m0_1.safetensors"]
