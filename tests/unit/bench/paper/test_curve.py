"""The curve of the paper's detector: one row per training, a point for every cycle, and weights that can be used."""

from pathlib import Path

import pytest

from cender.bench.paper import curve
from cender.config import Config
from cender.io.weights import load_weights
from cender.nets.multi_field import KIND, build_scorer
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
