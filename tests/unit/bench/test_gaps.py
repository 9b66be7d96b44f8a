"""The judge of gaps learns what tells overlooked neurons from invisible ones, and every recording counts alike."""

import numpy as np
import pytest
from scipy.special import expit

from cender.bench.gaps import Gathered, fit_judge

RNG = np.random.default_rng(0)


def gather(count: int, slope: float) -> Gathered:
    """Gaps that are the likelier to hold a neuron the larger their second column is."""
    column = RNG.normal(size=count)
    right = RNG.random(count) < expit(slope * column)
    return np.column_stack([np.ones(count), column]), np.ones(count), right


def test_the_judge_finds_what_matters() -> None:
    assert fit_judge([gather(2000, 2.0)]) == pytest.approx([0.0, 2.0], abs=0.3)


def test_a_recording_with_many_gaps_does_not_outvote_the_others() -> None:
    few, many = gather(400, 2.0), gather(8000, -2.0)
    assert abs(fit_judge([few, many])[1]) < 0.5
    assert fit_judge([many])[1] < -1.5
