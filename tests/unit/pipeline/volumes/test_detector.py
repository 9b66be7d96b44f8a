"""Which weights find the neurons of which rig."""

import numpy as np
import pytest

from cender.detect.normalise import is_usual
from cender.detect.params import DetectParams
from cender.errors import ModelError
from cender.io import shipped_weights
from cender.nets import scoring
from cender.nets.scoring import KIND
from cender.pipeline.volumes.detector import build_detector, load_network
from cender.types import Crop, Head, Maps, VoxelSize, Weights

WHOLE = Crop(0, 0, 64, 64)
USUAL_UM = VoxelSize(1.5, 0.3, 0.3)


def draw_stack(background: float = 100.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    stack = rng.normal(background, 8, (12, 64, 64)) if background else np.zeros((12, 64, 64))
    stack[4:7, 20:30, 20:30] += 200
    return stack.clip(0).astype(np.uint16)


@pytest.mark.parametrize(
    ("voxel_um", "background", "usual"),
    [
        pytest.param(USUAL_UM, 100, True, id="the paper's rig"),
        pytest.param(USUAL_UM, 0, False, id="background removed"),
        pytest.param(VoxelSize(1.5, 0.7, 0.7), 100, False, id="coarse pixels"),
        pytest.param(VoxelSize(3.5, 0.3, 0.3), 100, False, id="frames far apart"),
        pytest.param(VoxelSize(1.5, 0.1, 0.1), 100, False, id="fine pixels"),
    ],
)
def test_rigs_are_usual_by_their_voxels_and_background(voxel_um: VoxelSize, background: float, usual: bool) -> None:
    assert is_usual(draw_stack(background), WHOLE, voxel_um) is usual


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[Weights]:
    """Weights in the order in which networks were made of them; the networks themselves see nothing."""
    made: list[Weights] = []

    def build_score(weights: Weights, *_: object) -> scoring.Score:
        made.append(weights)
        return lambda frames: Maps.pack(
            np.full((len(frames), 7, *(-(-size // 4) * 2 for size in frames.shape[1:])), -9, np.float32)
        )

    monkeypatch.setattr(scoring, "build_score", build_score)
    return made


def draw_head() -> Head:
    return Head(WHOLE, np.zeros((0, 2)), np.full(2, 32.0), np.array([0.0, 1.0]), np.array([1.0, 0.0]))


def test_other_rigs_have_weights_of_their_own_loaded_when_needed(used: list[Weights]) -> None:
    detect = build_detector(DetectParams())
    detect(draw_stack(), draw_head(), USUAL_UM)
    assert [weights.metadata for weights in used] == [shipped_weights("dense", KIND).metadata]
    for _ in range(2):
        detect(draw_stack(0), draw_head(), USUAL_UM)
    assert [weights.metadata for weights in used[1:]] == [shipped_weights("dense_rigs", KIND).metadata]


@pytest.mark.parametrize(("network", "name"), [("fast", "dense"), ("wide", "dense_rigs")])
def test_the_network_that_is_asked_for_is_used_for_every_rig(used: list[Weights], network, name: str) -> None:
    detect = build_detector(DetectParams(network=network))
    for stack in (draw_stack(), draw_stack(0)):
        detect(stack, draw_head(), USUAL_UM)
    assert [weights.metadata for weights in used] == [shipped_weights(name, KIND).metadata]


@pytest.mark.parametrize(("size", "looked"), [(0.0, ["dense"]), (0.4, ["dense", "dense_rigs"])])
def test_nuclei_larger_than_usual_are_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, size: float, looked: list[str]
) -> None:
    made: list[Weights] = []

    def build_score(weights: Weights, *_: object) -> scoring.Score:
        made.append(weights)

        def see(frames: np.ndarray) -> Maps:
            whole = np.full((len(frames), 7, *(-(-side // 4) * 2 for side in frames.shape[1:])), -9.0, np.float32)
            whole[5, :2, 16, 16], whole[:, 2:4] = 3.0, size
            return Maps.pack(whole)

        return see

    monkeypatch.setattr(scoring, "build_score", build_score)
    build_detector(DetectParams())(draw_stack(), draw_head(), USUAL_UM)
    assert [weights.metadata for weights in made] == [shipped_weights(name, KIND).metadata for name in looked]


def test_weights_say_how_often_their_network_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def build_score(*_: object) -> scoring.Score:
        def see(frames: np.ndarray) -> Maps:
            looks.append(len(frames))
            return Maps.pack(np.full((len(frames), 7, *(side // 2 for side in frames.shape[1:])), -9.0, np.float32))

        return see

    monkeypatch.setattr(scoring, "build_score", build_score)
    once = shipped_weights("dense", KIND)
    for said, times in (("1", 1), ("4", 4)):
        looks.clear()
        load_network(Weights(once.arrays, {**once.metadata, "looks": said}), DetectParams()).score(draw_stack())
        assert len(looks) == times


def test_weights_that_are_given_are_used_for_every_rig(used: list[Weights]) -> None:
    own = shipped_weights("dense", KIND)
    detect = build_detector(DetectParams(), own)
    detect(draw_stack(), draw_head(), USUAL_UM)
    detect(draw_stack(0), draw_head(), USUAL_UM)
    assert len(used) == 1
    assert used[0] is own


def test_weights_of_other_anchors_are_refused() -> None:
    params = DetectParams.model_validate({"method": "paper", "multi_field": {"anchors_px": (7, 11)}})
    with pytest.raises(ModelError, match=r"weights of anchors \(7, 11\), found those of \(9,\)"):
        build_detector(params)
    build_detector(DetectParams(method="paper"))
