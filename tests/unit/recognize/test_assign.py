"""One name a neuron: the best for all together, and a way out."""

import numpy as np

from cender.recognize.assign import assign_names


def test_the_best_for_all_is_not_the_best_for_each() -> None:
    score = np.log(np.array([[0.6, 0.39, 0.01], [0.9, 0.05, 0.05]]))
    assert score[:, :2].argmax(axis=1).tolist() == [0, 0]
    assert assign_names(score).tolist() == [1, 0]


def test_more_neurons_than_names_leave_some_without() -> None:
    score = np.log(np.full((5, 3), 1 / 3))
    names = assign_names(score)
    assert sorted(names[names >= 0]) == [0, 1]
    assert (names == -1).sum() == 3


def test_a_neuron_that_is_none_of_them_gets_no_name() -> None:
    score = np.log(np.array([[1e-9, 1e-9, 1.0]]))
    assert assign_names(score).tolist() == [-1]
    assert assign_names(score, reluctance=100.0).tolist() != [-1]


def test_impossible_everywhere_still_answers() -> None:
    score = np.full((3, 4), -np.inf)
    names = assign_names(score)
    given = names[names >= 0]
    assert len(np.unique(given)) == len(given)
