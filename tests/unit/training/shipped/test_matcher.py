"""What the shipped matcher is made of: heads that never were, seen twice."""

from dataclasses import replace

import numpy as np
import torch

from cases.constellations import make_head
from cender.io import shipped_weights
from cender.nets.constellation import Matcher, build_matcher
from cender.recognize.evidence import COUNT
from cender.training.recognizer.clouds import vary_cloud
from cender.training.shipped import matcher as module
from cender.training.shipped.matcher import KIND, draw_head, measure_matching, pack_matcher, train_matcher

HEAD = make_head(80)


def see_twice(seed: int) -> list[module.Cloud]:
    """Two sights of which nothing but places is known: looks are told by any network."""
    rng = np.random.default_rng(seed)
    head = draw_head(HEAD, rng)
    sights = [vary_cloud(head, -2, rng) for _ in range(2)]
    return [replace(one, evidence=np.zeros_like(one.evidence)) for one in sights]


def test_a_head_is_drawn_anew_every_time() -> None:
    rng = np.random.default_rng(0)
    first, second = draw_head(HEAD, rng), draw_head(HEAD, rng)
    assert first.label.tolist() == list(range(len(first)))
    assert first.evidence.shape == (len(first), COUNT)
    assert len(first) != len(second) or np.abs(first.position - second.position).max() > 0.01


def test_the_shipped_matcher_finds_partners_that_an_untrained_one_does_not() -> None:
    torch.manual_seed(0)
    shipped = build_matcher(shipped_weights("matcher", KIND).arrays)
    with torch.no_grad():
        known = [measure_matching(shipped, see_twice(seed))[1] for seed in range(24)]
        untaught = [measure_matching(Matcher(COUNT).eval(), see_twice(seed))[1] for seed in range(24)]
    assert np.mean(known) > 0.6
    assert np.mean(known) > np.mean(untaught) + 0.2


def test_training_changes_the_weights_and_tells_of_every_step(monkeypatch) -> None:
    monkeypatch.setattr(module, "ANIMALS", 2)
    monkeypatch.setattr(module, "PAIRS", 1)
    told: list[tuple[int, float, float]] = []
    net = train_matcher(2, on_step=lambda *words: told.append(words))
    assert [step for step, _, _ in told] == [0, 1]
    assert all(np.isfinite(loss) and 0 <= right <= 1 for _, loss, right in told)
    packed = pack_matcher(net, 2)
    assert packed.metadata["kind"] == KIND
    assert build_matcher(packed.arrays).scale.item() > 0
