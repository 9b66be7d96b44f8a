"""Names that other volumes bear out are more probable than those that they contradict, however sure each volume is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cases.constellations import make_head, see_head
from cender.recognize.agreement import describe_agreement, weigh_names
from cender.recognize.confidence import Calibration
from cender.recognize.frame import place_points
from cender.recognize.links import link_film
from cender.recognize.model import Naming

HEAD = make_head(45)
FILM = [see_head(HEAD, number, turn=0.1 * number, dropped=0.05) for number in range(12)]
CALIBRATION = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))
FIRST = min(int(one.identity.min()) for one in FILM)


def name_volume(row: int) -> Naming:
    one = FILM[row]
    position = place_points(one.centre_um)
    names = one.identity - FIRST
    score = np.full((len(one), len(HEAD) + 1), np.log(0.1 / len(HEAD)))
    score[np.arange(len(one)), names] = np.log(0.9)
    return Naming(position, names, np.full(len(one), 0.9), np.zeros((len(one), 4)), score, score)


def turn_alike(namings: Sequence[Naming]) -> list[Naming]:
    """All volumes in the pose of the first."""
    turned = [namings[0]]
    for one in namings[1:]:
        common, here, there = np.intersect1d(one.names, namings[0].names, return_indices=True)
        same = float(np.sum(one.position[here] * namings[0].position[there])) > 0 and len(common) > 0
        turned.append(one if same else replace(one, position=one.position * (1, -1, -1)))
    return turned


NAMINGS = turn_alike([name_volume(row) for row in range(len(FILM))])


def swap(naming: Naming, first: int, second: int) -> Naming:
    """The naming with two names exchanged, as sure as before."""
    rows = [int(np.flatnonzero(naming.names == name)[0]) for name in (first, second)]
    names, score = naming.names.copy(), naming.score.copy()
    names[rows], score[rows] = names[rows[::-1]], score[rows[::-1]]
    return replace(naming, names=names, score=score, first=score)


def weigh(namings: Sequence[Naming]) -> list[np.ndarray]:
    return weigh_names(namings, [one.names for one in namings], link_film(namings), CALIBRATION)


def test_a_name_that_others_contradict_loses() -> None:
    before = weigh(NAMINGS)[5]
    spoilt = [*NAMINGS[:5], swap(NAMINGS[5], 3, 17), *NAMINGS[6:]]
    after = weigh(spoilt)[5]
    wrong = np.isin(spoilt[5].names, [3, 17])
    assert after[wrong].max() < before[wrong].min() - 0.2
    assert np.median(after[~wrong]) > after[wrong].max()


def test_a_name_that_jumps_between_two_neurons_is_doubted_wherever_it_is() -> None:
    spoilt = [swap(one, 3, 17) if row % 2 else one for row, one in enumerate(NAMINGS)]
    sure = weigh(spoilt)
    for one, probability in zip(spoilt, sure, strict=True):
        jumping = np.isin(one.names, [3, 17])
        assert probability[jumping].max() < np.median(probability[~jumping])


def test_a_volume_without_others_keeps_its_own_probabilities() -> None:
    assert (weigh(NAMINGS[:1])[0] == 0.9).all()
    nothing = Naming(np.zeros((0, 3)), np.zeros(0, int), np.zeros(0), np.zeros((0, 4)), *[np.zeros((0, 46))] * 2)
    assert [len(part) for part in weigh([nothing, nothing])] == [0, 0]
    unnamed = replace(NAMINGS[0], names=np.full(len(NAMINGS[0].names), -1))
    assert (weigh([unnamed])[0] == 0).all()


def test_features_are_finite() -> None:
    links = link_film(NAMINGS)
    parts = describe_agreement(NAMINGS, [one.names for one in NAMINGS], links, CALIBRATION)
    assert all(np.isfinite(part).all() and part.shape[1] == 5 for part in parts)
