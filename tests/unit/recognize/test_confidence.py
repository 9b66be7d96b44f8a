"""Probabilities: learnt from names that could be judged, held by what is usual."""

import numpy as np

from cender.recognize.confidence import Calibration, describe_names, fit_calibration

PRIOR = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))


def test_a_sure_name_is_more_probable_than_a_contested_one() -> None:
    score = np.log(np.array([[0.95, 0.02, 0.03], [0.05, 0.5, 0.45], [0.05, 0.45, 0.5]]))
    names = np.array([0, 1, -1])
    features = describe_names(score, score, names)
    probability = PRIOR.apply(features)
    assert probability[0] > probability[1]
    assert (features[2] == 0).all()


def test_calibration_follows_the_evidence_as_far_as_the_prior_lets_it() -> None:
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(3, 1, (2000, 3)), np.ones(2000)])
    wrong = rng.random(2000) < 0.3
    before = PRIOR.apply(features).mean()
    many = fit_calibration(features, wrong, PRIOR, 20.0).apply(features).mean()
    held = fit_calibration(features, wrong, PRIOR, 1e7).apply(features).mean()
    assert before > 0.8
    assert abs(many - 0.3) < 0.05
    assert abs(held - before) < 0.05
    none = fit_calibration(features[:0], wrong[:0], PRIOR, 20.0)
    np.testing.assert_allclose(none.weights, PRIOR.weights)
