"""The network over all neurons at once: order, absence and place, and what it begins with."""

import numpy as np
import pytest
import torch

from cender.io import shipped_weights
from cender.nets.constellation import (
    LENGTH,
    Classifier,
    Constellation,
    Matcher,
    build_classifier,
    build_matcher,
    export_weights,
    make_score,
)

EVIDENCE = 2


def make_cloud(neurons: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    position = torch.randn(1, neurons, 3, generator=draw) * torch.tensor([0.1, 0.15, 0.4])
    return position, torch.randn(1, neurons, EVIDENCE, generator=draw), torch.ones(1, neurons, dtype=torch.bool)


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    """The shipped one."""
    return build_matcher(shipped_weights("matcher", "matcher").arrays)


@torch.no_grad()
def test_descriptions_follow_the_order_of_the_neurons(matcher: Matcher) -> None:
    position, evidence, there = make_cloud(20)
    order = torch.from_numpy(np.random.default_rng(1).permutation(20))
    plain = matcher.constellation(position, evidence, there)
    mixed = matcher.constellation(position[:, order], evidence[:, order], there)
    torch.testing.assert_close(mixed, plain[:, order], atol=1e-4, rtol=1e-4)
    assert (mixed - plain).abs().max() > 0.1


@torch.no_grad()
def test_rows_that_are_not_there_change_nothing(matcher: Matcher) -> None:
    position, evidence, there = make_cloud(15)
    padded = [torch.cat([one, torch.full_like(one[:, :4], 0.3)], 1) for one in (position, evidence)]
    absent = torch.cat([there, torch.zeros(1, 4, dtype=torch.bool)], 1)
    plain = matcher.constellation(position, evidence, there)
    torch.testing.assert_close(matcher.constellation(*padded, absent)[:, :15], plain, atol=1e-4, rtol=1e-4)
    seen = matcher.constellation(*padded, torch.ones_like(absent))[:, :15]
    assert (seen - plain).abs().max() > 0.01, "were they there, they would matter"


@torch.no_grad()
def test_every_description_has_the_same_length(matcher: Matcher) -> None:
    described = matcher.constellation(*make_cloud(9))
    torch.testing.assert_close(described.norm(dim=2), torch.full((1, 9), LENGTH))


@torch.no_grad()
def test_a_neuron_resembles_itself_most_and_an_absent_one_is_never_chosen(matcher: Matcher) -> None:
    position, evidence, there = make_cloud(20)
    described = matcher.constellation(position, evidence, there)
    score = matcher(described, described, there)
    assert (score.argmax(2) == torch.arange(20)).all()
    present = there.clone()
    present[0, 7] = False
    assert score[0, :, 7].exp().max() > 0.5
    assert matcher(described, described, present)[0, :, 7].exp().max() < 1e-6


@torch.no_grad()
def test_a_classifier_that_starts_from_a_matcher_judges_as_the_matcher_does(matcher: Matcher) -> None:
    position, evidence, there = make_cloud(20)
    described = matcher.constellation(position, evidence, there)
    net = Classifier(20, EVIDENCE).eval()
    assert (net(position, evidence, there)[0, :, :20].argmax(1) != torch.arange(20)).any(), "before, it knows nothing"
    net.start_from(matcher, described[0])
    expected = matcher(described, described, there)
    torch.testing.assert_close(net(position, evidence, there), expected, atol=1e-3, rtol=1e-3)


def test_a_classifier_comes_back_from_its_arrays() -> None:
    torch.manual_seed(2)
    net = Classifier(5, EVIDENCE).eval()
    position, evidence, there = make_cloud(8)
    again = build_classifier(export_weights(net))
    with torch.no_grad():
        torch.testing.assert_close(again(position, evidence, there), net(position, evidence, there))


def test_scores_are_log_probabilities() -> None:
    position, evidence, _ = make_cloud(8)
    score = make_score(Classifier(5, EVIDENCE).eval())(position.double().numpy(), evidence.double().numpy())
    assert score.shape == (1, 8, 6)
    np.testing.assert_allclose(np.exp(score).sum(axis=2), 1, rtol=1e-5)


def test_a_constellation_works_without_evidence() -> None:
    position, _, there = make_cloud(6)
    described = Constellation().eval()(position, torch.zeros(1, 6, 0), there)
    assert bool(torch.isfinite(described).all())
