"""Volumes that cannot be trusted as a whole say why."""

import numpy as np

from cender.recognize.judge import judge_volume, measure_quality
from cender.types import Identities


def test_a_volume_of_improbable_names_is_doubted() -> None:
    sure, unsure = (Identities(np.arange(4), np.full(4, value)) for value in (0.9, 0.4))
    assert judge_volume(sure, 0.6) is None
    assert "mean probability 0.40" in (judge_volume(unsure, 0.6) or "")


def test_refused_neurons_do_not_count_but_all_refused_does() -> None:
    some = Identities(np.array([1, -1]), np.array([0.8, 0.0]))
    assert measure_quality(some) == 0.8
    assert "none of 2 neurons" in (judge_volume(Identities(np.full(2, -1), np.zeros(2)), 0.6) or "")
    assert judge_volume(Identities(np.zeros(0, int), np.zeros(0)), 0.6) is None
