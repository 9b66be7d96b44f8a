"""The curve of the paper's detector: one row per training, a point for every cycle, and weights that can be used."""

from pathlib import Path

import pytest

from cender.bench.paper import curve
from cender.config import Config
from cender.io.weights import load_weights
from cender.nets.multi_field import KIND, build_scorer
from unit.training.paper.test_anchor_targets import make_scene


def test_a_curve_has_a_point_for_every_cycle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve, "simulate_scenes", lambda seeds: ([make_scene(seed % 7) for seed in seeds][:2], "abc"))
    (item,) = curve.list_curve([1 / 32], 3, [(7, 11)], tmp_path)
    small = item.measure.args[1].model_copy(update={"samples_per_epoch": 64, "batch": 32})
    figures = item.measure.func(item.measure.args[0], small, *item.measure.args[2:])
    assert [point["steps"] for point in figures["points"]] == [2, 6]
    assert item.inputs["detector"]["anchors_px"] == [7, 11]
    weights = load_weights(tmp_path / "multi_field_7-11_0.03125.safetensors", KIND)
    assert weights.metadata["preset"] == "typical abc"
    build_scorer(weights.arrays, float(weights.metadata["width"]))


def test_threads_and_device_are_those_of_the_settings() -> None:
    config = Config.model_validate({"train": {"threads": 3}, "detect": {"device": "cpu"}})
    (item,) = curve.list_curve([0.125], 1, [(9,)], None, config)
    training = item.measure.args[1]
    assert (training.threads, training.device) == (3, "cpu")
    assert "threads" not in item.inputs["training"], "figures do not depend on them"
