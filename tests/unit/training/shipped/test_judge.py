"""What was found is told from mistakes by what simulated animals teach."""

from collections.abc import Iterator

import numpy as np
import pytest

from cender.detect.candidates import PLAIN_JUDGE
from cender.detect.flips import LOOKS
from cender.detect.network import read_judge, read_looks, read_neuron_judge
from cender.io.weights import shipped_weights
from cender.merge.judge import NEURON_WEIGHTS
from cender.nets.scoring import KIND
from cender.simulate import SimulateParams
from cender.training.shipped import judge


def draw_one(usual: bool) -> Iterator[SimulateParams]:
    yield SimulateParams.model_validate(
        {"preset": "hard", "seed": judge.FIRST_SEED, "volumes": 20, "shape": (18, 512, 512)}
    )


def test_weights_carry_judges_to_whom_deep_and_sure_neurons_are_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "draw_animals", draw_one)
    judged = judge.judge_weights(shipped_weights("dense", KIND), list(judge.draw_known(usual=True)))
    candidates, neurons = read_judge(judged), read_neuron_judge(judged)
    assert candidates[1] > 0
    assert neurons is not None
    assert neurons.shape == NEURON_WEIGHTS.shape
    # Log-odds of the score, and depth.
    assert neurons[1] > 0
    assert neurons[5] > 0


def test_nuclei_larger_than_usual_are_for_the_network_of_other_rigs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "draw_animals", draw_one)
    assert len(list(judge.draw_known(usual=True))) == 1
    monkeypatch.setattr(judge, "has_large_nuclei", lambda regions, voxel_um: True)
    assert list(judge.draw_known(usual=True)) == []
    assert len(list(judge.draw_known(usual=False))) == 1


def test_shipped_weights_are_judged() -> None:
    for name, looks in (("dense", 1), ("dense_rigs", LOOKS)):
        weights = shipped_weights(name, KIND)
        assert read_looks(weights) == looks
        assert not np.array_equal(read_judge(weights), PLAIN_JUDGE)
        assert read_neuron_judge(weights) is not None


@pytest.mark.parametrize("usual", [True, False])
def test_animals_are_neither_those_of_training_nor_of_tests(usual: bool) -> None:
    seeds = np.array([params.seed for params in judge.draw_animals(usual)])
    assert len(seeds) >= 3 * judge.EACH
    assert seeds.min() >= 4000
    assert seeds.max() < 5000
