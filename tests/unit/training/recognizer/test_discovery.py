"""Beginning with nothing: the first volume, and neurons that come back though it lacks them."""

from dataclasses import replace

import numpy as np
import pytest

from cases.constellations import make_head, see_head
from cender.errors import DataError
from cender.training.recognizer.clouds import Cloud
from cender.training.recognizer.discovery import choose_start, find_identities
from cender.types import Annotation

HEAD = make_head(40) / 84
KNOWN, STRANGERS = 36, 4
START = HEAD[:KNOWN]


def see(seed: int, shown: int = STRANGERS) -> Cloud:
    """The known neurons and some strangers that the first volume lacks, turned and jittered a little."""
    rng = np.random.default_rng(seed)
    count = KNOWN + shown
    points = HEAD[:count] * (1, 1.03, 0.98) + rng.normal(size=(count, 3)) * 0.003 + (0.02, -0.01, 0.03)
    return Cloud(points, np.zeros((count, 0)), np.minimum(np.arange(count), KNOWN))


def test_neurons_that_come_back_get_one_number_each() -> None:
    labels = find_identities([see(seed) for seed in range(6)], START, KNOWN)
    strangers = np.array([label[KNOWN:] for label in labels])
    assert (strangers > KNOWN).all()
    assert (strangers == strangers[0]).all(), "the same number in every volume"
    assert len(set(strangers[0].tolist())) == STRANGERS
    assert all((label[:KNOWN] == np.arange(KNOWN)).all() for label in labels)


def test_a_neuron_that_was_seen_once_stays_unnamed() -> None:
    labels = find_identities([see(seed, shown=STRANGERS if seed == 0 else 0) for seed in range(8)], START, KNOWN)
    assert (labels[0][KNOWN:] == KNOWN).all()


def test_the_same_place_twice_in_a_volume_is_one_identity() -> None:
    clouds = []
    for seed in range(6):
        one = see(seed, shown=1)
        twin = np.concatenate([one.position, one.position[-1:] + 0.004])
        clouds.append(Cloud(twin, np.zeros((len(twin), 0)), np.append(one.label, KNOWN)))
    labels = find_identities(clouds, START, KNOWN)
    for label in labels:
        assert sorted(label[KNOWN:].tolist()) == [KNOWN, KNOWN + 1]


def test_volumes_with_too_few_known_neurons_say_nothing() -> None:
    few = [replace(one, label=np.where(one.label < 5, one.label, KNOWN)) for one in map(see, range(6))]
    labels = find_identities(few, START, KNOWN)
    assert max(int(label.max()) for label in labels) == KNOWN


def test_no_volumes_no_labels() -> None:
    assert find_identities([], START, KNOWN) == []


def test_the_first_volume_has_many_neurons_and_is_not_flagged() -> None:
    head = make_head(40)
    whole, poor = see_head(head, 0), see_head(head, 1, dropped=0.4)
    start = choose_start([poor, whole, see_head(head, 2, dropped=0.3)])
    assert start.volume == 0
    assert (start.identity == np.arange(len(whole))).all()
    assert choose_start([replace(whole, flagged=True), see_head(head, 3)]).volume == 3


def test_far_too_many_neurons_are_no_better_start() -> None:
    head = make_head(40)
    usual = [see_head(head, number) for number in range(4)]
    assert choose_start([*usual, see_head(head, 9, spurious=200, bend=2.0)]).volume != 9


def test_nothing_to_begin_with_is_refused() -> None:
    lonely = Annotation.from_points(3, np.zeros((1, 3)))
    with pytest.raises(DataError, match="at least two neurons"):
        choose_start([lonely])
