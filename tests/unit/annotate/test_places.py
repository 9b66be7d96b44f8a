"""Points from elsewhere that lie beside the light, all alike or each in its depth, still find their neurons."""

import numpy as np
import pytest

from cender.annotate.places import NEAR_UM, Alignment, align_places, match_places

SHIFT = np.array([2.2, 0.0, -0.4])


def make_head(seed: int = 0, count: int = 80) -> np.ndarray:
    """Neurons about 4 µm from each other."""
    return np.random.default_rng(seed).uniform(0, [24, 30, 60], (count, 3))


def spread_places(found: np.ndarray, seed: int = 1, sd: tuple[float, float, float] = (0.4, 0.3, 0.3)) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return found + rng.normal(0, sd, found.shape)


def count_right(owner: np.ndarray) -> int:
    return int((owner == np.arange(len(owner))).sum())


def test_a_common_shift_is_found_and_taken_off() -> None:
    found = make_head()
    theirs = spread_places(found) + SHIFT
    plain = count_right(match_places(theirs, found, Alignment()))
    alignment = align_places(theirs, found)
    assert plain < 40, "without it, most places are too far away"
    np.testing.assert_allclose(alignment.shift_um, SHIFT, atol=0.2)
    assert count_right(match_places(theirs, found, alignment)) >= 76


def test_it_is_found_where_many_neurons_have_no_partner() -> None:
    found = make_head()
    theirs = np.concatenate([spread_places(found)[:50] + SHIFT, make_head(5, 15)])
    np.testing.assert_allclose(align_places(theirs, found[10:]).shift_um, SHIFT, atol=0.3)


@pytest.mark.parametrize("seed", range(8))
def test_places_that_lie_right_or_have_nothing_to_do_with_it_are_not_shifted(seed: int) -> None:
    found = make_head(seed)
    assert not align_places(spread_places(found, seed), found).shift_um.any()
    assert not align_places(make_head(seed + 100, 60), found).shift_um.any()


def test_a_few_places_say_nothing_of_a_shift() -> None:
    found = make_head()
    assert not align_places(found[:9] + SHIFT, found).shift_um.any()
    assert not align_places(np.zeros((0, 3)), found).shift_um.any()
    assert not align_places(found, np.zeros((0, 3))).shift_um.any()


def test_depths_that_scatter_reach_farther_and_exact_ones_do_not() -> None:
    found = make_head() * np.array([2.0, 1.0, 1.0])
    rough = align_places(spread_places(found, sd=(1.4, 0.2, 0.2)), found)
    assert rough.near_um[0] > NEAR_UM + 0.5
    assert rough.near_um[1:].tolist() == [NEAR_UM, NEAR_UM]
    assert align_places(spread_places(found), found).near_um.tolist() == [NEAR_UM] * 3


def test_what_was_written_down_before_is_known_again_beside_shifted_places() -> None:
    found = make_head()
    theirs = spread_places(found) + SHIFT
    # A table of a run holds what only people saw where they saw it.
    again = np.concatenate([found[:70], theirs[70:]])
    owner = match_places(theirs, again, align_places(theirs, again))
    assert (owner[70:] == np.arange(70, 80)).all()
    assert count_right(owner) >= 76
