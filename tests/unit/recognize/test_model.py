"""Which pose is taken, and when the other one need not be looked at."""

import numpy as np
import pytest

from cases.constellations import make_head
from cender.recognize import RecognizeParams, recognize_neurons
from cender.recognize.confidence import Calibration
from cender.recognize.frame import place_points
from cender.recognize.model import POSE_NEURONS, Model
from cender.recognize.references import gather_references
from cender.types import Annotation

FEW, CROWD = POSE_NEURONS


class Scorer:
    """A network's part, played by distance to where neurons lay; counts how often it is asked."""

    def __init__(self, places: np.ndarray, width: float) -> None:
        self.places, self.width, self.asked = places, width, 0

    def __call__(self, position: np.ndarray, evidence: np.ndarray) -> np.ndarray:
        self.asked += 1
        square = ((position[:, :, None] - self.places) ** 2).sum(axis=3)
        score = np.concatenate([-square / self.width, np.full((*position.shape[:2], 1), -6.0)], axis=2)
        return np.asarray(score - np.log(np.exp(score).sum(axis=2, keepdims=True)))


def recognize(neurons: int, *, turned: bool = False, width: float = 2e-4) -> tuple[np.ndarray, int]:
    """Identities of a head and how often the network was asked; turned: its places are known from the other end."""
    head = make_head(neurons)
    placed = place_points(head) * ((1, -1, -1) if turned else (1, 1, 1))
    score = Scorer(placed, width)
    references = gather_references([9], [placed], [np.arange(neurons)], neurons)
    model = Model(score, np.arange(neurons), neurons, references, Calibration(np.array([0.55, 0.15, 0.2, 0.0])))
    (found,) = recognize_neurons([Annotation.from_points(0, head)], model, RecognizeParams(refuse_below=0.0))
    return found.identity, score.asked


def test_a_pose_that_is_plainly_right_needs_no_rival() -> None:
    identity, asked = recognize(FEW + 10)
    assert (identity == np.arange(FEW + 10)).all()
    assert asked == 1


def test_few_neurons_fit_by_chance_and_are_looked_at_from_both_ends() -> None:
    assert recognize(FEW - 20)[1] == 2


def test_an_unsure_pose_is_compared_with_the_other() -> None:
    assert recognize(FEW + 10, width=5e-3)[1] == 2


def test_of_a_crowd_less_is_plain_enough() -> None:
    width = 2.5e-3
    assert recognize(FEW, width=width)[1] == 2
    assert recognize(CROWD + 20, width=width)[1] == 1


@pytest.mark.parametrize("neurons", [FEW - 20, FEW + 10])
def test_a_head_known_from_its_other_end_is_recognized(neurons: int) -> None:
    identity, asked = recognize(neurons, turned=True)
    assert (identity == np.arange(neurons)).all()
    assert asked == 2
