"""Teaching a classifier: what the loss counts, and what a step changes."""

import numpy as np
import pytest
import torch

from cases.constellations import make_head
from cender.nets.constellation import Classifier
from cender.training.journal import Journal
from cender.training.recognizer.clouds import Cloud
from cender.training.recognizer.fitting import Pace, fit_classifier, measure_loss, stack_clouds

COUNT = 12
CLOUD = Cloud(make_head(COUNT) / 84, np.zeros((COUNT, 2)), np.arange(COUNT))


def fit(steps: int, pace: Pace, journal: Journal | None = None) -> tuple[Classifier, list[float]]:
    torch.manual_seed(0)
    net, losses = Classifier(COUNT, 2), list[float]()
    fit_classifier(net, [CLOUD], steps, np.random.default_rng(0), pace=pace, journal=journal, on_step=losses.append)
    return net, losses


def test_clouds_of_different_sizes_are_stacked_with_what_is_there() -> None:
    small = Cloud(CLOUD.position[:3], CLOUD.evidence[:3], CLOUD.label[:3])
    position, evidence, there, label = stack_clouds([CLOUD, small])
    assert position.shape == (2, COUNT, 3)
    assert evidence.shape == (2, COUNT, 2)
    assert there.sum(1).tolist() == [COUNT, 3]
    assert label[1].tolist() == [0, 1, 2, *[-1] * (COUNT - 3)]


def test_unknown_neurons_teach_nothing() -> None:
    score = torch.log_softmax(torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0)), 2)
    weight = torch.ones(4)
    known = measure_loss(score[:, :2], torch.tensor([[0, 1]]), weight)
    torch.testing.assert_close(measure_loss(score, torch.tensor([[0, 1, -1]]), weight), known)
    assert measure_loss(score, torch.tensor([[0, 1, 2]]), weight) != known
    assert measure_loss(score, torch.tensor([[-1, -1, -1]]), weight) == 0


def test_the_loss_falls() -> None:
    _, losses = fit(40, Pace())
    assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5])


@pytest.mark.parametrize("pairs", [True, False])
def test_what_pairs_look_like_is_learnt_only_where_asked(pairs: bool) -> None:
    torch.manual_seed(0)
    before = Classifier(COUNT, 2).state_dict()
    net, _ = fit(3, Pace(pairs=pairs))
    changed = {name for name, value in net.state_dict().items() if not torch.equal(value, before[name])}
    assert "head.weight" in changed
    assert ("constellation.pair.0.weight" in changed) == pairs
    assert all(one.requires_grad for one in net.parameters()), "the next lesson may teach all of it"


def test_it_stops_when_the_loss_no_longer_falls() -> None:
    assert len(fit(30, Pace(learning_rate=1e-9), Journal(patience=5))[1]) < 30
    assert len(fit(30, Pace(learning_rate=1e-9))[1]) == 30


def test_no_steps_change_nothing_and_the_network_is_ready_to_answer() -> None:
    net, losses = fit(0, Pace())
    assert losses == []
    assert not net.training
