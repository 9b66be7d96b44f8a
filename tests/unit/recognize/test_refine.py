"""Geometry mends identities that the network swapped."""

import numpy as np
import pytest

from cases.constellations import make_head
from cender.recognize.assign import assign_classes
from cender.recognize.references import gather_references
from cender.recognize.refine import refine_scores

HEAD = make_head(40) / 84
COUNT = len(HEAD)
REFERENCES = gather_references([0, 1], [HEAD, HEAD * 1.05], [np.arange(COUNT)] * 2, COUNT)


def guess(points: int = COUNT) -> np.ndarray:
    """Scores of a network that is right about all but neurons 3 and 11, which it takes for each other."""
    probability = np.full((points, COUNT + 1), 0.1 / COUNT)
    name = np.arange(points)
    name[[3, 11]] = 11, 3
    probability[np.arange(points), name] = 0.55
    probability[[3, 11], [3, 11]] = 0.35
    return np.log(probability / probability.sum(axis=1, keepdims=True))


def test_a_swapped_pair_is_put_right() -> None:
    score = guess()
    assert assign_classes(score)[[3, 11]].tolist() == [11, 3], "without refinement it is wrong"
    refined = refine_scores(HEAD + np.array([0.02, 0.1, 0]), score, REFERENCES)
    assert (assign_classes(refined) == np.arange(COUNT)).all()
    np.testing.assert_allclose(np.exp(refined).sum(axis=1), 1)


def test_a_point_where_no_neuron_belongs_is_doubted() -> None:
    moved = HEAD.copy()
    moved[5] += (0.0, 0.25, 0.0)
    still, refined = (refine_scores(points, guess(), REFERENCES)[5, 5] for points in (HEAD, moved))
    assert refined < still - 0.05


@pytest.mark.parametrize("points", [1, 3])
def test_too_few_neurons_are_left_as_they_are(points: int) -> None:
    score = guess()[:points]
    np.testing.assert_array_equal(refine_scores(HEAD[:points], score, REFERENCES), score)


def test_without_references_nothing_changes() -> None:
    none = REFERENCES.select(np.zeros(2, bool))
    np.testing.assert_array_equal(refine_scores(HEAD, guess(), none), guess())
