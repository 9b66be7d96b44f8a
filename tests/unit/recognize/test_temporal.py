"""Neighbouring volumes put a swapped pair right and name what one of them missed."""

import numpy as np

from cases.constellations import make_head, see_head
from cender.recognize.temporal import link_names
from cender.types import Annotation, Identities

HEAD = make_head(40)
VOLUMES = [see_head(HEAD, number, turn=0.1 * number) for number in range(5)]


def name_all(probability: float = 0.9) -> dict[int, Identities]:
    """The truth, with some doubt."""
    return {one.volume: Identities(one.identity.copy(), np.full(len(one), probability)) for one in VOLUMES}


def test_a_swapped_pair_is_put_right() -> None:
    known = name_all()
    known[2].identity[[3, 7]] = known[2].identity[[7, 3]]
    known[2].probability[[3, 7]] = 0.6
    assert (known[2].identity != VOLUMES[2].identity).sum() == 2
    linked = link_names(VOLUMES, known)
    assert all((linked[one.volume].identity == one.identity).all() for one in VOLUMES)
    assert (known[2].identity != VOLUMES[2].identity).sum() == 2, "what it got is not changed"


def test_a_refused_neuron_gets_the_name_of_its_neighbours() -> None:
    known = name_all()
    known[1].identity[5], known[1].probability[5] = -1, 0.0
    linked = link_names(VOLUMES, known)[1]
    assert linked.identity[5] == VOLUMES[1].identity[5]
    assert 0 < linked.probability[5] <= 1


def test_names_stay_one_to_one_and_sure_ones_as_they_are() -> None:
    linked = link_names(VOLUMES, name_all())
    for one in VOLUMES:
        given = linked[one.volume].identity
        assert len(set(given.tolist())) == len(given)
        assert (linked[one.volume].probability == 0.9).all()


def test_alone_and_empty_volumes_stay_as_they_are() -> None:
    empty = Annotation.from_points(20, np.zeros((0, 3)))
    known = {0: name_all()[0], 20: Identities(np.zeros(0, int), np.zeros(0))}
    linked = link_names([VOLUMES[0], empty], known)
    assert (linked[0].identity == known[0].identity).all()
    assert len(linked[20]) == 0
