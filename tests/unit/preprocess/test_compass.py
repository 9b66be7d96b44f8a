"""The compass: hypotheses are permuted by turns and mirrors, weights are small."""

from importlib.resources import files

import numpy as np
import pytest

from cases.volumes import shipped_compass
from cender.preprocess.compass import (
    ANGLE_RAD,
    ANGLES,
    SIDE,
    SIZES,
    anterior_of,
    cut_patches,
    make_grid,
    read_again,
    read_compass,
    ventral_of,
)
from cender.preprocess.spots import Spots


def random_spots(seed: int = 0, side: int = 161) -> Spots:
    rng = np.random.default_rng(seed)
    map_ = np.zeros((side, side), np.float32)
    at = rng.integers(50, 111, (40, 2))
    map_[tuple(at.T)] = rng.uniform(0.3, 1, 40)
    return Spots(at.astype(float), np.full(40, 20.0), map_)


def test_patch_shows_anterior_right_and_ventral_down() -> None:
    spots = Spots(np.zeros((0, 2)), np.zeros(0), np.zeros((161, 161), np.float32))
    for row in (0, 1):
        column = 5
        map_ = spots.map.copy()
        ahead = np.rint(80 + 20 * anterior_of(ANGLE_RAD[column])).astype(int)
        below = np.rint(80 + 12 * ventral_of(ANGLE_RAD[column], row)).astype(int)
        for (y, x), light in ((ahead, 1.0), (below, 0.4)):
            map_[y - 2 : y + 3, x - 2 : x + 3] = light
        patch = cut_patches(map_, np.array([80.0, 80.0]), make_grid(ANGLE_RAD))[row * ANGLES + column]
        y, x = np.unravel_index(int(patch.argmax()), patch.shape)
        assert x > SIDE / 2 + 4
        assert abs(y - (SIDE - 1) / 2) <= 1
        lower = patch[SIDE // 2 + 2 :]
        assert lower.max() > 0.3
        assert patch[: SIDE // 2 - 4].max() < 0.01


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turning_the_map_turns_the_reading(quarters: int) -> None:
    spots, compass = random_spots(), shipped_compass()
    middle = np.array([80.0, 80.0])
    before = read_compass(spots, middle, compass).log_probability
    turned = Spots(spots.place, spots.contrast, np.rot90(spots.map, quarters).copy())
    after = read_compass(turned, middle, compass).log_probability
    # np.rot90 turns from x towards minus y.
    assert not np.allclose(after, before, atol=0.05)
    assert np.allclose(after, np.roll(before, -quarters * ANGLES // 4, axis=1), atol=1e-3)


def test_mirroring_the_map_exchanges_the_rows() -> None:
    spots, compass = random_spots(1), shipped_compass()
    middle = np.array([80.0, 80.0])
    before = read_compass(spots, middle, compass).log_probability
    mirrored = Spots(spots.place, spots.contrast, spots.map[::-1].copy())
    after = read_compass(mirrored, middle, compass).log_probability
    assert np.allclose(after, before[::-1, -np.arange(ANGLES) % ANGLES], atol=1e-3)


def test_probabilities_sum_to_one() -> None:
    reading = read_compass(random_spots(2), np.array([80.0, 80.0]), shipped_compass())
    assert np.exp(reading.log_probability).sum() == pytest.approx(1)
    assert 0 <= reading.bent <= 1


def test_shipped_weights_are_small() -> None:
    assert len((files("cender") / "weights" / "orientation.safetensors").read_bytes()) < 100_000


def test_a_second_look_averages_sizes() -> None:
    spots, middle = random_spots(3), np.array([80.0, 80.0])
    seen: list[np.ndarray] = []

    def compass(patches: np.ndarray) -> np.ndarray:
        # Each look is sure of another hypothesis.
        out = np.zeros((len(patches), 2), np.float32)
        out[len(seen), 0] = 8.0
        seen.append(patches)
        return out

    once = np.exp(read_compass(spots, middle, compass).log_probability).ravel()
    assert once[0] > 0.99
    seen.clear()
    again = np.exp(read_again(spots, middle, compass).log_probability).ravel()
    assert len(seen) == len(SIZES)
    assert not np.array_equal(seen[0], seen[1])
    np.testing.assert_allclose(again[: len(SIZES)], again[0], rtol=1e-6)
