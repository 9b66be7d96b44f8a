"""The journal of a training: an interruption changes nothing, and a loss that no longer falls ends a stage."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.training import journal as module
from cender.training.journal import Journal, State, has_settled


def learn(journal: Journal, stop: int = 10**6) -> tuple[np.ndarray, list[float]]:
    """Two stages of twelve noisy steps; interrupted after ``stop`` of them."""
    torch.manual_seed(0)
    net, rng, told, taken = torch.nn.Linear(3, 1), np.random.default_rng(5), [], 0
    for _ in range(2):
        state = State(net, torch.optim.AdamW(net.parameters(), lr=0.1), rng)
        learning = journal.begin(state, told.append)
        while learning and len(state.losses) < 12:
            if taken == stop:
                raise KeyboardInterrupt
            taken += 1
            loss = (net(torch.from_numpy(rng.normal(size=(4, 3)).astype(np.float32))) - 1).square().mean()
            state.optimiser.zero_grad()
            loss.backward()
            state.optimiser.step()
            learning = journal.add(state, float(loss.detach()))
            told.append(state.losses[-1])
        journal.end(state)
    return net.weight.detach().numpy(), told


@pytest.mark.parametrize("stop", [2, 7, 12, 19])
def test_an_interrupted_training_ends_alike(stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY", 5)
    whole, losses = learn(Journal())
    path = tmp_path / "a.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        learn(Journal(path, "one"), stop)
    assert path.exists() == (stop >= 5)
    resumed, told = learn(Journal(path, "one"))
    np.testing.assert_array_equal(resumed, whole)
    assert told == losses


def test_a_state_of_another_training_is_refused(tmp_path: Path) -> None:
    learn(Journal(tmp_path / "a", "one"))
    with pytest.raises(ModelError, match="another training"):
        Journal(tmp_path / "a", "two")


def test_a_loss_that_stays_ends_a_stage_and_one_that_falls_does_not() -> None:
    falling = [5 * 0.98**step for step in range(200)]
    assert not has_settled(falling, 40)
    assert has_settled(falling + [falling[-1]] * 300, 40)
