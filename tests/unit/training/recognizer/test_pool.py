"""Postures between two that were annotated."""

import numpy as np

from cases.constellations import make_head
from cender.training.recognizer.clouds import Cloud
from cender.training.recognizer.pool import warp_cloud, warp_clouds

COUNT = 40
HEAD = make_head(COUNT) / 84
HERE = Cloud(HEAD, np.zeros((COUNT, 0)), np.arange(COUNT))
BENT = HEAD + np.stack([0 * HEAD[:, 0], 0.3 * HEAD[:, 2] ** 2, 0 * HEAD[:, 0]], axis=1)
THERE = Cloud(BENT, np.zeros((COUNT, 0)), np.arange(COUNT))


def measure_gap(cloud: Cloud) -> float:
    return float(np.linalg.norm(cloud.position - BENT, axis=1).mean())


def test_half_the_way_lies_in_between_and_the_whole_way_nearly_there() -> None:
    half, whole = (warp_cloud(HERE, THERE, COUNT, share) for share in (0.5, 1.0))
    assert half is not None
    assert whole is not None
    assert measure_gap(whole) < 0.3 * measure_gap(HERE)
    assert 0.35 * measure_gap(HERE) < measure_gap(half) < 0.65 * measure_gap(HERE)


def test_a_neuron_that_the_other_lacks_moves_with_its_neighbours() -> None:
    lacking = Cloud(BENT[1:], np.zeros((COUNT - 1, 0)), np.arange(1, COUNT))
    moved = warp_cloud(HERE, lacking, COUNT, 1.0)
    assert moved is not None
    assert np.linalg.norm(moved.position[0] - BENT[0]) < 0.5 * np.linalg.norm(HEAD[0] - BENT[0])


def test_too_few_names_in_common_make_nothing() -> None:
    stranger = Cloud(BENT, np.zeros((COUNT, 0)), np.where(np.arange(COUNT) < 7, np.arange(COUNT), COUNT))
    assert warp_cloud(HERE, stranger, COUNT, 1.0) is None
    assert warp_clouds([HERE, stranger], COUNT, 3, np.random.default_rng(0)) == []


def test_as_many_as_asked_for_and_none_from_a_single_volume() -> None:
    made = warp_clouds([HERE, THERE], COUNT, 5, np.random.default_rng(0))
    assert len(made) == 5
    assert all((one.label == HERE.label).all() for one in made)
    assert warp_clouds([HERE], COUNT, 5, np.random.default_rng(0)) == []
