"""Training of the namer as a whole."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from tests.unit.name.worms import make_worms

from cender.nets.namer import Namer
from cender.training.namer import train
from cender.training.namer.fit import fit_namer
from cender.training.namer.pack import build_naming_model
from cender.training.params import TrainNamerParams
from cender.types import Weights


def test_animals_that_were_held_back_teach_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = []

    def watch(net: Namer, pool: list[Any], *rest: Any) -> Iterator[float]:
        pools.append(len(pool))
        yield from fit_namer(net, pool, *rest)

    monkeypatch.setattr(train, "fit_namer", watch)
    steps: list[int] = []
    params = TrainNamerParams(networks=2, steps=3, batch=2, hold_back=4)
    train.train_namer(make_worms(8), params, 0, lambda step, total, loss: steps.append(step))
    assert pools == [6, 6, 8, 8], "both networks judge together before they learn from all animals"
    assert steps == [1, 2, 3, 4, 5, 6]


def test_networks_differ_and_say_together_what_a_cell_is() -> None:
    weights = train.train_namer(make_worms(8), TrainNamerParams(networks=2, steps=3, batch=2, hold_back=4))
    both = build_naming_model(weights)
    alone = [
        build_naming_model(Weights({n: a for n, a in weights.arrays.items() if number not in n}, weights.metadata))
        for number in ("net.1.", "net.0.")
    ]
    place, looks = np.random.default_rng(0).normal(0, 0.3, (1, 6, 3)), np.zeros((6, train.FEATURES))
    (mean, _), *apart = (one.score(place, looks) for one in (both, *alone))
    first, second = (names for names, _ in apart)
    assert not np.allclose(first, second)
    np.testing.assert_allclose(mean, (first + second) / 2, atol=1e-6)


def test_the_network_ends_with_the_mean_of_its_weights() -> None:
    worms = make_worms(4)
    looks = [train.describe_colours(one.colour) for one in worms]
    atlas, ways = train.build_atlas([one.position_um for one in worms], [one.name for one in worms], looks)
    pool = train._place(worms, looks, ways, atlas)
    torch.manual_seed(0)
    net = Namer(len(atlas), train.FEATURES)
    params = TrainNamerParams(steps=5, batch=2)
    run = fit_namer(net, pool, train.pair_sides(atlas.names), params, np.random.default_rng(0))
    for _ in range(5):
        next(run)
    last = net.head.bias.detach().clone()
    assert next(run, None) is None
    assert not torch.allclose(net.head.bias, last)
    assert torch.allclose(net.head.bias, last, atol=0.1)
