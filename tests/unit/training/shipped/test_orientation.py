"""Training of the compass: samples aim where the truth points, and a few steps already help."""

import numpy as np
import pytest
import torch

from cender.preprocess.compass import anterior_of, ventral_of
from cender.training.shipped.orientation import _lose, train_orientation
from cender.training.shipped.orientation_samples import ANGLES, View, _aim, draw_sample, view_scene
from cender.training.shipped.orientation_scenes import Scene, draw_scenes


@pytest.fixture(scope="module")
def views() -> list[View]:
    return [view_scene(scene) for scene in draw_scenes(4990, volumes=3)]


def test_scenes_repeat(views: list[View]) -> None:
    again = next(draw_scenes(4990, volumes=3))
    assert np.array_equal(again.counts, views[0].scene.counts)
    assert np.linalg.norm(again.anterior) == pytest.approx(1)
    assert again.anterior @ again.ventral == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("row", [0, 1])
def test_target_is_the_true_hypothesis(row: int) -> None:
    angles = 2 * np.pi * np.arange(ANGLES) / ANGLES
    truth = Scene(np.zeros((9, 9), np.float32), np.zeros(2), anterior_of(angles[3]), ventral_of(angles[3], row), 0, ())
    target = _aim(truth, angles).reshape(2, ANGLES)
    assert np.unravel_index(int(target.argmax()), target.shape) == (row, 3)
    assert target.sum() == pytest.approx(1)
    assert target[1 - row].sum() == 0


def test_loss_is_lowest_where_the_truth_is(views: list[View]) -> None:
    rng = np.random.default_rng(1)
    samples = [draw_sample(views[index % len(views)], rng) for index in range(24)]
    heads = np.stack([sample.target for sample in samples]).sum(1).round(3)
    assert set(heads.tolist()) == {0.0, 1.0}, "heads and others"
    truth = np.concatenate([sample.target for sample in samples])

    def answer(score: np.ndarray) -> float:
        out = torch.from_numpy(np.stack([score, np.full(len(score), -5.0)], axis=1).astype(np.float32))
        return float(_lose(lambda patches: out, samples))

    right = answer(np.where(truth > 0, np.log(np.maximum(truth, 1e-6)) + 5, -9))
    turned = answer(
        np.where(truth > 0, np.log(np.maximum(truth, 1e-6)) + 5, -9).reshape(24, 2, ANGLES)[:, ::-1].ravel()
    )
    unsure = answer(np.zeros(len(truth)))
    assert right < unsure < turned


def test_training_is_reproducible_and_moves_every_layer(views: list[View]) -> None:
    first, again, longer = (train_orientation(views, steps).export() for steps in (2, 2, 3))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], longer[name]) for name in first)
