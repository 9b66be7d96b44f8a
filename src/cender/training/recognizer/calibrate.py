"""Probabilities that stay honest: fitted on volumes as they are and as a poor detection would have left them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.recognize.confidence import Calibration
from cender.recognize.model import Model, Recognition, classify_cloud
from cender.training.logistic import fit_logistic
from cender.training.recognizer.clouds import DETECTED, Cloud, vary_cloud
from cender.training.recognizer.lessons import Lesson

PRIOR = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))
"""The calibration before anything is learnt."""
RIDGE = np.array([4.0, 4.0, 4.0, 10.0])
"""How strongly the prior holds each weight, in identities."""
COPIES = 24
"""Varied clouds on which a recognizer is judged beside those that were kept aside."""
PROBES = 12
"""Volumes on which a step of learning is judged."""


def calibrate(model: Model, aside: Sequence[Lesson], others: Sequence[Lesson], rng: np.random.Generator) -> Calibration:
    """How often identities are right.

    Parameters
    ----------
    aside
        Volumes with true identities that taught nothing: judged as they are, and in varied copies.
    others
        Volumes with identities, true or its own, that did teach: judged in varied copies, where there are none aside.
    """
    none = len(model.identities)
    plain = [replace(model, calibration=PRIOR)]
    judged = [judge_classes(one.cloud, _classify(one.cloud, plain[0], one), none) for one in aside]
    known = [one for one in (aside or others) if ((one.cloud.label >= 0) & (one.cloud.label < none)).any()]
    for number in range(COPIES if known else 0):
        one = known[number % len(known)]
        cloud = vary_cloud(one.cloud, none, rng, DETECTED)
        judged.append(judge_classes(cloud, _classify(cloud, plain[0], one), none))
    features = np.concatenate([np.zeros((0, 4)), *(part[0] for part in judged)])
    right = np.concatenate([np.zeros(0, bool), *(part[1] for part in judged)])
    return Calibration(fit_logistic(features, right, PRIOR.weights, RIDGE))


def judge_classes(
    cloud: Cloud, recognition: Recognition, none: int
) -> tuple[Float[np.ndarray, "k 4"], Bool[np.ndarray, " k"]]:
    """Features of the identities that can be judged, and whether they are right.

    An identity on a neuron that is not known is wrong where it belongs to another, and says nothing otherwise.
    """
    label: Int[np.ndarray, " n"] = cloud.label
    known = (label >= 0) & (label < none)
    judged = (recognition.classes >= 0) & (known | np.isin(recognition.classes, label[known]))
    return recognition.features[judged], (recognition.classes == label)[judged]


def _classify(cloud: Cloud, model: Model, lesson: Lesson) -> Recognition:
    return classify_cloud(cloud.position, cloud.evidence, model, lesson.annotation.volume)
