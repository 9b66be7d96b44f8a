"""What was found is told from mistakes by what simulated animals teach."""

from collections.abc import Iterator

import numpy as np
import pytest

from cender.detect.params import DetectParams
from cender.merge import MergeParams
from cender.merge.judge import NEURON_WEIGHTS
from cender.simulate import SimulateParams
from cender.training.shipped import judge


def test_deep_and_sure_neurons_are_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw_one() -> Iterator[SimulateParams]:
        yield SimulateParams.model_validate(
            {"preset": "hard", "seed": judge.FIRST_SEED, "volumes": 20, "shape": (18, 512, 512)}
        )

    monkeypatch.setattr(judge, "draw_animals", draw_one)
    weights = judge.fit_neuron_weights(DetectParams(), MergeParams())
    assert weights.shape == NEURON_WEIGHTS.shape
    # Log-odds of the score, and depth.
    assert weights[1] > 0
    assert weights[5] > 0


def test_animals_are_neither_those_of_training_nor_of_tests() -> None:
    seeds = np.array([params.seed for params in judge.draw_animals()])
    assert len(seeds) == 2 * judge.USUAL + judge.OTHERS
    assert seeds.min() >= 4000
    assert seeds.max() < 5000
