"""One logistic regression: learnt from cases that could be judged, held by what is usual."""

import numpy as np
import pytest
from scipy.special import expit

from cender.training.logistic import fit_logistic

PRIOR = np.array([0.55, 0.15, 0.2, 0.0])
RIDGE = np.array([4.0, 4.0, 4.0, 10.0])


def test_weights_are_found() -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([np.ones(4000), rng.normal(size=(4000, 2))])
    right = rng.random(4000) < expit(table @ [-1.0, 2.0, 0.0])
    found = fit_logistic(table, right, np.zeros(3), np.array([0.0, 2.0, 2.0]))
    assert found == pytest.approx([-1, 2, 0], abs=0.2)


def test_evidence_moves_weights_as_far_as_the_prior_lets_it() -> None:
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(3, 1, (2000, 3)), np.ones(2000)])
    right = rng.random(2000) < 0.3
    before = expit(features @ PRIOR).mean()
    many = expit(features @ fit_logistic(features, right, PRIOR, RIDGE)).mean()
    held = expit(features @ fit_logistic(features, right, PRIOR, 1e6 * RIDGE)).mean()
    assert before > 0.8
    assert abs(many - 0.3) < 0.05
    assert abs(held - before) < 0.05


def test_without_cases_the_prior_stays() -> None:
    none = fit_logistic(np.zeros((0, 4)), np.zeros(0, bool), PRIOR, RIDGE)
    assert none == pytest.approx(PRIOR)


def test_cases_beyond_doubt_end_the_search() -> None:
    table = np.column_stack([np.ones(40), np.repeat([-5.0, 5.0], 20)])
    found = fit_logistic(table, np.repeat([False, True], 20), np.zeros(2), np.array([0.0, 1.0]))
    assert np.isfinite(found).all()
    assert found[1] > 0.3


def test_cases_count_by_their_share() -> None:
    table, right = np.ones((30, 1)), np.arange(30) < 20
    share = np.where(right, 0.5, 1.0)
    even = fit_logistic(table, right, np.zeros(1), np.zeros(1), share)
    assert even == pytest.approx([0.0], abs=1e-6)
    assert fit_logistic(table, right, np.zeros(1), np.zeros(1)) == pytest.approx([np.log(2)], abs=1e-5)
