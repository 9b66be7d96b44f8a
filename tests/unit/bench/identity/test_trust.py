"""How far identities across animals are trusted: which ones are judged, and that every animal counts alike."""

import numpy as np
import pytest

from cender.bench.identity import trust
from cender.bench.identity.trust import LABS, OTHER_PAIRS, PAIRS, fit_trust, gather_cases, judge_trust
from cender.recognize.foreign import ForeignTrust
from cender.types import Annotation, Identities


def make_cases(count: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.normal(0, 1, count), np.full(count, np.log(share / (1 - share))), np.ones(count)])
    return features, rng.random(count) < share


def test_identities_on_neurons_that_no_one_labelled_are_left_out() -> None:
    answers = [Identities(np.array([4, 5, 6, -1, 7]), np.full(5, 0.5))]
    truth = [np.array([4, 6, -1, 8, -1])]
    features, right = gather_cases(answers, truth)
    assert right.tolist() == [True, False, False], "6 is annotated elsewhere; 7 may be right or not"
    assert features.shape == (3, 3)


def test_the_mean_of_a_recording_tells_how_many_are_right() -> None:
    parts = [make_cases(4000, share, seed) for seed, share in enumerate((0.2, 0.5, 0.8))]
    fitted = fit_trust(parts)
    assert fitted.mean == pytest.approx(1, abs=0.3)
    unseen = make_cases(4000, 0.7, 9)
    error = float(judge_trust(fitted, unseen).split()[-1])
    without = float(judge_trust(ForeignTrust(fitted.own, 0.0, fitted.constant), unseen).split()[-1])
    assert error < 0.06 < 0.12 < without


def test_a_recording_with_many_neurons_counts_no_more_than_another() -> None:
    few, many = make_cases(200, 0.8, 0), make_cases(20000, 0.2, 1)
    flat = [(np.column_stack([one[0][:, 0], np.zeros(len(one[1])), one[0][:, 2]]), one[1]) for one in (few, many)]
    assert 1 / (1 + np.exp(-fit_trust(flat).constant)) == pytest.approx(0.5, abs=0.05)


def test_no_animal_is_both_fitted_and_tried() -> None:
    seeds = [{seed for pair in pairs for seed in pair[1:3]} for pairs in (PAIRS, OTHER_PAIRS)]
    assert not seeds[0] & seeds[1]
    assert len(set(LABS)) == 3


def test_heads_of_a_lab_are_templates_of_its_others(monkeypatch: pytest.MonkeyPatch) -> None:
    heads = [Annotation.from_points(row, np.zeros((2, 3)), np.array([1, 2])) for row in range(4)]
    taught: list[int] = []

    def train(annotated, rest, config):
        taught.extend(one.volume for one in annotated)
        return taught[-1]

    def recognize(weights, config):
        return lambda volumes: [Identities(np.array([1, 1]), np.full(2, 0.9)) for one in volumes]

    monkeypatch.setattr(trust, "train_weights", train)
    monkeypatch.setattr(trust, "recognize_untrusted", recognize)
    _, right = trust.carry_heads(heads)
    assert len(set(taught)) == trust.TEMPLATES
    assert (len(right), right.mean()) == (3 * 2 * trust.TEMPLATES, 0.5)
