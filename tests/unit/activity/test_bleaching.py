"""What bleaching takes, and what is no bleaching."""

import numpy as np
import pytest

from cender.activity import fit_bleaching

TIME = np.arange(0, 300, 0.4)


def make_light(curve: np.ndarray, identities: int = 40, seed: int = 0, active: float = 0.6) -> np.ndarray:
    """Identities of different brightness, with transients in some and holes in all."""
    rng = np.random.default_rng(seed)
    light = rng.uniform(20, 200, (identities, 1)) * curve * np.exp(rng.normal(0, 0.06, (identities, len(curve))))
    for row in range(int(active * identities)):
        for start in rng.uniform(0, 300, 6):
            light[row] *= 1 + rng.uniform(0.2, 1.2) * ((start <= TIME) & (start + 12 > TIME))
    light[rng.random(light.shape) < 0.1] = np.nan
    return light


def test_one_exponential() -> None:
    found = fit_bleaching(make_light(np.exp(-TIME / 400)), TIME)
    assert found.model == "mono"
    assert found.lasting_s[0] == pytest.approx(400, rel=0.15)
    assert found.left_at(TIME) == pytest.approx(np.exp(-TIME / 400), abs=0.03)


def test_two_exponentials() -> None:
    curve = 0.6 + 0.4 * np.exp(-TIME / 40)
    found = fit_bleaching(make_light(curve), TIME)
    assert found.model == "bi"
    assert found.left_at(TIME) == pytest.approx(curve / curve[0], abs=0.04)
    assert found.fit == pytest.approx(found.level, rel=0.1)


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        ("flat", np.ones(len(TIME))),
        ("rising", np.exp(TIME / 500)),
        ("to and fro", 1 + 0.3 * np.sin(TIME / 12)),
    ],
)
def test_what_is_no_bleaching_is_left_alone(name: str, curve: np.ndarray) -> None:
    found = fit_bleaching(make_light(curve), TIME)
    assert found.model == "none", name
    assert found.reason
    assert found.left_at(TIME).tolist() == [1.0] * len(TIME)


def test_a_few_that_vanish_are_not_the_population() -> None:
    light = make_light(np.ones(len(TIME)))
    light[:10] *= np.exp(-TIME / 60)
    assert fit_bleaching(light, TIME).model == "none"


def test_what_is_left_never_gets_out_of_hand() -> None:
    light = make_light(np.exp(-TIME / 30))
    assert fit_bleaching(light, TIME).left_at(TIME).min() > 0.04


def test_too_short_too_few_too_empty() -> None:
    assert "too short" in fit_bleaching(make_light(np.exp(-TIME / 400))[:, :50], TIME[:50]).reason
    assert "identities" in fit_bleaching(make_light(np.exp(-TIME / 400), 3), TIME).reason
    assert fit_bleaching(np.full((20, len(TIME)), np.nan), TIME).model == "none"
    assert fit_bleaching(np.ones((0, len(TIME))), TIME).model == "none"
    assert fit_bleaching(-make_light(np.ones(len(TIME))), TIME).model == "none"


def test_identities_that_come_and_go_do_not_look_like_bleaching() -> None:
    light = make_light(np.ones(len(TIME)), 60)
    order = np.argsort(-np.nanmedian(light, axis=1))
    bright, dim = order[:20], order[40:]
    light[bright, len(TIME) * 2 // 3 :] = np.nan
    light[dim, : len(TIME) // 3] = np.nan
    assert np.nanmedian(light[:, -100:]) < 0.8 * np.nanmedian(light[:, :100]), "the plain median falls"
    assert fit_bleaching(light, TIME).model == "none"
