"""Varied clouds: other postures of the same neurons, some missed, some made up."""

import numpy as np
import pytest

from cases.constellations import make_head
from cender.training.recognizer.clouds import POOR, USUAL, Cloud, Roughness, vary_cloud

COUNT = 60
CLOUD = Cloud(make_head(COUNT) / 84, np.random.default_rng(0).normal(size=(COUNT, 2)), np.arange(COUNT))


def vary(seed: int, roughness: Roughness = USUAL) -> Cloud:
    return vary_cloud(CLOUD, COUNT, np.random.default_rng(seed), roughness)


@pytest.mark.parametrize("seed", range(5))
def test_names_stay_unique_and_false_neurons_are_none(seed: int) -> None:
    label = vary(seed).label
    kept = label[label < COUNT]
    assert len(set(kept.tolist())) == len(kept) > COUNT / 3
    assert set(label[label >= COUNT].tolist()) <= {COUNT}


def test_some_are_missed_some_are_added_and_all_have_moved() -> None:
    varied = [vary(seed) for seed in range(20)]
    assert any((one.label < COUNT).sum() < COUNT for one in varied)
    assert any((one.label == COUNT).any() for one in varied)
    for one in varied:
        kept = one.label < COUNT
        assert np.abs(one.position[kept] - CLOUD.position[one.label[kept]]).max() > 0.01


def test_the_head_stays_a_head() -> None:
    sizes = [np.linalg.norm(one.position.std(axis=0)) for one in map(vary, range(20))]
    usual = np.linalg.norm(CLOUD.position.std(axis=0))
    assert max(sizes) < 1.5 * usual
    assert min(sizes) > 0.5 * usual


def test_what_the_image_says_is_left_out_now_and_then() -> None:
    silent = [not vary(seed).evidence.any() for seed in range(40)]
    assert 0 < sum(silent) < 20


def test_brightness_and_size_are_each_as_unreliable_as_on_real_rigs_at_times() -> None:
    # On a real rig the brightness of the same neuron in two volumes correlates by 0.5 to 0.8, its size by 0.2 to 0.6.
    def correlate(seed: int) -> np.ndarray:
        one = vary(seed, POOR)
        kept = one.label < COUNT
        before = CLOUD.evidence[one.label[kept]]
        return np.array([np.corrcoef(one.evidence[kept, kind], before[:, kind])[0, 1] for kind in range(2)])

    found = np.array([correlate(seed) for seed in range(40) if vary(seed, POOR).evidence.any()])
    assert found.min() < 0.65
    assert found.max() > 0.95
    assert np.abs(found[:, 0] - found[:, 1]).max() > 0.25


def test_the_same_draw_gives_the_same_cloud_and_the_original_is_not_changed() -> None:
    before = CLOUD.position.copy()
    first, second, other = vary(3), vary(3), vary(4)
    np.testing.assert_array_equal(first.position, second.position)
    assert first.position.shape != other.position.shape or (first.position != other.position).any()
    np.testing.assert_array_equal(CLOUD.position, before)


def test_two_neurons_are_never_both_lost() -> None:
    two = Cloud(CLOUD.position[:2], CLOUD.evidence[:2], np.arange(2))
    assert min(len(vary_cloud(two, 2, np.random.default_rng(seed))) for seed in range(60)) >= 1
