"""Marks teach which candidates are neurons."""

from dataclasses import replace

import numpy as np
import pytest

from cender.detect.candidates import COLUMNS, PLAIN_JUDGE, describe_candidates, find_candidates, judge_candidates
from cender.io.weights import shipped_weights
from cender.nets.detector import build_torch_score
from cender.nets.scoring import KIND
from cender.simulate import SimulateParams
from cender.training.detector.judge import collect_candidates, fit_judge, load_examiner
from cender.training.detector.samples import Sample
from cender.training.detector.simulated import draw_samples, match_rig
from cender.types import VoxelSize


@pytest.fixture(scope="module")
def arrays() -> dict[str, np.ndarray]:
    return dict(shipped_weights("dense", KIND).arrays)


@pytest.fixture(scope="module")
def heads() -> list[Sample]:
    params = SimulateParams.model_validate({"preset": "hard", "seed": 4900, "volumes": 40, "shape": (18, 512, 512)})
    return list(draw_samples(params, 2, np.random.default_rng(0)))


def chance(arrays: dict[str, np.ndarray], head: Sample, judge: np.ndarray) -> np.ndarray:
    maps = build_torch_score(arrays)(head.image)
    return judge_candidates(describe_candidates(maps, find_candidates(maps, head.step_um), head.step_um), judge)


def test_chances_mean_what_they_say_on_what_they_were_learnt_from(arrays: dict, heads: list[Sample]) -> None:
    judge = fit_judge(arrays, heads, PLAIN_JUDGE)
    table, right = collect_candidates(arrays, heads)
    learnt, plain = (1 / (1 + np.exp(-table @ one)) for one in (judge, PLAIN_JUDGE))
    assert learnt.mean() == pytest.approx(right.mean(), abs=0.02)
    loss = [-np.mean(np.where(right, np.log(p + 1e-9), np.log(1 - p + 1e-9))) for p in (learnt, plain)]
    assert loss[0] < loss[1]


def test_the_examiner_knows_neurons_of_unseen_animals_better_than_the_heat(arrays: dict, heads: list[Sample]) -> None:
    losses = []
    for examine in (None, load_examiner()):
        table, right = collect_candidates(arrays, heads, examine=examine)
        odds = table @ PLAIN_JUDGE
        losses.append(np.logaddexp(0, np.where(right, -odds, odds)).mean())
    assert losses[1] < 0.85 * losses[0]


def test_where_a_part_is_marked_as_many_are_expected_as_before(arrays: dict, heads: list[Sample]) -> None:
    some = [replace(head, centre=head.centre[::2], partial=True) for head in heads]
    judge = fit_judge(arrays, some, PLAIN_JUDGE)
    before, after = (sum(chance(arrays, head, one).sum() for head in some) for one in (PLAIN_JUDGE, judge))
    assert after == pytest.approx(before, rel=0.02)
    assert not np.allclose(judge, PLAIN_JUDGE)


def test_nothing_is_learnt_from_next_to_nothing(arrays: dict, heads: list[Sample]) -> None:
    small = replace(heads[0], image=heads[0].image[:, :40, :40], centre=heads[0].centre[:1])
    before = np.arange(COLUMNS, dtype=float)
    assert fit_judge(arrays, [small], before) is before


@pytest.mark.parametrize("removed", [True, False])
def test_simulated_animals_are_seen_by_a_microscope_like_the_users(removed: bool) -> None:
    voxel = VoxelSize(2.2, 0.5, 0.4)
    params = match_rig(voxel, 16, removed, 3000)
    assert params.voxel_um == tuple(voxel)
    assert params.shape[0] == 16
    assert bool(params.storage.remove_background) is removed
    assert params != match_rig(voxel, 16, removed, 3100)
