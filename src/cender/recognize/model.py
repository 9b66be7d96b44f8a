"""Our recognizer: a network's guess in every pose, made sure by geometry, with a probability that can be trusted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from cender.errors import DataError
from cender.recognize.assign import assign_classes
from cender.recognize.confidence import USUAL, Calibration, describe_classes
from cender.recognize.evidence import measure_evidence
from cender.recognize.frame import POSES, place_points
from cender.recognize.references import References
from cender.recognize.refine import refine_scores
from cender.types import Annotation, Identities

Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Positions ``p n 3`` and evidence ``p n e`` of one volume in several poses -> log-probabilities ``p n k``."""


POSE_NEURONS, POSE_PROBABILITY = (60, 100), (0.8, 0.62)
"""Numbers of neurons, and mean probability of the best identities from which on a pose of so many is beyond doubt.

Few neurons may fit by chance: wrong poses of 120 of them stay below 0.55, of 40 below 0.75.
"""
CLOSE_CALL = 0.3
"""Logarithm of the ratio of their mean probabilities below which two poses are both refined before one is chosen."""


@dataclass(frozen=True, slots=True)
class Model:
    """A trained recognizer: network, the identity of each of its classes, references and calibration.

    The first ``taught`` identities are those that it was taught; the others are neurons that it found to come back and
    numbered itself. ``quality`` is the mean probability of the identities in a usual volume of the recording.
    """

    score: Score
    identities: Int[np.ndarray, " i"]
    taught: int
    references: References
    calibration: Calibration
    quality: float = USUAL


@dataclass(frozen=True, slots=True)
class Recognition:
    """All that was found out about one volume by itself, before it is compared with the rest of the recording.

    Class of every neuron (-1 none) and its probability, place in the frame, features of the identity, and the
    log-probabilities of the network and after refinement (last column: none).
    """

    position: Float[np.ndarray, "n 3"]
    classes: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    features: Float[np.ndarray, "n 4"]
    first: Float[np.ndarray, "n k"]
    score: Float[np.ndarray, "n k"]

    @property
    def quality(self) -> float:
        """Mean probability of the identities that were given; 0 where there are none."""
        given = self.classes >= 0
        return float(self.probability[given].mean()) if given.any() else 0.0


def give_identities(
    classes: Int[np.ndarray, " n"],
    probability: Float[np.ndarray, " n"],
    model: Model,
    refuse_below: float,
    which: Literal["taught", "all"],
) -> Identities:
    """Classes as identities; those that are improbable or not asked for are -1.

    Parameters
    ----------
    refuse_below
        A less probable identity is not given.
    which
        "taught": only identities of the annotation; "all": also the numbers that the recognizer found itself.
    """
    known = model.taught if which == "taught" else len(model.identities)
    given = (classes >= 0) & (classes < known) & (probability >= refuse_below)
    identity = np.full(len(classes), -1)
    identity[given] = model.identities[classes[given]]
    return Identities(identity, probability)


def classify_neurons(annotation: Annotation, model: Model) -> Recognition:
    """Class and probability of every neuron of one volume.

    The references that come from this very volume are left out: nothing explains itself.
    """
    check_points(annotation)
    return classify_cloud(place_points(annotation.centre_um), measure_evidence(annotation), model, annotation.volume)


def classify_cloud(
    placed: Float[np.ndarray, "n 3"], evidence: Float[np.ndarray, "n e"], model: Model, volume: int
) -> Recognition:
    """Class and probability of every neuron of a cloud that lies in its frame; see `classify_neurons`."""
    count = len(placed)
    if count == 0 or len(model.identities) == 0:
        nothing = np.zeros((count, len(model.identities) + 1))
        return Recognition(placed, np.full(count, -1), np.zeros(count), np.zeros((count, 4)), nothing, nothing)
    others = model.references.select(model.references.volume != volume)
    position, first, score = _choose_pose(placed, evidence, model.score, others if len(others) else model.references)
    classes = assign_classes(score)
    features = describe_classes(score, first, classes)
    probability = np.where(classes >= 0, model.calibration.apply(features), 0.0)
    return Recognition(position, classes, probability, features, first, score)


def check_points(annotation: Annotation) -> None:
    """Refuse coordinates that are no numbers."""
    bad = np.flatnonzero(~np.isfinite(annotation.centre_um).all(axis=1))
    if len(bad):
        raise DataError(
            f"volume {annotation.volume}, neuron {bad[0]}: expected coordinates in micrometres, found "
            f"{annotation.centre_um[bad[0]].tolist()}; remove the row or give it a place"
        )


def _choose_pose(
    placed: Float[np.ndarray, "n 3"], evidence: Float[np.ndarray, "n e"], score: Score, references: References
) -> tuple[Float[np.ndarray, "n 3"], Float[np.ndarray, "n k"], Float[np.ndarray, "n k"]]:
    """The pose in which identities fit best, with the log-probabilities of the network and after refinement."""
    poses = placed[None] * POSES[:2, None]
    scores = [_score_pose(poses[0], evidence, score)]
    sure = [_measure_sureness(scores[0])]
    if len(placed) >= POSE_NEURONS[0] and sure[0] > np.log(np.interp(len(placed), POSE_NEURONS, POSE_PROBABILITY)):
        return poses[0], scores[0], refine_scores(poses[0], scores[0], references)
    scores.append(_score_pose(poses[1], evidence, score))
    sure.append(_measure_sureness(scores[1]))
    best, second = (0, 1) if sure[0] >= sure[1] else (1, 0)
    refined = refine_scores(poses[best], scores[best], references)
    if sure[best] - sure[second] < CLOSE_CALL:
        # The network is about as sure either way; geometry is harder to deceive.
        rival = refine_scores(poses[second], scores[second], references)
        if _measure_sureness(rival) > _measure_sureness(refined):
            best, refined = second, rival
    return poses[best], scores[best], refined


def _measure_sureness(score: Float[np.ndarray, "n k"]) -> float:
    """Logarithm of the mean probability of the best identities; a sure "none of them" says nothing for a pose."""
    return float(np.log(np.exp(score[:, :-1].max(axis=1)).mean() + 1e-9))


def _score_pose(
    position: Float[np.ndarray, "n 3"], evidence: Float[np.ndarray, "n e"], score: Score
) -> Float[np.ndarray, "n k"]:
    # One pose at a time: two in one batch leave the processor's cache and take longer than one after the other.
    return np.asarray(score(position[None], evidence[None])[0].astype(float))
