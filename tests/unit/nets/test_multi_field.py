"""The paper's network."""

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.nets.multi_field import MultiFieldNet, build_scorer, wrap_network


def count(net: torch.nn.Module) -> int:
    return sum(value.numel() for value in net.parameters())


def test_full_width_has_the_papers_parameters() -> None:
    with torch.device("meta"):
        assert count(MultiFieldNet(1.0)) == 48_687_727
        assert count(MultiFieldNet(0.125)) < 800_000


def test_scores_are_one_sigmoid_of_the_logits() -> None:
    torch.manual_seed(0)
    net = MultiFieldNet(1 / 16).eval()
    fields = np.random.default_rng(0).normal(size=(5, 5, 41, 41)).astype(np.float32)
    with torch.inference_mode():
        logits, corrections = net(torch.from_numpy(fields))
    score, offsets = wrap_network(net, batch=2)(fields)
    assert score == pytest.approx(1 / (1 + np.exp(-logits.numpy())), abs=1e-5)
    assert offsets == pytest.approx(corrections.numpy(), abs=1e-4)
    assert wrap_network(net)(fields[:0])[1].shape == (0, 4)


def test_weights_make_the_same_scorer() -> None:
    torch.manual_seed(1)
    net = MultiFieldNet(1 / 32)
    state = {name: value.numpy() for name, value in net.state_dict().items()}
    fields = np.random.default_rng(0).normal(size=(3, 5, 41, 41)).astype(np.float32)
    assert build_scorer(state, 1 / 32)(fields)[0] == pytest.approx(wrap_network(net)(fields)[0])
    other = build_scorer({name: value * 0 for name, value in state.items()}, 1 / 32)(fields)[0]
    assert other == pytest.approx(0.5)


def test_weights_of_another_width_are_refused() -> None:
    state = {name: value.numpy() for name, value in MultiFieldNet(1 / 32).state_dict().items()}
    with pytest.raises(ModelError, match=r"width 0\.0625"):
        build_scorer(state, 1 / 16)
