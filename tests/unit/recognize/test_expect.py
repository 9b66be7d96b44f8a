"""Neurons that other volumes expect: where, in which volumes, and where none may be expected."""

from dataclasses import replace

import numpy as np
import pytest

from cender.recognize.expect import Expected, carry_place, expect_neurons
from cender.types import Annotation, Identities

RNG = np.random.default_rng(3)
CLOUD = RNG.uniform(-15, 15, (24, 3))
"""Neurons of a head; the last one is missing from some volumes."""
LAST = len(CLOUD) - 1


def turn(points: np.ndarray, angle: float) -> np.ndarray:
    """The head turned in the image plane, and moved."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return points @ np.array([[1, 0, 0], [0, cosine, sine], [0, -sine, cosine]]) + [1.0, 20 * angle, -5.0]


def film(missing: tuple[int, ...], volumes: int = 8) -> tuple[list[Annotation], dict[int, Identities]]:
    """A head that turns; its last neuron is not found in some volumes."""
    seen, known = [], {}
    for volume in range(volumes):
        rows = np.arange(LAST if volume in missing else LAST + 1)
        seen.append(Annotation.from_points(volume, turn(CLOUD[rows], 0.4 * volume)))
        known[volume] = Identities(rows, np.full(len(rows), 0.9))
    return seen, known


def expect(missing: tuple[int, ...], **more: object) -> dict[int, Expected]:
    seen, known = film(missing)
    return expect_neurons(seen, known, **{"wanted": set(known), **more})


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.0, np.pi])
def test_a_place_is_carried_along_with_its_surroundings(angle: float) -> None:
    there, here = CLOUD, turn(CLOUD, angle)
    unseen = here.copy()
    unseen[LAST] = np.nan
    assert carry_place(unseen, there, LAST) == pytest.approx(here[LAST], abs=1e-6)
    assert carry_place(np.where(np.arange(24)[:, None] < 7, here, np.nan), there, LAST) is None, "too few are shared"


def test_a_missing_neuron_is_expected_where_the_others_say_it_lies() -> None:
    found = expect((3, 4))
    assert sorted(found) == [3, 4]
    one = found[3]
    assert one.identity.tolist() == [LAST]
    assert one.centre_um[0] == pytest.approx(turn(CLOUD, 1.2)[LAST], abs=1e-6)
    assert one.beside[0] == pytest.approx(3 / 4)
    assert (one.source[0], one.row[0]) == (2, LAST)


def test_what_is_seldom_seen_is_expected_only_if_a_person_gave_it() -> None:
    most = (0, 1, 2, 3, 5, 7)
    assert expect(most) == {}
    assert sorted(expect(most, given={LAST})) == list(most)


def test_only_wanted_volumes_have_gaps() -> None:
    assert sorted(expect((3, 4), wanted={4, 5})) == [4]


@pytest.mark.parametrize(("apart_um", "identity", "expected"), [(0.5, 77, 0), (1.5, 77, 1), (1.5, -1, 0), (2.5, -1, 1)])
def test_nothing_is_expected_where_somebody_is(apart_um: float, identity: int, expected: int) -> None:
    seen, known = film((3,))
    place = turn(CLOUD, 1.2)[LAST] + [apart_um, 0, 0]
    seen[3] = Annotation.from_points(3, np.concatenate([seen[3].centre_um, [place]]))
    known[3] = Identities(np.append(known[3].identity, identity), np.append(known[3].probability, 0.9))
    assert len(expect_neurons(seen, known, wanted={3})) == expected


def test_unsure_identities_say_nothing_of_others() -> None:
    seen, known = film((3,))
    doubted = {volume: replace(one, probability=np.full(len(one), 0.3)) for volume, one in known.items()}
    assert expect_neurons(seen, doubted, wanted={3}) == {}
