"""Sums of bumps stand for a Gaussian process."""

import numpy as np

from cases.constellations import make_head
from cender.recognize.bumps import lay_bumps, measure_closeness

HEAD = make_head(80) / 84
LENGTH, SPREAD = 0.3, 0.05


def test_products_of_features_are_covariances_to_one_or_two_percent() -> None:
    bumps = lay_bumps(HEAD, LENGTH, SPREAD)
    features = bumps.describe(HEAD)
    covariance = SPREAD**2 * measure_closeness(HEAD, HEAD, LENGTH)
    assert np.abs(features @ features.T - covariance).max() < 0.02 * SPREAD**2
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() > 0.5 * SPREAD**2, "neighbours do move together"


def test_far_more_neurons_take_hardly_more_bumps() -> None:
    few, many = (len(lay_bumps(make_head(count) / 84, LENGTH, SPREAD).nodes) for count in (80, 220))
    assert few < 80
    assert many < 1.3 * few


def test_a_point_far_from_all_has_no_features() -> None:
    bumps = lay_bumps(HEAD, LENGTH, SPREAD)
    assert np.abs(bumps.describe(np.full((1, 3), 4.0))).max() < 1e-6
    assert np.abs(bumps.describe(HEAD[:1])).max() > 1e-2


def test_a_stray_point_gets_no_bumps_of_its_own() -> None:
    stray = np.concatenate([HEAD, np.full((1, 3), 50.0)])
    np.testing.assert_array_equal(lay_bumps(stray, LENGTH, SPREAD).nodes, lay_bumps(HEAD, LENGTH, SPREAD).nodes)


def test_single_precision_stays_single_and_is_as_good() -> None:
    points = HEAD.astype(np.float32)
    features = lay_bumps(points, LENGTH, SPREAD).describe(points)
    assert features.dtype == np.float32
    exact = lay_bumps(HEAD, LENGTH, SPREAD).describe(HEAD)
    np.testing.assert_allclose(features @ features.T, exact @ exact.T, atol=1e-3 * SPREAD**2)
