"""The paper's recognition network: its size, its pieces, and back from weights."""

import json

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.nets.embedding import Dropout, EmbeddingNet, GroupNorm, build_embedder, read_classes
from cender.types import Weights


def make_net(seed: int = 0) -> EmbeddingNet:
    torch.manual_seed(seed)
    return EmbeddingNet(density=8, neighbours=9, d=6, classes=4).eval()


def make_weights(net: EmbeddingNet) -> Weights:
    arrays = {name: value.detach().numpy() for name, value in net.state_dict().items()}
    return Weights(arrays, {"identities": "[2, 5, 9]"})


@pytest.mark.parametrize(("q", "classes", "expected"), [(20, 164, 237_208), (10, 75, 227_104)])
def test_network_is_as_large_as_the_published_one(q: int, classes: int, expected: int) -> None:
    net = EmbeddingNet(4 * q, 75, 56, classes)
    assert sum(parameter.numel() for parameter in net.parameters()) == expected


def test_group_normalisation_is_the_usual_one() -> None:
    ours, usual = GroupNorm(), torch.nn.GroupNorm(4, 128)
    values = torch.randn(2, 128, generator=torch.manual_seed(1))
    usual.load_state_dict({"weight": values[0], "bias": values[1]})
    ours.load_state_dict(usual.state_dict())
    x = 3 * torch.randn(5, 128, generator=torch.manual_seed(2)) + 1
    assert torch.allclose(ours(x), usual(x), atol=1e-5)


def test_dropout_keeps_the_mean_and_stops_after_training() -> None:
    torch.manual_seed(0)
    layer, ones = Dropout(0.2), torch.ones(400, 128)
    out = layer.train()(ones)
    assert set(out.unique().tolist()) == {0.0, 1.25}
    assert float(out.mean()) == pytest.approx(1, abs=0.02)
    assert layer.eval()(ones) is ones


def test_embeddings_lie_on_the_sphere_and_do_not_see_each_other() -> None:
    embed = build_embedder(make_weights(make_net()))
    features = np.random.default_rng(0).normal(size=(12, 17))
    together = embed(features)
    assert together.shape == (12, 6)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(12), abs=1e-5)
    assert np.allclose(embed(features[3:4]), together[3:4], atol=1e-6)
    assert not np.allclose(together[0], together[1], atol=0.01)
    assert embed(features[:0]).shape == (0, 6)


def test_both_features_matter() -> None:
    embed = build_embedder(make_weights(make_net()))
    features = np.random.default_rng(0).normal(size=(5, 17))
    for part in (slice(0, 8), slice(8, 17)):
        other = features.copy()
        other[:, part] = other[:, part][:, ::-1]
        assert not np.allclose(embed(features), embed(other), atol=0.01)


def test_weights_make_the_same_network() -> None:
    net = make_net()
    features = torch.randn(5, 17, generator=torch.manual_seed(3))
    found = build_embedder(make_weights(net))(features.numpy())
    assert np.allclose(found, net(features).detach().numpy(), atol=1e-6)
    classes, identities = read_classes(make_weights(net))
    assert identities.tolist() == [2, 5, 9]
    assert np.allclose(found @ classes.T, net.compare(features).detach().numpy(), atol=1e-6)


def test_features_of_another_length_are_refused() -> None:
    with pytest.raises(ModelError, match="expects 17 features per neuron, found 15"):
        build_embedder(make_weights(make_net()))(np.zeros((2, 15)))


@pytest.mark.parametrize("lost", ["classes", "density.0.weight", "last.bias"])
def test_incomplete_weights_are_refused(lost: str) -> None:
    weights = make_weights(make_net())
    arrays = {name: value for name, value in weights.arrays.items() if name != lost}
    with pytest.raises(ModelError, match="paper recognizer"):
        build_embedder(Weights(arrays, weights.metadata))


@pytest.mark.parametrize("identities", [None, "x", json.dumps([1, 2])])
def test_classes_without_their_identities_are_refused(identities: str | None) -> None:
    metadata = {} if identities is None else {"identities": identities}
    with pytest.raises(ModelError, match="train the recognizer again"):
        read_classes(Weights(make_weights(make_net()).arrays, metadata))
