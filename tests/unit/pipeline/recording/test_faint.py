"""Faint neurons: who is taken because recognition knows them, with which probability, and who is dropped."""

import numpy as np
import pytest

from cender.annotate.marks import Mark
from cender.annotate.overlay import lay_over
from cender.annotate.state import VolumeState
from cender.pipeline.recording.faint import settle_faint, weigh_chance
from cender.types import Annotation, Identities

CENTRES = np.array([[0.0, 10.0 * row, 0.0] for row in range(5)])
CHANCE = np.array([0.9, 0.3, 0.3, 0.45, 0.25])
KNOWN = Identities(np.array([4, 7, -1, 8, 9]), np.array([0.9, 0.95, 0.0, 0.4, 0.99]))
PLACES = {3: Annotation.from_points(3, CENTRES, np.full(5, -1))}


def test_a_faint_neuron_is_taken_where_it_is_known_and_its_probability_says_both() -> None:
    settled = settle_faint({3: KNOWN}, PLACES, {3: CHANCE}, {}, 0.5)
    assert settled.numbers[3].tolist() == [2, 3], "nobody in particular, and somebody who is not sure"
    assert settled.known[3].identity.tolist() == [4, 7, -1, -1, 9]
    assert settled.known[3].probability[0] == 0.9, "what stands by itself is left alone"
    assert settled.known[3].probability[1] == pytest.approx(0.95 * weigh_chance(CHANCE)[1])
    assert settled.count(PLACES[3]) == 3


def test_being_known_makes_a_neuron_likelier_but_never_certain() -> None:
    chance = np.array([0.0, 0.2, 0.5, 1.0])
    assert (weigh_chance(chance)[1:3] > chance[1:3]).all()
    assert weigh_chance(chance)[[0, 3]] == pytest.approx([0, 1])


def test_without_identities_all_faint_ones_are_dropped_and_without_faint_ones_nothing_changes() -> None:
    assert settle_faint({}, PLACES, {3: CHANCE}, {}, 0.5).numbers[3].tolist() == [1, 2, 3, 4]
    same = settle_faint({3: KNOWN}, PLACES, {3: np.ones(5)}, {}, 0.5)
    assert same.known == {3: KNOWN}
    assert same.dropped == {}


def test_what_a_person_touched_is_a_neuron_however_faint() -> None:
    marks = {
        "m2": Mark(key="m2", anchor_um=(0.0, 20.0, 0.0), identity=5),
        "m3": Mark(key="m3", anchor_um=(0.0, 30.0, 0.0), centre_um=(0.0, 31.0, 0.0)),
        "h9": Mark(key="h9", centre_um=(9.0, 90.0, 0.0), identity=6),
    }
    one = lay_over(PLACES[3], VolumeState(volume=3, marks=marks))
    known = one.settle(Identities(np.append(KNOWN.identity, -1), np.append(KNOWN.probability, 0.0)))
    settled = settle_faint({3: known}, {3: one.annotation}, {3: CHANCE}, {3: one}, 0.5)
    assert 3 not in settled.dropped
    assert settled.known[3].identity.tolist() == [4, 7, 5, 8, 9, 6]
    assert settled.known[3].probability[2] == 1
