"""The examiner says the same as arrays as it does in torch."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.io.weights import shipped_weights
from cender.nets.examiner import Examiner
from cender.nets.examiner_arrays import KIND, build_examiner
from cender.training.shipped.examiner import pack_examiner


def make_nets() -> tuple[list[Examiner], torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    facts, samples = torch.randn(40, 5) * torch.tensor([1.0, 5, 0.1, 2, 1]) + 3, torch.randn(40, 30) * 0.2 - 0.5
    return [Examiner(facts, samples).eval() for _ in range(2)], facts, samples


def test_arrays_compute_what_torch_does() -> None:
    nets, facts, samples = make_nets()
    with torch.inference_mode():
        said = [net(facts, samples).numpy() for net in nets]
    assert np.abs(said[0] - said[1]).max() > 0.05
    one = build_examiner(pack_examiner(nets[:1], {}))(facts.numpy(), samples.numpy())
    both = build_examiner(pack_examiner(nets, {}))(facts.numpy(), samples.numpy())
    np.testing.assert_allclose(one, said[0], atol=0.01)
    np.testing.assert_allclose(both, (said[0] + said[1]) / 2, atol=0.01)


def test_weights_that_lack_a_layer_are_refused() -> None:
    weights = pack_examiner(make_nets()[0], {})
    lacking = replace(weights, arrays={name: value for name, value in weights.arrays.items() if "facts2" not in name})
    with pytest.raises(ModelError, match="train it again"):
        build_examiner(lacking)


def test_the_shipped_one_can_be_built() -> None:
    weights = shipped_weights("examiner", KIND)
    assert "simulated" in weights.metadata["animals"]
    assert callable(build_examiner(weights))
