"""The one form in which every training is interrupted."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.training.checkpoint import (
    Checkpoint,
    load_checkpoint,
    pack_net,
    pack_optimiser,
    save_checkpoint,
    unpack_net,
    unpack_optimiser,
)


def make_training() -> tuple[torch.nn.Linear, torch.optim.AdamW]:
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 1)
    return net, torch.optim.AdamW(net.parameters())


def step(net: torch.nn.Linear, optimiser: torch.optim.AdamW) -> list[float]:
    optimiser.zero_grad()
    net(torch.tensor([1.0, -2.0, 3.0])).square().sum().backward()
    optimiser.step()
    return net.weight.detach().ravel().tolist()


def test_training_goes_on_as_if_it_had_not_been_interrupted(tmp_path: Path) -> None:
    net, optimiser = make_training()
    step(net, optimiser)
    arrays = pack_net(net, "net.") | pack_optimiser(optimiser, "optimiser.")
    save_checkpoint(tmp_path / "c", Checkpoint("a checkpoint", "seed 0", arrays, {"step": 1}))
    expected = step(net, optimiser)

    other, anew = make_training()
    kept = load_checkpoint(tmp_path / "c", "a checkpoint", "seed 0")
    assert kept is not None
    unpack_net(other, kept, "net.")
    forgetful = step(*(other, torch.optim.AdamW(other.parameters())))
    assert forgetful != expected, "the weights alone are not enough"
    unpack_net(other, kept, "net.")
    unpack_optimiser(anew, kept, "optimiser.")
    np.testing.assert_array_equal(step(other, anew), expected)
    assert kept.progress == {"step": 1}


def test_another_training_is_refused_and_none_is_none(tmp_path: Path) -> None:
    assert load_checkpoint(tmp_path / "c", "a checkpoint", "seed 0") is None
    save_checkpoint(tmp_path / "c", Checkpoint("a checkpoint", "seed 0", {"x": np.zeros(1)}, []))
    for kind, about in (("a checkpoint", "seed 1"), ("b checkpoint", "seed 0")):
        with pytest.raises(ModelError):
            load_checkpoint(tmp_path / "c", kind, about)
