"""How far identities can be trusted is fitted to recordings that detectors spoil in their habitual way."""

import numpy as np
import pytest

from cases.constellations import make_head, see_head
from cender.training.shipped.spoil import Habits, spoil_film
from cender.training.shipped.trust import Judged, fit_weights, measure_shifts, weigh_given
from cender.types import Annotations, Identities

HEAD = make_head(45)
FILM = {number: see_head(HEAD, number, turn=0.05 * number) for number in range(30)}
TRUTH = Annotations("film", None, None, FILM)


def spoil(habits: Habits) -> Annotations:
    return spoil_film(TRUTH, habits, True, np.random.default_rng(1))


def count_seen(truth: Annotations) -> np.ndarray:
    return np.bincount(np.concatenate([one.identity[one.identity >= 0] for one in truth.annotations.values()]))


def test_the_same_neurons_are_missed_again_and_again() -> None:
    seen = count_seen(spoil(Habits(0.3, 0.0, 0.0, 0.0)))[10:] / len(FILM)
    assert 0.55 < seen.mean() < 0.9
    # Were every neuron missed as often as any other, shares would lie within a tenth of each other.
    assert seen.std() > 0.2


def test_a_split_neuron_is_found_twice_around_its_place() -> None:
    spoilt = spoil(Habits(0.0, 0.5, 0.0, 0.0))
    assert sum(map(len, spoilt.annotations.values())) > 1.2 * sum(map(len, FILM.values()))
    for volume, one in spoilt.annotations.items():
        assert len(np.unique(one.identity[one.identity >= 0])) == (one.identity >= 0).sum()
        before = {int(name): place for name, place in zip(FILM[volume].identity, FILM[volume].centre_um, strict=True)}
        away = [
            np.linalg.norm(place - before[int(name)])
            for name, place in zip(one.identity, one.centre_um, strict=True)
            if name >= 0
        ]
        assert max(away) <= 2.5 + 1e-9


def judge(classes: int, seed: int) -> Judged:
    rng = np.random.default_rng(seed)
    features = np.concatenate([rng.normal(size=(classes, 2)), np.ones((classes, 1))], axis=1)
    right = rng.random(classes) < 1 / (1 + np.exp(-features @ (1.5, 0.0, 0.5)))
    return Judged((), features, right, np.ones(classes, bool), classes, float(right.mean()))


def test_weights_are_those_by_which_names_are_right() -> None:
    weights = fit_weights([judge(4000, 0), judge(2000, 1)])
    np.testing.assert_allclose(weights, (1.5, 0.0, 0.5), atol=0.2)


def test_the_shift_is_that_of_log_odds() -> None:
    shifts = measure_shifts(np.array([0.5, 0.8]), np.array([0.5, 0.9]))
    np.testing.assert_allclose(shifts, (0.0, np.log(9 / 4)))


def test_names_are_as_probable_as_the_weights_say() -> None:
    given = (Identities(np.array([3, -1]), np.ones(2)), Identities(np.array([5]), np.ones(1)))
    part = Judged(given, np.array([[0.0], [5.0], [2.0]]), np.ones(3, bool), np.ones(3, bool), 3, 1.0)
    first, second = weigh_given(part, np.array([1.0]))
    assert first.probability.tolist() == [0.5, 0.0]
    assert second.probability[0] == pytest.approx(1 / (1 + np.exp(-2)))
