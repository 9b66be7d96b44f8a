"""Fitting how far identities can be trusted: simulated recordings as detectors leave them, judged by the truth.

``python -m cender.training.shipped.trust`` prints the weights of `recognize.agreement`, how well they do on each
recording when they are fitted to the others, and how far the accuracy is from the mean probability (`selfcheck`).
"""

import sys
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit

from cender.evaluate import pair_volumes
from cender.evaluate.identity import (
    GivenIdentities,
    collect_neurons,
    measure_calibration_error,
    measure_recall_at_precision,
)
from cender.evaluate.rename import find_renaming, rename_pairings
from cender.io.weights import shipped_weights
from cender.nets.constellation import build_matcher
from cender.recognize.agreement import describe_agreement
from cender.recognize.links import link_film
from cender.recognize.model import Model, Recognition, classify_neurons
from cender.recognize.pooling import pool_scores, thin_recognition
from cender.recognize.selfcheck import measure_sureness
from cender.simulate import SimulateParams, simulate_recording
from cender.training.logistic import fit_logistic
from cender.training.params import TrainRecognizerParams
from cender.training.recognizer.train import train_recognizer
from cender.training.shipped.matcher import KIND
from cender.training.shipped.spoil import Habits, spoil_film
from cender.types import Annotation, Annotations, Identities

FIRST_SEED = 7100
"""Seed of the first simulated recording."""
RIDGE, WORTH = 1.0, 1000.0
"""Strength of the ridge, and the number of identities that a recording counts as."""


@dataclass(frozen=True, slots=True)
class Film:
    """A simulated recording of which nothing is annotated: preset, volumes, whether images say anything, habits."""

    preset: str
    volumes: int
    looks: bool
    habits: Habits


FILMS = (
    Film("typical", 30, False, Habits(0.08, 0.12, 0.05, 0.3)),
    Film("hard", 24, False, Habits(0.2, 0.35, 0.0, 0.5)),
    Film("typical", 24, False, Habits(0.3, 0.2, 0.2, 0.7)),
    Film("hard", 14, False, Habits(0.2, 0.15, 0.15, 0.5)),
    Film("typical", 24, True, Habits(0.3, 0.2, 0.3, 0.8)),
    Film("typical", 24, False, Habits(0.02, 0.02, 0.02, 1.0)),
    Film("hard", 6, False, Habits(0.15, 0.15, 0.1, 0.5)),
)
"""Poor and good detections, few and more volumes, with and without images."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One recording: the identities given, features of all identities, which are right and which can be judged.

    ``count`` is how many true neurons there are, ``accuracy`` the share of them that is rightly recognized.
    """

    given: tuple[Identities, ...]
    features: Float[np.ndarray, "n f"]
    right: Bool[np.ndarray, " n"]
    judged: Bool[np.ndarray, " n"]
    count: int
    accuracy: float


def recognize_film(film: Film, seed: int) -> tuple[Annotations, list[Recognition], Model]:
    """Simulate, spoil and learn a recording: its truth, what every volume finds by itself, and the recognizer."""
    params = SimulateParams(preset=film.preset, volumes=film.volumes, seed=seed)
    truth = spoil_film(simulate_recording(params).truth(), film.habits, film.looks, np.random.default_rng(seed))
    volumes = [one for _, one in sorted(truth.annotations.items())]
    hidden = [_hide(one) for one in volumes]
    matcher = build_matcher(shipped_weights("matcher", KIND).arrays)
    _, model = train_recognizer([], hidden, TrainRecognizerParams(), matcher, seed)
    return truth, [thin_recognition(classify_neurons(one, model)) for one in hidden], model


def judge_film(truth: Annotations, recognitions: list[Recognition], model: Model) -> Judged:
    """The identities of a recording beside its truth, its numbers renamed as those of the truth."""
    links = link_film(recognitions)
    classes = [pool_scores(one, mine, recognitions) for one, mine in zip(recognitions, links, strict=True)]
    features = np.concatenate(describe_agreement(recognitions, classes, links, model.calibration))
    answers = [_answer(given, model) for given in classes]
    volumes = [one for _, one in sorted(truth.annotations.items())]
    hidden = [_hide(one) for one in volumes]
    right, judged, accuracy = _judge(truth, hidden, answers)
    count = int(sum((one.identity >= 0).sum() for one in volumes))
    return Judged(tuple(answers), features, right, judged, count, accuracy)


