"""Identities that a recognizer of another animal gives: their probabilities, and animals on their other side."""

import numpy as np

from cender.bench.identity.trust import fit_trust
from cender.recognize.foreign import TRUST, ForeignTrust, describe_foreign, trust_foreign, turn_over
from cender.types import Annotation, Identities


def make_answers(rng: np.random.Generator, volumes: int = 40) -> tuple[list[Identities], list[np.ndarray]]:
    """Identities with probabilities that are far too high, and whether they are right."""
    answers, right = [], []
    for _ in range(volumes):
        odds = rng.normal(-1, 1.5, 80)
        right.append(rng.random(80) < 1 / (1 + np.exp(-odds)))
        answers.append(Identities(np.arange(80), 1 / (1 + np.exp(-(odds + 2.5)))))
    return answers, right


def test_fitted_trust_makes_probabilities_honest_and_refuses() -> None:
    answers, right = make_answers(np.random.default_rng(0))
    said = np.concatenate([one.probability for one in answers]).mean()
    true = np.concatenate(right).mean()
    assert said > true + 0.3, "without it"
    trust = fit_trust([(np.concatenate(describe_foreign(answers)), np.concatenate(right))])
    given = trust_foreign(answers, trust, 0.2)
    assert abs(np.concatenate([one.probability for one in given]).mean() - true) < 0.03
    refused = np.concatenate([one.identity for one in given]) < 0
    assert 0.1 < refused.mean() < 0.9
    assert np.concatenate(right)[refused].mean() < 0.2


def test_an_animal_is_turned_over_and_not_mirrored() -> None:
    seen = Annotation.from_points(0, np.random.default_rng(1).normal(0, 10, (30, 3)))
    turned = turn_over(seen)
    turn = np.linalg.lstsq(seen.centre_um, turned.centre_um, rcond=None)[0]
    assert np.linalg.det(turn) > 0.99
    assert not np.allclose(turned.centre_um, seen.centre_um)
    assert np.allclose(turn_over(turned).centre_um, seen.centre_um)


def test_neurons_without_a_name_stay_without() -> None:
    answers = [Identities(np.array([-1, 4]), np.array([0.0, 0.9])), Identities(np.zeros(0, int), np.zeros(0))]
    first, second = trust_foreign(answers, ForeignTrust(1.0, 0.0, 0.0), 0.05)
    assert first.identity.tolist() == [-1, 4]
    assert first.probability[0] == 0
    assert len(second) == 0
    assert trust_foreign([], ForeignTrust(1.0, 0.0, 0.0), 0.05) == []


def test_the_papers_method_is_trusted_less_than_it_says() -> None:
    sure = [Identities(np.arange(50), np.full(50, 0.5))]
    (paper,) = trust_foreign(sure, TRUST["paper"], 0.0)
    assert paper.probability.max() < 0.5


def test_identities_of_a_recording_that_is_improbable_as_a_whole_are_doubted() -> None:
    def trust(mean: float) -> float:
        """Probability of an identity of its own 0.6, in a recording with this mean."""
        others = np.full(99, (100 * mean - 0.6) / 99)
        (found,) = trust_foreign(
            [Identities(np.arange(100), np.append(0.6, others))], ForeignTrust(0.4, 2.0, -1.0), 0.0
        )
        return float(found.probability[0])

    assert trust(0.7) > trust(0.5) + 0.1 > trust(0.2) + 0.3
    assert TRUST["default"].mean > 0
