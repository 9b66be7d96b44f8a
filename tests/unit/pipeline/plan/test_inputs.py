"""What a run is made from: the models that it uses."""

from pathlib import Path

import pytest

from cender.config import Config, load_config
from cender.io import save_weights, shipped_weights
from cender.nets.scoring import KIND
from cender.pipeline.plan.inputs import find_all_models, use_own_detector
from cender.types import Weights


@pytest.fixture
def worm(tmp_path: Path) -> Path:
    """A folder with a detector of its own."""
    shipped = shipped_weights("dense", KIND)
    save_weights(
        Weights(shipped.arrays, {**shipped.metadata, "about": "ours"}), tmp_path / "models/detector.safetensors"
    )
    return tmp_path


def test_a_folder_uses_its_own_detector(worm: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert use_own_detector(Config(), worm).detect.weights == str(worm / "models" / "detector.safetensors")
    empty = tmp_path_factory.mktemp("empty")
    assert use_own_detector(Config(), empty).detect.weights is None
    assert find_all_models(Config(), worm)["detector"] != find_all_models(Config(), empty)["detector"]


@pytest.mark.parametrize("setting", ["detect.weights=other.safetensors", "detect.method=paper"])
def test_settings_win_over_it(worm: Path, setting: str) -> None:
    config = load_config(None, [setting])
    assert use_own_detector(config, worm) == config
