"""Training of the paper's recognizer: it learns, repeats, tells what it knows, and refuses what it cannot use."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cender.errors import DataError
from cender.io.weights import load_weights, save_weights
from cender.nets.embedding import KIND, build_embedder, read_classes
from cender.recognize.paper.params import PaperParams, read_params
from cender.recognize.paper.recognize import recognize_with_weights
from cender.training.paper.embedding import EmbeddingProgress, train_embedding
from cender.types import Annotation, Weights

QUICK = PaperParams(k=6, q=4, d=16, density="objects", epochs=25, batch=64, m3=0.0)
IDENTITIES = np.r_[np.arange(3, 33), np.full(6, -1)]


def make_volumes(count: int, first: int = 0) -> list[Annotation]:
    """Noisy views of one constellation of 30 named neurons and 6 without a name."""
    worm = np.random.default_rng(0).normal(0, (8, 30, 9), (36, 3))
    worm[:, 1] -= 0.01 * worm[:, 1] ** 2
    return [
        Annotation.from_points(index, worm + np.random.default_rng(index + 1).normal(0, 0.4, (36, 3)), IDENTITIES)
        for index in range(first, first + count)
    ]


def score(weights: Weights, volumes: list[Annotation]) -> float:
    embed, (classes, identities), params = build_embedder(weights), read_classes(weights), read_params(weights)
    right = [
        recognize_with_weights(volume, embed, classes, identities, params).identity[:30] == volume.identity[:30]
        for volume in volumes
    ]
    return float(np.mean(right))


@pytest.fixture(scope="module")
def trained() -> Weights:
    return train_embedding(make_volumes(12), QUICK, seed=1)


def test_training_teaches(trained: Weights) -> None:
    unseen = make_volumes(4, first=100)
    hardly = train_embedding(make_volumes(12), QUICK.model_copy(update={"epochs": 1, "learning_rate": 1e-9}))
    assert score(hardly, unseen) < 0.3
    assert score(trained, unseen) > 0.9


def test_others_stay_without_identity(trained: Weights) -> None:
    embed, (classes, identities), params = build_embedder(trained), read_classes(trained), read_params(trained)
    given = recognize_with_weights(make_volumes(1, first=100)[0], embed, classes, identities, params)
    assert (given.identity[30:] == -1).sum() >= 5


def test_weights_say_what_they_know_and_survive_a_file(trained: Weights, tmp_path: Path) -> None:
    save_weights(trained, tmp_path / "recognizer.safetensors")
    loaded = load_weights(tmp_path / "recognizer.safetensors", KIND)
    assert read_params(loaded) == QUICK.model_copy(update={"axes": "points"})
    assert read_classes(loaded)[1].tolist() == list(range(3, 33))
    assert loaded.metadata["seed"] == "1"
    features = np.random.default_rng(0).normal(size=(3, 34))
    assert np.array_equal(build_embedder(loaded)(features), build_embedder(trained)(features))


def test_training_repeats_and_leaves_other_randomness_alone() -> None:
    short = QUICK.model_copy(update={"epochs": 2})
    volumes = make_volumes(3)
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first = train_embedding(volumes, short, seed=3)
    assert torch.rand(1) == expected
    again, other = (train_embedding(volumes, short, seed=seed) for seed in (3, 4))
    assert all(np.array_equal(first.arrays[name], again.arrays[name]) for name in first.arrays)
    assert not np.array_equal(first.arrays["last.weight"], other.arrays["last.weight"])


def test_every_layer_learns() -> None:
    short, long = (
        train_embedding(make_volumes(3), QUICK.model_copy(update={"epochs": epochs})).arrays for epochs in (1, 2)
    )
    assert [name for name in short if np.array_equal(short[name], long[name])] == []


def test_every_step_is_told() -> None:
    told: list[EmbeddingProgress] = []
    train_embedding(make_volumes(4), QUICK.model_copy(update={"epochs": 3}), on_step=told.append)
    assert [progress.step for progress in told] == list(range(1, 3 * (4 * 36 // 64) + 1))
    assert {progress.steps for progress in told} == {len(told)}
    assert all(np.isfinite(progress.loss) for progress in told)


def test_fewer_neurons_than_a_batch() -> None:
    told: list[EmbeddingProgress] = []
    volume = make_volumes(1)[0]
    train_embedding([volume], QUICK.model_copy(update={"epochs": 2}), on_step=told.append)
    assert len(told) == 2
    single = Annotation.from_points(0, volume.centre_um[:1], volume.identity[:1])
    weights = train_embedding([single], QUICK.model_copy(update={"epochs": 2}))
    assert all(np.isfinite(value).all() for value in weights.arrays.values())


@pytest.mark.parametrize("volumes", [[], [replace(make_volumes(1)[0], identity=np.full(36, -1))]])
def test_nothing_to_learn_from_is_refused(volumes: list[Annotation]) -> None:
    with pytest.raises(DataError, match=f"found none in {len(volumes)} volumes"):
        train_embedding(volumes, QUICK)


def test_an_identity_twice_in_a_volume_is_refused() -> None:
    good, bad = make_volumes(2)
    twice = replace(bad, identity=np.where(bad.identity == 4, 3, bad.identity))
    with pytest.raises(DataError, match="volume 1: expected every identity once, found identity 3 2 times"):
        train_embedding([good, twice], QUICK)


def test_training_bounds_its_threads_and_gives_them_back(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    monkeypatch.setattr(torch, "set_num_threads", seen.append)
    train_embedding(make_volumes(2), QUICK.model_copy(update={"epochs": 1}))
    assert seen == [1, 4]
