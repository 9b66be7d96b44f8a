"""Simulated heads that the detector learns from."""

import numpy as np

from cender.detect.normalise import ANY_GRIDS, USUAL_UM
from cender.simulate.rigs import NAMED, draw_rig
from cender.training.detector import simulated
from cender.training.detector.simulated import draw_usual_rig, make_simulated_samples


def test_random_rigs_for_the_fast_network_are_those_that_it_is_used_for() -> None:
    drawn = [draw_usual_rig(seed, np.random.default_rng(seed)) for seed in range(40)]
    anything = [draw_rig(seed) for seed in range(40)]

    def is_usual(voxel_um: tuple[float, float, float]) -> bool:
        return bool(np.all((np.array(voxel_um) >= USUAL_UM[0]) & (np.array(voxel_um) <= USUAL_UM[1])))

    assert not all(is_usual(one.voxel_um) and not one.storage.remove_background for one in anything)
    assert all(is_usual(one.voxel_um) and not one.storage.remove_background for one in drawn)
    assert len({one.hash for one in drawn}) == len(drawn)


def test_random_rigs_that_teach_are_none_of_those_that_are_tested_on(monkeypatch) -> None:
    seeds: list[int] = []

    def remember(seed: int, volumes: int = 40):
        seeds.append(seed)
        return draw_rig(seed, volumes)

    monkeypatch.setattr(simulated, "draw_rig", remember)
    monkeypatch.setattr(simulated, "draw_samples", lambda params, *_: iter([params]))
    usual = list(make_simulated_samples(20, 1, 31000, rigs=1.0))
    assert seeds
    assert not set(seeds) & set(NAMED)
    seeds.clear()
    others = list(make_simulated_samples(20, 1, 31000, rigs=1.0, grids=ANY_GRIDS))
    assert seeds == list(range(31000, 31020))
    assert {one.voxel_um for one in usual}.isdisjoint({one.voxel_um for one in others})
