"""One identity a neuron: the best for all together, and a way out."""

import numpy as np

from cender.recognize.assign import RELUCTANCE, assign_classes


def test_the_best_for_all_is_not_the_best_for_each() -> None:
    score = np.log(np.array([[0.6, 0.39, 0.01], [0.9, 0.05, 0.05]]))
    assert score[:, :2].argmax(axis=1).tolist() == [0, 0]
    assert assign_classes(score).tolist() == [1, 0]


def test_more_neurons_than_names_leave_some_without() -> None:
    score = np.log(np.full((5, 3), 1 / 3))
    classes = assign_classes(score)
    assert sorted(classes[classes >= 0]) == [0, 1]
    assert (classes == -1).sum() == 3


def test_a_neuron_that_is_none_of_them_gets_no_name() -> None:
    score = np.log(np.array([[1e-9, 1e-9, 1.0]]))
    assert assign_classes(score).tolist() == [-1]
    score[0, -1] = score[0, :-1].max() + 0.9 * RELUCTANCE
    assert assign_classes(score).tolist() != [-1], "nearly forced"


def test_impossible_everywhere_still_answers() -> None:
    score = np.full((3, 4), -np.inf)
    classes = assign_classes(score)
    given = classes[classes >= 0]
    assert len(np.unique(given)) == len(given)
