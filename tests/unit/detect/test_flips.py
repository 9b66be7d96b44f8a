"""A network that looks four times at the same frames, turned over in different ways."""

import numpy as np
import pytest

from cender.detect.flips import LOOKS, average_flips, turn_over
from cender.types import Maps

FRAMES = (5, 18, 23)


def draw_frames() -> np.ndarray:
    return np.random.default_rng(0).integers(1, 200, FRAMES).astype(np.uint8)


def pool(frames: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
    """Every second pixel, as maps have half the size of frames, which go on as they end to whole cells."""
    down, right = (-size % 4 for size in frames.shape[1:])
    return np.pad(frames, ((0, 0), (0, down), (0, right)), mode="edge")[:, rows, columns].astype(np.float32)


def see(frames: np.ndarray) -> Maps:
    """A network that says the light of each pixel of its maps, as a nucleus that is turned shows it turned."""
    light = sum(pool(frames, slice(a, None, 2), slice(b, None, 2)) for a in (0, 1) for b in (0, 1))
    maps = np.zeros((len(frames), 7, *light.shape[1:]), np.float32)
    maps[:, 0] = light
    # Light grows to the right, downwards and along z: offsets follow it wherever it points.
    maps[:, 4] = np.gradient(light, axis=2)
    maps[:, 5] = np.gradient(light, axis=1)
    maps[:, 6] = np.gradient(light, axis=0)
    return Maps.pack(maps)


def test_a_network_that_does_not_mind_turning_says_the_same() -> None:
    frames = draw_frames()
    np.testing.assert_allclose(average_flips(see)(frames).packed, see(frames).packed, atol=1e-4)


def test_what_depends_on_the_way_of_looking_is_averaged() -> None:
    def lean(frames: np.ndarray) -> Maps:
        """Prefers what comes first, and always points to the right, downwards and onwards."""
        maps = see(frames).packed * 0
        maps[0] = np.arange(maps.shape[3])[None, None, :, None, None]
        maps[4:] = 1.0
        return Maps(maps)

    frames = draw_frames()
    assert np.ptp(lean(frames).packed[0]) > 0
    said = average_flips(lean)(frames).packed
    np.testing.assert_allclose(said[0], (FRAMES[0] - 1) / 2)
    np.testing.assert_allclose(said[4:], 0, atol=1e-6)


def test_the_network_is_asked_about_each_way_once() -> None:
    asked: list[np.ndarray] = []

    def remember(frames: np.ndarray) -> Maps:
        asked.append(frames.copy())
        return see(frames)

    average_flips(remember)(draw_frames())
    assert len(asked) == LOOKS
    assert len({frames.tobytes() for frames in asked}) == LOOKS


@pytest.mark.parametrize("way", [{"half": True}, {"reverse": True}, {"half": True, "reverse": True}])
def test_turning_twice_changes_nothing(way: dict[str, bool]) -> None:
    packed = see(draw_frames()).packed
    assert not np.array_equal(turn_over(packed, **way), packed)
    np.testing.assert_array_equal(turn_over(turn_over(packed, **way), **way), packed)
