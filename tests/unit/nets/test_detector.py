"""The default detector's networks, the fast and the deep one: torch and OpenVINO say the same."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.nets.deep import DeepNet
from cender.nets.dense import DenseNet, gather_neighbours, widen_net
from cender.nets.detector import build_net, build_torch_score, grow_net
from cender.nets.graph import build_graph, compile_graph, pack_frames, to_brightness, to_levels
from cender.nets.maps import MAPS
from cender.nets.scoring import build_score
from cender.nets.sizes import find_multiple
from cender.types import Maps, Weights

# What the README and the docs state: single precision, and int8 relative to the spread of the maps.
FLOAT_TOLERANCE = 1e-3
INT8_TOLERANCE = 0.1


def draw_arrays(net: torch.nn.Module) -> dict[str, np.ndarray]:
    """Its weights with biases, so that dark places say something as well."""
    rng = np.random.default_rng(7)
    drawn = {name: value.numpy() for name, value in net.state_dict().items()}
    return {
        name: value + rng.normal(0, 0.05, value.shape).astype(np.float32) if name.endswith("bias") else value
        for name, value in drawn.items()
    }


@pytest.fixture(params=["fast", "deep"])
def arrays(request: pytest.FixtureRequest) -> dict[str, np.ndarray]:
    torch.manual_seed(3)
    return draw_arrays(DenseNet(16) if request.param == "fast" else DeepNet(8))


@pytest.fixture
def fast() -> dict[str, np.ndarray]:
    torch.manual_seed(3)
    return draw_arrays(DenseNet(16))


def compile_arrays(
    arrays: dict[str, np.ndarray], ranges: dict[str, float] | None = None
) -> Callable[[np.ndarray], Maps]:
    return compile_graph(build_graph(arrays, ranges), multiple=find_multiple(arrays))


@pytest.fixture
def frames() -> np.ndarray:
    return np.random.default_rng(1).random((7, 42, 54), dtype=np.float32)


def find_ranges(arrays: dict[str, np.ndarray], frames: np.ndarray) -> dict[str, float]:
    net, ranges = build_net(arrays), {}
    for name, layer in net.named_modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Conv3d):
            layer.register_forward_hook(lambda _, inputs, __, name=name: ranges.update({name: float(inputs[0].max())}))
    with torch.inference_mode():
        net(torch.from_numpy(np.ascontiguousarray(frames[:, :32, :48])))
    return ranges


def test_neighbours_are_dark_beyond_the_ends() -> None:
    stacked = gather_neighbours(torch.arange(1.0, 4.0)[:, None, None, None].expand(3, 1, 2, 2), [3], 2)
    assert stacked.shape == (3, 5, 2, 2)
    assert stacked[0, :, 0, 0].tolist() == [0, 0, 1, 2, 3]
    assert stacked[2, :, 0, 0].tolist() == [1, 2, 3, 0, 0]


def test_a_wider_network_begins_by_saying_nearly_the_same(fast: dict, frames: np.ndarray) -> None:
    torch.manual_seed(0)
    grown = widen_net(fast, 24, (2, 2))
    assert grown["along2.weight"].shape == (24, 5 * 24, 1, 1)
    narrow, again, fresh = (
        build_torch_score(one)(frames).packed
        for one in (fast, grown, {name: value.numpy() for name, value in DenseNet(24).state_dict().items()})
    )
    assert np.corrcoef(narrow.ravel(), again.ravel())[0, 1] > 0.97
    spread = narrow - narrow.mean(axis=(1, 2, 3, 4, 5), keepdims=True)
    changed, other = (np.abs(one - narrow).mean() for one in (again, fresh))
    assert changed < min(np.abs(spread).mean(), other)
    # Nothing is lost where nothing grows.
    same = widen_net(fast, 8, (1, 1))
    assert all(np.array_equal(same[name], value) for name, value in fast.items())


def test_a_deep_network_goes_on_as_it_is() -> None:
    deep = draw_arrays(DeepNet(8))
    again = grow_net(deep, 64, (2, 2)).state_dict()
    assert all(np.array_equal(again[name].numpy(), value) for name, value in deep.items())


def test_wide_networks_with_more_reach_are_the_same_in_openvino(frames: np.ndarray) -> None:
    torch.manual_seed(5)
    arrays = draw_arrays(DenseNet(20, (2, 2)))
    expected = build_torch_score(arrays)(frames).packed
    np.testing.assert_allclose(compile_arrays(arrays)(frames).packed, expected, atol=FLOAT_TOLERANCE)


def test_volumes_side_by_side_do_not_see_each_other(arrays: dict, frames: np.ndarray) -> None:
    net = build_net(arrays)
    whole = torch.from_numpy(np.ascontiguousarray(frames[:, :32, :48]))
    with torch.inference_mode():
        together, apart = net(whole, [3, 4]), torch.cat([net(whole[:3]), net(whole[3:])])
        assert not torch.allclose(net(whole), apart, atol=1e-3)
    torch.testing.assert_close(together, apart)


def test_maps_have_half_the_size_rounded_up_to_the_networks_stride(arrays: dict, frames: np.ndarray) -> None:
    maps = build_torch_score(arrays)(frames)
    assert maps.unpack(0).shape == (7, 22, 28)
    assert len(maps.packed) == len(MAPS)


def test_a_place_reads_what_the_unpacked_maps_show(arrays: dict, frames: np.ndarray) -> None:
    maps = build_torch_score(arrays)(frames)
    z, y, x = np.indices((7, 22, 28)).reshape(3, -1)
    whole = np.stack([maps.unpack(number)[z, y, x] for number in range(len(MAPS))], axis=1)
    np.testing.assert_array_equal(maps.read(z, y, x), whole)
    assert len(np.unique(whole[:, 0])) > 1000


def test_openvino_agrees_with_torch(arrays: dict, frames: np.ndarray) -> None:
    expected = build_torch_score(arrays)(frames).packed
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(compile_arrays(arrays)(frames).packed, expected, atol=FLOAT_TOLERANCE)


def test_int8_stays_close_and_is_not_simply_the_same(arrays: dict, frames: np.ndarray) -> None:
    expected = build_torch_score(arrays)(frames).packed
    found = compile_arrays(arrays, find_ranges(arrays, frames))(frames).packed
    difference = np.abs(found - expected)
    assert 0 < difference.mean() < INT8_TOLERANCE * expected.std()


def test_other_shapes_work_one_after_the_other(arrays: dict, frames: np.ndarray) -> None:
    score = compile_arrays(arrays)
    first = score(frames).packed
    assert score(frames[:3, :20, :30]).packed.shape == (len(MAPS), 2, 2, 3, 5, 8)
    np.testing.assert_array_equal(score(frames).packed, first)


def test_frames_go_on_as_they_end(arrays: dict) -> None:
    """To whole cells, frames are not continued with darkness, whose edge would be taken for that of a nucleus."""
    frames = np.full((3, 42, 54), 0.5, np.float32)
    packed = pack_frames(frames, find_multiple(arrays))
    assert packed.shape[3] * 4 > 42
    assert (packed == 0.5).all()
    whole = np.full((3, 4 * packed.shape[3], 4 * packed.shape[4]), 0.5, np.float32)
    for score in (build_torch_score(arrays), compile_arrays(arrays)):
        np.testing.assert_allclose(score(frames).packed, score(whole).packed[..., :11, :14], atol=FLOAT_TOLERANCE)


def test_int8_without_ranges_is_refused(arrays: dict) -> None:
    with pytest.raises(ModelError, match="quantisation ranges"):
        build_score(Weights(arrays), "cpu", "int8")


def test_a_gpu_that_is_not_there_is_refused(arrays: dict) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(ModelError, match="no GPU"):
        build_score(Weights(arrays), "cuda")


def test_openvino_is_loaded_without_its_telemetry() -> None:
    assert version("openvino-telemetry"), "not installed: this test would prove nothing"
    code = "import sys, cender.nets.graph; print(sys.modules.get('openvino_telemetry'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["None"]


def test_levels_are_the_brightness_they_stand_for(arrays: dict, frames: np.ndarray) -> None:
    levels = to_levels(frames)
    lit = to_brightness(levels)
    assert levels.dtype == np.uint8
    assert 0 < np.abs(lit - frames).max() < 0.005
    for score in (compile_arrays(arrays), build_torch_score(arrays)):
        np.testing.assert_allclose(score(levels).packed, score(lit).packed, atol=FLOAT_TOLERANCE)
