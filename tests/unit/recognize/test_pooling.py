"""Other volumes put a swapped pair right and name what one of them missed."""

from dataclasses import replace

import numpy as np

from cases.constellations import make_head, see_head
from cender.recognize.confidence import Calibration
from cender.recognize.frame import place_points
from cender.recognize.model import Model, Naming
from cender.recognize.pooling import Pooled, pool_names, thin_naming
from cender.recognize.references import gather_references
from cender.recognize.together import recognize_together

HEAD = make_head(40)
FILM = [see_head(HEAD, number, turn=0.1 * number, noise_um=0.2) for number in range(7)]


def name_rightly(row: int, probability: float = 0.9) -> Naming:
    """A volume in which the right name of every neuron is this probable, and all others share the rest."""
    truth = FILM[row].identity - 10
    count = len(HEAD)
    score = np.full((len(truth), count + 1), np.log((1 - probability) / count))
    score[np.arange(len(truth)), truth] = np.log(probability)
    position = place_points(FILM[row].centre_um)
    if row and np.sum(position * place_points(FILM[0].centre_um)[_find(row)]) < 0:
        position = position * (1, -1, -1)
    return Naming(
        position, truth.copy(), np.full(len(truth), probability), np.zeros((len(truth), 4)), score, score.copy()
    )


def _find(row: int) -> np.ndarray:
    first = FILM[0].identity.tolist()
    return np.array([first.index(identity) for identity in FILM[row].identity.tolist()])


NAMINGS = [name_rightly(row) for row in range(7)]
CALIBRATION = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))


def hear(namings: list[Naming]) -> list[Pooled]:
    return pool_names(namings, CALIBRATION)


def spoil(naming: Naming, rows: list[int], names: list[int]) -> Naming:
    """The naming with other names, of little more probability than the right ones, at these neurons."""
    score, given, probability = naming.score.copy(), naming.names.copy(), naming.probability.copy()
    score[rows, naming.names[rows]] = np.log(0.3)
    for row, name in zip(rows, names, strict=True):
        if name >= 0:
            score[row, name] = np.log(0.5)
    given[rows], probability[rows] = names, 0.5
    return replace(naming, names=given, score=score, probability=probability)


def test_a_swapped_pair_is_put_right() -> None:
    truth = NAMINGS[3].names
    swapped = spoil(NAMINGS[3], [3, 7], [int(truth[7]), int(truth[3])])
    pooled = hear([*NAMINGS[:3], swapped, *NAMINGS[4:]])
    for one, naming in zip(pooled, NAMINGS, strict=True):
        assert (one.names == naming.names).all()
    assert (swapped.names != truth).sum() == 2, "what it got is not changed"
    changed, stayed = pooled[3].probability[[3, 7]], np.delete(pooled[3].probability, [3, 7])
    assert ((changed > 0) & (changed < stayed.min())).all(), "it found something else by itself"


def test_a_neuron_without_a_name_gets_that_of_its_neighbours() -> None:
    lost = spoil(NAMINGS[2], [5], [-1])
    lost.score[5] = -6.0
    lost.score[5, -1] = 0.0
    assert hear([lost])[0].names[5] == -1
    assert hear([*NAMINGS[:2], lost, *NAMINGS[3:]])[2].names[5] == NAMINGS[2].names[5]


def test_a_volume_that_fits_no_other_stays_as_it_is() -> None:
    unsure = replace(NAMINGS[1], probability=np.full(len(HEAD), 0.1))
    pooled = hear([NAMINGS[0], unsure])
    assert (pooled[1].probability == 0.1).all()
    empty = Naming(np.zeros((0, 3)), np.zeros(0, int), np.zeros(0), np.zeros((0, 4)), *[np.zeros((0, 41))] * 2)
    alone = hear([empty, NAMINGS[0], empty])
    assert len(alone[0].names) == 0
    assert (alone[1].names == NAMINGS[0].names).all()


def test_half_precision_changes_no_name() -> None:
    plain, thin = (hear(list(map(change, NAMINGS))) for change in (lambda one: one, thin_naming))
    assert all((a.names == b.names).all() for a, b in zip(plain, thin, strict=True))


def test_neighbours_are_those_next_by_number_and_can_be_left_out() -> None:
    truth = NAMINGS[3].names
    swapped = spoil(NAMINGS[3], [3, 7], [int(truth[7]), int(truth[3])])
    namings, order = [*NAMINGS[:3], swapped, *NAMINGS[4:]], [6, 2, 3, 0, 1, 5, 4]
    nothing = gather_references([], [], [], len(HEAD))
    model = Model(lambda *_: np.zeros(0), np.arange(len(HEAD)) + 10, len(HEAD), nothing, Calibration(np.zeros(4)), 0.9)
    together = recognize_together([FILM[row] for row in order], [namings[row] for row in order], model, 0.05)
    assert all((one.identity == FILM[row].identity).all() for one, row in zip(together, order, strict=True))
    alone = recognize_together(FILM, namings, model, 0.05, pool=False)
    assert (alone[3].identity != FILM[3].identity).sum() == 2