def fit_weights(parts: list[Judged]) -> Float[np.ndarray, " f"]:
    """Logistic weights of the features, every recording counting the same."""
    features = np.concatenate([one.features[one.judged] for one in parts])
    right = np.concatenate([one.right[one.judged] for one in parts])
    share = np.concatenate([np.full(one.judged.sum(), WORTH / max(one.judged.sum(), 1)) for one in parts])
    count = features.shape[1]
    ridge = RIDGE * np.array([1.0] * (count - 1) + [1e-3])
    return fit_logistic(features, right, np.zeros(count), ridge, share)


def _hide(one: Annotation) -> Annotation:
    return replace(one, identity=np.full(len(one), -1), probability=np.zeros(len(one)))


def _answer(classes: np.ndarray, model: Model) -> Identities:
    given = (classes >= 0) & (classes < model.taught)
    return Identities(np.where(given, model.identities[classes], -1), given.astype(float))


def _judge(
    truth: Annotations, volumes: list[Annotation], answers: list[Identities]
) -> tuple[Bool[np.ndarray, " n"], Bool[np.ndarray, " n"], float]:
    """Whether each identity is right, whether that can be said (as `collect_given` has it), and the accuracy."""
    given = {
        one.volume: replace(one, identity=answer.identity, probability=answer.probability)
        for one, answer in zip(volumes, answers, strict=True)
    }
    pairings = pair_volumes(replace(truth, annotations=given, ratio={}), truth, [one.volume for one in volumes])
    pairings = rename_pairings(pairings, find_renaming(pairings))
    right, judged = [], []
    for pairing in pairings:
        said, partner = pairing.predicted.identity, pairing.partners.partner_of_predicted
        actual = np.full(len(said), -1)
        actual[partner >= 0] = pairing.truth.identity[partner[partner >= 0]]
        right.append((said == actual) & (said >= 0))
        judged.append((said >= 0) & ((actual >= 0) | np.isin(said, pairing.truth.identity)))
    return np.concatenate(right), np.concatenate(judged), float(collect_neurons(pairings).right.mean())


def measure_shifts(sureness: Float[np.ndarray, " r"], accuracy: Float[np.ndarray, " r"]) -> Float[np.ndarray, " r"]:
    """By how much the log-odds of the accuracy of each recording are above those of its mean probability."""
    return np.asarray(_take_odds(accuracy) - _take_odds(sureness))


def weigh_given(part: Judged, weights: Float[np.ndarray, " f"]) -> list[Identities]:
    """The identities of a recording, as probable as these weights say."""
    probability = expit(part.features @ weights)
    ends = np.cumsum([len(one) for one in part.given])[:-1]
    parts = zip(part.given, np.split(probability, ends), strict=True)
    return [Identities(given.identity, np.where(given.identity >= 0, sure, 0.0)) for given, sure in parts]


def _take_odds(share: Float[np.ndarray, " r"]) -> Float[np.ndarray, " r"]:
    held = np.clip(share, 0.01, 0.99)
    return np.asarray(np.log(held / (1 - held)))


def _say(part: Judged, weights: Float[np.ndarray, " f"]) -> str:
    given = GivenIdentities(expit(part.features[part.judged] @ weights), part.right[part.judged])
    recall, error = measure_recall_at_precision(given, part.count), measure_calibration_error(given)
    return f"accuracy {part.accuracy:.3f}, strict recall {recall or 0:.3f}, calibration error {error or 0:.3f}"


def main() -> None:
    """Judge all recordings, fit, and print."""
    parts = []
    for number, film in enumerate(FILMS):
        parts.append(judge_film(*recognize_film(film, FIRST_SEED + number)))
        sys.stderr.write(f"{film}: accuracy {parts[-1].accuracy:.3f}\n")
    for number, film in enumerate(FILMS):
        others = fit_weights(parts[:number] + parts[number + 1 :])
        sys.stdout.write(f"{film.preset}, {film.volumes} volumes: {_say(parts[number], others)}\n")
    weights = fit_weights(parts)
    sureness = np.array([measure_sureness(weigh_given(one, weights)) for one in parts])
    shifts = measure_shifts(sureness, np.array([one.accuracy for one in parts]))
    sys.stdout.write(f"WEIGHTS = {np.round(weights, 2).tolist()}\n")
    sys.stdout.write(f"accuracy beside the mean probability, log-odds: {shifts.mean():.2f} ± {shifts.std():.2f}\n")


if __name__ == "__main__":
    main()
