"""What a recording says of its own identities, without the truth."""

from collections.abc import Sequence

import numpy as np
import pytest

from cases.constellations import film_head, make_head
from cender.recognize.selfcheck import check_identities, choose_pairs
from cender.types import Annotation, Identities

FILM = film_head(make_head(45), 16)


def name_with_errors(film: Sequence[Annotation], wrong: float) -> dict[int, Identities]:
    """The true identities, a share of which is exchanged at random in every volume."""
    rng = np.random.default_rng(4)
    known = {}
    for one in film:
        identity = one.identity.copy()
        mixed = np.flatnonzero((rng.random(len(one)) < wrong) & (identity >= 0))
        identity[mixed] = np.roll(identity[mixed], 1)
        known[one.volume] = Identities(identity, np.full(len(one), max(1 - wrong, 0.1)))
    return known


@pytest.mark.parametrize("wrong", [0.0, 0.15, 0.3])
def test_the_expected_accuracy_is_said_with_its_range(wrong: float) -> None:
    check = check_identities(FILM, name_with_errors(FILM, wrong), 0.6)
    assert check is not None
    low, high = check.expected_range
    assert low < check.expected_accuracy < high
    assert f"About {100 * check.expected_accuracy:.0f} %" in str(check)
    assert check.describe()["low"] == pytest.approx(low, abs=1e-3)


def test_of_few_volumes_less_is_expected_and_less_is_sure() -> None:
    known = name_with_errors(FILM, 0.1)
    many, few = (check_identities(some, known, 0.6) for some in (FILM, FILM[:6]))
    assert many is not None
    assert few is not None
    assert few.sureness == pytest.approx(many.sureness, abs=0.02)
    assert few.expected_accuracy < many.expected_accuracy
    widths = [one.expected_range[1] - one.expected_range[0] for one in (many, few)]
    assert widths[1] > 1.5 * widths[0]
    assert "6 volumes this is a rough guess" in str(few)
    assert "rough guess" not in str(many)


def test_more_mistakes_are_expected_where_there_are_more() -> None:
    checks = [check_identities(FILM, name_with_errors(FILM, wrong), 0.6) for wrong in (0.0, 0.15, 0.3)]
    expected = [check.expected_accuracy for check in checks if check is not None]
    assert len(expected) == 3
    assert expected[0] > expected[1] > expected[2]


def test_improbable_names_weigh_little() -> None:
    known = name_with_errors(FILM, 0.3)
    for one, given in zip(FILM, known.values(), strict=True):
        given.probability[given.identity != one.identity] = 0.05
    check, before = (check_identities(FILM, some, 0.6) for some in (known, name_with_errors(FILM, 0.3)))
    assert check is not None
    assert before is not None
    assert check.agreement > before.agreement + 0.1


def test_names_of_people_do_not_count_as_improbable() -> None:
    known = name_with_errors(FILM, 0.0)
    before = check_identities(FILM, known, 0.6)
    known[FILM[3].volume].probability[:] = np.nan
    after = check_identities(FILM, known, 0.6)
    assert before is not None
    assert after is not None
    assert after.sureness == pytest.approx(before.sureness)


def test_random_identities_are_not_trusted() -> None:
    check = check_identities(FILM, name_with_errors(FILM, 1.0), 0.6)
    assert check is not None
    assert check.expected_accuracy < 0.4
    assert check.doubted == 1.0


def test_one_volume_says_nothing() -> None:
    assert check_identities(FILM[:1], name_with_errors(FILM[:1], 0.0), 0.6) is None
    assert check_identities([], {}, 0.6) is None


def test_compared_volumes_did_not_hear_each_other() -> None:
    pairs = choose_pairs(500)
    assert len(pairs) == 60
    assert all(second - first > 10 for first, second in pairs)
    assert choose_pairs(2) == [(0, 1)]
    assert choose_pairs(4) == [(0, 2), (1, 3)]
