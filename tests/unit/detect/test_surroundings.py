"""What is sampled around candidates lies where it should, in µm, whatever the grid."""

import numpy as np
import pytest

from cender.detect.surroundings import LAYERS, SAMPLES, halve_image, list_flips, sample_surroundings
from cender.types import Maps

REGION, NEURON, IMAGE = range(3)


def draw_blob(shape: tuple[int, int, int], step_um: np.ndarray, place_um: np.ndarray, lean: float = 0.0) -> np.ndarray:
    """A smooth spot (sd 1 µm), leaning to positive coordinates, on a grid with its first pixel at 0."""
    grid = np.stack(
        np.meshgrid(*(np.arange(size) * step for size, step in zip(shape, step_um, strict=True)), indexing="ij")
    )
    apart = grid - place_um[:, None, None, None]
    return np.exp(-0.5 * (apart**2).sum(0)) * (1 + lean * np.tanh(apart.sum(0)))


def make_scene(step_um: np.ndarray, lean: float = 0.0) -> tuple[Maps, np.ndarray, np.ndarray]:
    """Maps and image of one spot, and where it is on the grid."""
    place_um = np.array([9.0, 8.0, 10.0])
    shape = tuple(int(2 * place / step) // 4 * 4 for place, step in zip((10, 10, 12), step_um, strict=True))
    image = draw_blob(shape, step_um, place_um, lean)
    half = image.reshape(shape[0], shape[1] // 2, 2, shape[2] // 2, 2).mean((2, 4))
    whole = np.zeros((shape[0], 7, *half.shape[1:]), np.float32)
    whole[:, 0], whole[:, 1] = 4 * half - 4, 8 * half - 4
    return Maps.pack(whole), image.astype(np.float32), place_um / step_um


def pick(samples: np.ndarray, picture: int, z_um: float) -> np.ndarray:
    """One layer of the samples of a single candidate, as a square."""
    start = 0
    for layer in LAYERS:
        if (layer.picture, layer.z_um) == (picture, z_um):
            return samples[0, start : start + layer.side**2].reshape(layer.side, layer.side)
        start += layer.side**2
    raise AssertionError(f"no layer {z_um} µm of picture {picture}")


def test_the_candidate_is_in_the_middle_and_the_spot_fades_by_micrometres() -> None:
    step_um = np.array([1.0, 0.25, 0.25])
    maps, image, centre = make_scene(step_um)
    samples = sample_surroundings(maps, image, centre[None], step_um)
    assert samples.shape == (1, SAMPLES)
    here = pick(samples, IMAGE, 0.0)
    assert np.unravel_index(here.argmax(), here.shape) == (5, 5)
    # Two samples of 0.5 µm are one standard deviation.
    assert here[5, 7] / here[5, 5] == pytest.approx(np.exp(-0.5), abs=0.12)
    assert pick(samples, IMAGE, 2.5)[2, 2] / here[5, 5] == pytest.approx(np.exp(-0.5 * 2.5**2), abs=0.06)
    assert pick(samples, NEURON, 0.0)[4, 4] > pick(samples, REGION, 0.0)[4, 4]


def test_another_grid_shows_the_same() -> None:
    fine, coarse = np.array([1.0, 0.25, 0.25]), np.array([1.25, 0.3, 0.3])
    samples = []
    for step_um in (fine, coarse):
        maps, image, centre = make_scene(step_um)
        samples.append(sample_surroundings(maps, image, centre[None], step_um))
    assert np.abs(samples[0] - samples[1]).max() < 0.3
    assert np.corrcoef(samples[0][0], samples[1][0])[0, 1] > 0.98


def test_turning_the_picture_over_turns_the_samples_over() -> None:
    step_um = np.array([1.0, 0.25, 0.25])
    maps, image, centre = make_scene(step_um, lean=0.8)
    plain = sample_surroundings(maps, image, centre[None], step_um)[0]
    ways = [(along, down, right) for along in (1, -1) for down in (1, -1) for right in (1, -1)]
    for order, (along, down, right) in zip(list_flips(), ways, strict=True):
        assert np.array_equal(np.sort(order), np.arange(SAMPLES))
        turned = np.ascontiguousarray(image[::along, ::down, ::right])
        whole = np.stack([maps.unpack(number) for number in range(7)], axis=1)[::along, :, ::down, ::right]
        last = np.array(image.shape) - 1.0
        there = np.where(np.array([along, down, right]) < 0, last - centre, centre)
        seen = sample_surroundings(Maps.pack(np.ascontiguousarray(whole)), turned, there[None], step_um)[0]
        # Samples lie on whole pixels, so that some move by one.
        assert np.abs(seen - plain[order]).mean() < 0.03
        if (along, down, right) != (1, 1, 1):
            assert np.abs(seen - plain).mean() > np.abs(seen - plain[order]).mean()


def test_beyond_the_image_there_is_no_heat() -> None:
    step_um = np.array([1.0, 0.25, 0.25])
    maps, image, _ = make_scene(step_um)
    samples = sample_surroundings(maps, image, np.array([[0.0, 0.0, 0.0]]), step_um)
    assert (pick(samples, NEURON, -2.5) == -1).all()
    assert pick(samples, NEURON, 0.0)[0, 0] == -1
    assert np.isfinite(samples).all()


def test_levels_and_brightness_are_the_same_picture() -> None:
    levels = np.arange(0, 240, 10, dtype=np.uint8).reshape(1, 4, 6)
    np.testing.assert_allclose(halve_image(levels), halve_image(levels * np.float32(2 / 255)), atol=0.005)
    assert halve_image(levels[:, :3, :5]).shape == (1, 2, 3)
