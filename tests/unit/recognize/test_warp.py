"""Warps between two sights: robust, and honest about what they do not know."""

import numpy as np

from cases.constellations import make_head
from cender.recognize.warp import carry_points, fit_affine, fit_warps, predict_points, predict_sources

HERE = make_head() / 84
RNG = np.random.default_rng(3)
MATRIX = np.array([[1.05, 0.02, 0.0], [0.0, 0.9, 0.1], [0.03, -0.1, 1.1]])
USED = np.ones((1, len(HERE)), bool)


def test_an_affine_map_is_found_despite_wrong_pairs() -> None:
    there = HERE @ MATRIX + (0.1, 0.2, -0.1)
    there[:6] += RNG.normal(size=(6, 3))
    affine, error = fit_affine(HERE[None], there[None], USED)
    plain = np.linalg.lstsq(np.c_[HERE, np.ones(len(HERE))], there, rcond=None)[0]
    assert np.abs(affine[0, :3] - MATRIX).max() < 0.5 * np.abs(plain[:3] - MATRIX).max()
    assert error[0] < 0.05


def test_without_pairs_the_error_is_infinite() -> None:
    _, error = fit_affine(HERE[None], HERE[None], ~USED)
    assert np.isinf(error[0])


def bend(points: np.ndarray) -> np.ndarray:
    return points + np.stack([0 * points[:, 0], 0.08 * np.sin(6 * points[:, 2]), 0 * points[:, 0]], axis=1)


def test_a_bend_is_followed_where_an_affine_map_is_not_enough() -> None:
    seen = USED.copy()
    seen[0, ::5] = False
    there = bend(HERE)
    affine, _ = fit_affine(HERE[None], there[None], seen)
    warps = fit_warps(HERE[None], there, seen, affine)
    mean, variance = predict_points(warps, HERE[None])
    np.testing.assert_array_equal(carry_points(warps, HERE[None]), mean)
    hidden = ~seen[0]
    straight = HERE @ affine[0, :3] + affine[0, 3]
    before = np.linalg.norm(straight - there, axis=1)[hidden].mean()
    after = np.linalg.norm(mean[0] - there, axis=1)[hidden].mean()
    assert after < 0.6 * before
    far, far_variance = predict_points(warps, np.full((1, 1, 3), 3.0))
    assert far_variance[0, 0] > 2 * variance.mean(), "far away nothing is known"
    assert np.isfinite(far).all()


def test_a_held_out_neuron_does_not_explain_itself() -> None:
    there = HERE.copy()
    there[7] += (0, 0.15, 0)
    affine, _ = fit_affine(HERE[None], there[None], USED)
    warps = fit_warps(HERE[None], there, USED, affine)
    own = predict_points(warps, HERE[None])[0][0, 7]
    held, variance = predict_sources(warps)
    assert np.linalg.norm(held[0, 7] - HERE[7]) < np.linalg.norm(own - HERE[7])
    # As if the process had been fitted without it.
    others = USED.copy()
    others[0, 7] = False
    alone = fit_warps(HERE[None], there, others, affine, bumps=warps.bumps)
    mean, spread = predict_sources(alone)
    np.testing.assert_allclose(held[0, 7], mean[0, 7], atol=1e-6)
    np.testing.assert_allclose(variance[0, 7], spread[0, 7], rtol=1e-6)
