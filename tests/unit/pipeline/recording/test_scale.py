"""A recognizer from heads of another size."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cender.config import Config, load_config
from cender.io.weights import save_weights
from cender.pipeline.recording.scale import find_scale_doubt
from cender.recognize.frame import place_points
from cender.recognize.paper.params import PaperParams
from cender.training.paper.embedding import train_embedding
from cender.types import Annotation, Weights


def draw(scale: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> list[Annotation]:
    """A head that turns from volume to volume."""
    rng = np.random.default_rng(3)
    head = rng.normal(0, (6.0, 8.0, 20.0), (80, 3))
    turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) for a in (0.0, 0.7, 2.0)]
    clouds = [np.concatenate([head[:, :1], head[:, 1:] @ turn], axis=1) * np.array(scale) for turn in turns]
    return [Annotation.from_points(volume, cloud) for volume, cloud in enumerate(clouds)]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    position = np.stack([place_points(one.centre_um) for one in draw()]).astype(np.float32)
    position[0, :40] = np.nan
    other = np.full((3, 0, 3), np.nan, np.float32)
    weights = Weights({"references.position": position, "references.other": other}, {"kind": "recognizer"})
    save_weights(weights, tmp_path / "recognizer.safetensors")
    return load_config(None, [f"recognize.weights='{tmp_path / 'recognizer.safetensors'}'"])


def test_a_head_of_the_same_size_is_not_doubted(config: Config) -> None:
    assert find_scale_doubt(draw(), config) == []
    assert find_scale_doubt(draw((1.2, 1.2, 1.2)), config) == []
    assert find_scale_doubt(draw((3.0, 3.0, 3.0)), Config()) == [], "without a recognizer there is nothing to compare"


def test_a_wrong_distance_of_frames_is_said(config: Config) -> None:
    (said,) = find_scale_doubt(draw((2.0, 1.0, 1.0)), config)
    assert "along z" in said
    assert "recording.voxel_um" in said


def test_a_template_of_the_papers_method_of_another_size_is_said(tmp_path: Path) -> None:
    taught = [replace(one, identity=np.arange(len(one))) for one in draw()]
    weights = train_embedding(taught, PaperParams(epochs=1, axes="points"))
    save_weights(weights, tmp_path / "paper.safetensors")
    config = load_config(None, [f"recognize.weights='{tmp_path / 'paper.safetensors'}'"])
    assert find_scale_doubt(draw(), config) == []
    (said,) = find_scale_doubt(draw((1.0, 2.0, 2.0)), config)
    assert "is the voxel size right" in said


def test_wrong_pixels_are_said(config: Config) -> None:
    (said,) = find_scale_doubt(draw((1.0, 0.5, 0.5)), config)
    assert "in the image plane" in said


def test_too_few_neurons_say_nothing(config: Config) -> None:
    assert find_scale_doubt([Annotation.from_points(0, draw((3.0, 3.0, 3.0))[0].centre_um[:20])], config) == []
