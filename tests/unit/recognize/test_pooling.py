"""Other volumes put a swapped pair right and identity what one of them missed."""

from dataclasses import replace

import numpy as np

from cases.constellations import make_head, see_head
from cender.recognize.confidence import Calibration
from cender.recognize.frame import place_points
from cender.recognize.model import Model, Recognition
from cender.recognize.pooling import Pooled, pool_classes, thin_recognition
from cender.recognize.references import gather_references
from cender.recognize.together import recognize_together

HEAD = make_head(40)
FILM = [see_head(HEAD, number, turn=0.1 * number, noise_um=0.2) for number in range(7)]


def recognize_rightly(row: int, probability: float = 0.9) -> Recognition:
    """A volume in which the right identity of every neuron is this probable, and all others share the rest."""
    truth = FILM[row].identity - 10
    count = len(HEAD)
    score = np.full((len(truth), count + 1), np.log((1 - probability) / count))
    score[np.arange(len(truth)), truth] = np.log(probability)
    position = place_points(FILM[row].centre_um)
    if row and np.sum(position * place_points(FILM[0].centre_um)[_find(row)]) < 0:
        position = position * (1, -1, -1)
    return Recognition(
        position, truth.copy(), np.full(len(truth), probability), np.zeros((len(truth), 4)), score, score.copy()
    )


def _find(row: int) -> np.ndarray:
    first = FILM[0].identity.tolist()
    return np.array([first.index(identity) for identity in FILM[row].identity.tolist()])


RECOGNITIONS = [recognize_rightly(row) for row in range(7)]
CALIBRATION = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))


def hear(recognitions: list[Recognition]) -> list[Pooled]:
    return pool_classes(recognitions, CALIBRATION)


def spoil(recognition: Recognition, rows: list[int], classes: list[int]) -> Recognition:
    """The recognition with other identities, of little more probability than the right ones, at these neurons."""
    score, given, probability = recognition.score.copy(), recognition.classes.copy(), recognition.probability.copy()
    score[rows, recognition.classes[rows]] = np.log(0.3)
    for row, name in zip(rows, classes, strict=True):
        if name >= 0:
            score[row, name] = np.log(0.5)
    given[rows], probability[rows] = classes, 0.5
    return replace(recognition, classes=given, score=score, probability=probability)


def test_a_swapped_pair_is_put_right() -> None:
    truth = RECOGNITIONS[3].classes
    swapped = spoil(RECOGNITIONS[3], [3, 7], [int(truth[7]), int(truth[3])])
    pooled = hear([*RECOGNITIONS[:3], swapped, *RECOGNITIONS[4:]])
    for one, recognition in zip(pooled, RECOGNITIONS, strict=True):
        assert (one.classes == recognition.classes).all()
    assert (swapped.classes != truth).sum() == 2, "what it got is not changed"
    changed, stayed = pooled[3].probability[[3, 7]], np.delete(pooled[3].probability, [3, 7])
    assert ((changed > 0) & (changed < stayed.min())).all(), "it found something else by itself"


def test_a_neuron_without_a_name_gets_that_of_its_neighbours() -> None:
    lost = spoil(RECOGNITIONS[2], [5], [-1])
    lost.score[5] = -6.0
    lost.score[5, -1] = 0.0
    assert hear([lost])[0].classes[5] == -1
    assert hear([*RECOGNITIONS[:2], lost, *RECOGNITIONS[3:]])[2].classes[5] == RECOGNITIONS[2].classes[5]


def test_a_volume_that_fits_no_other_stays_as_it_is() -> None:
    unsure = replace(RECOGNITIONS[1], probability=np.full(len(HEAD), 0.1))
    pooled = hear([RECOGNITIONS[0], unsure])
    assert (pooled[1].probability == 0.1).all()
    empty = Recognition(np.zeros((0, 3)), np.zeros(0, int), np.zeros(0), np.zeros((0, 4)), *[np.zeros((0, 41))] * 2)
    alone = hear([empty, RECOGNITIONS[0], empty])
    assert len(alone[0].classes) == 0
    assert (alone[1].classes == RECOGNITIONS[0].classes).all()


def test_half_precision_changes_no_name() -> None:
    plain, thin = (hear(list(map(change, RECOGNITIONS))) for change in (lambda one: one, thin_recognition))
    assert all((a.classes == b.classes).all() for a, b in zip(plain, thin, strict=True))


def test_neighbours_are_those_next_by_number_and_can_be_left_out() -> None:
    truth = RECOGNITIONS[3].classes
    swapped = spoil(RECOGNITIONS[3], [3, 7], [int(truth[7]), int(truth[3])])
    recognitions, order = [*RECOGNITIONS[:3], swapped, *RECOGNITIONS[4:]], [6, 2, 3, 0, 1, 5, 4]
    nothing = gather_references([], [], [], len(HEAD))
    model = Model(lambda *_: np.zeros(0), np.arange(len(HEAD)) + 10, len(HEAD), nothing, Calibration(np.zeros(4)), 0.9)
    together = recognize_together([FILM[row] for row in order], [recognitions[row] for row in order], model, 0.05)
    assert all((one.identity == FILM[row].identity).all() for one, row in zip(together, order, strict=True))
    alone = recognize_together(FILM, recognitions, model, 0.05, pool=False)
    assert (alone[3].identity != FILM[3].identity).sum() == 2
