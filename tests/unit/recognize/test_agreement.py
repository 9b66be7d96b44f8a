"""Identities that other volumes bear out are more probable than others, however sure each volume is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cases.constellations import make_head, see_head
from cender.recognize.agreement import describe_agreement, weigh_classes
from cender.recognize.confidence import Calibration
from cender.recognize.frame import place_points
from cender.recognize.links import link_film
from cender.recognize.model import Recognition

HEAD = make_head(45)
FILM = [see_head(HEAD, number, turn=0.1 * number, dropped=0.05) for number in range(12)]
CALIBRATION = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))
FIRST = min(int(one.identity.min()) for one in FILM)


def recognize_volume(row: int) -> Recognition:
    one = FILM[row]
    position = place_points(one.centre_um)
    classes = one.identity - FIRST
    score = np.full((len(one), len(HEAD) + 1), np.log(0.1 / len(HEAD)))
    score[np.arange(len(one)), classes] = np.log(0.9)
    return Recognition(position, classes, np.full(len(one), 0.9), np.zeros((len(one), 4)), score, score)


def turn_alike(recognitions: Sequence[Recognition]) -> list[Recognition]:
    """All volumes in the pose of the first."""
    turned = [recognitions[0]]
    for one in recognitions[1:]:
        common, here, there = np.intersect1d(one.classes, recognitions[0].classes, return_indices=True)
        same = float(np.sum(one.position[here] * recognitions[0].position[there])) > 0 and len(common) > 0
        turned.append(one if same else replace(one, position=one.position * (1, -1, -1)))
    return turned


RECOGNITIONS = turn_alike([recognize_volume(row) for row in range(len(FILM))])


def swap(recognition: Recognition, first: int, second: int) -> Recognition:
    """The recognition with two identities exchanged, as sure as before."""
    rows = [int(np.flatnonzero(recognition.classes == name)[0]) for name in (first, second)]
    classes, score = recognition.classes.copy(), recognition.score.copy()
    classes[rows], score[rows] = classes[rows[::-1]], score[rows[::-1]]
    return replace(recognition, classes=classes, score=score, first=score)


def weigh(recognitions: Sequence[Recognition]) -> list[np.ndarray]:
    return weigh_classes(recognitions, [one.classes for one in recognitions], link_film(recognitions), CALIBRATION)


def test_a_name_that_others_contradict_loses() -> None:
    before = weigh(RECOGNITIONS)[5]
    spoilt = [*RECOGNITIONS[:5], swap(RECOGNITIONS[5], 3, 17), *RECOGNITIONS[6:]]
    after = weigh(spoilt)[5]
    wrong = np.isin(spoilt[5].classes, [3, 17])
    assert after[wrong].max() < before[wrong].min() - 0.2
    assert np.median(after[~wrong]) > after[wrong].max()


def test_a_name_that_jumps_between_two_neurons_is_doubted_wherever_it_is() -> None:
    spoilt = [swap(one, 3, 17) if row % 2 else one for row, one in enumerate(RECOGNITIONS)]
    sure = weigh(spoilt)
    for one, probability in zip(spoilt, sure, strict=True):
        jumping = np.isin(one.classes, [3, 17])
        assert probability[jumping].max() < np.median(probability[~jumping])


def test_a_volume_without_others_keeps_its_own_probabilities() -> None:
    assert (weigh(RECOGNITIONS[:1])[0] == 0.9).all()
    nothing = Recognition(np.zeros((0, 3)), np.zeros(0, int), np.zeros(0), np.zeros((0, 4)), *[np.zeros((0, 46))] * 2)
    assert [len(part) for part in weigh([nothing, nothing])] == [0, 0]
    unnamed = replace(RECOGNITIONS[0], classes=np.full(len(RECOGNITIONS[0].classes), -1))
    assert (weigh([unnamed])[0] == 0).all()


def test_features_are_finite() -> None:
    links = link_film(RECOGNITIONS)
    parts = describe_agreement(RECOGNITIONS, [one.classes for one in RECOGNITIONS], links, CALIBRATION)
    assert all(np.isfinite(part).all() and part.shape[1] == 5 for part in parts)
