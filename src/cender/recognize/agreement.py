"""How far other volumes bear an identity out: do they give it to the same neuron, and is it one neuron at all?

What a volume says of its own identities cannot tell an identity that is always wrong, or one that jumps between two
neurons which lie close together, from a right one. Volumes that are laid over each other can.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.confidence import Calibration, describe_classes
from cender.recognize.links import Link
from cender.recognize.model import Recognition

WEIGHTS = np.array([0.57, 0.63, 0.18, 0.51, -0.11])
"""Weights of the features of `describe_agreement`, as `cender.training.shipped.trust` fits them."""
LEAST = 0.005, 0.02
"""Least probability, and least share of volumes, that are told from 0 (and the same from 1)."""

Links = Sequence[Sequence[tuple[int, Link]]]


def weigh_classes(
    recognitions: Sequence[Recognition],
    classes: Sequence[Int[np.ndarray, " _"]],
    links: Links,
    calibration: Calibration,
) -> list[Float[np.ndarray, " _"]]:
    """Probability of every identity, given what the volume itself and the volumes linked to it say.

    Parameters
    ----------
    recognitions
        What each volume found by itself, in order of time.
    classes
        The identities that are to be judged (-1 none).
    links
        For every volume, the volumes that it was laid over; one that could not be keeps its own probabilities.
    """
    features = describe_agreement(recognitions, classes, links, calibration)
    sure = []
    for recognition, given, described, mine in zip(recognitions, classes, features, links, strict=True):
        together = 1 / (1 + np.exp(-described @ WEIGHTS))
        sure.append(np.where(given < 0, 0.0, together if mine else recognition.probability))
    return sure


def describe_agreement(
    recognitions: Sequence[Recognition],
    classes: Sequence[Int[np.ndarray, " _"]],
    links: Links,
    calibration: Calibration,
) -> list[Float[np.ndarray, "_ 5"]]:
    """Features of every identity: own, agreement, steadiness, presence, 1.

    Own: log-odds of the probability by the volume itself. Agreement: of the share of partners in other volumes that
    have the identity too. Steadiness: the same over all neurons of the recording that have this identity. Presence: of
    the share of volumes that have a partner at all. The last two are beside what is usual in the recording: where
    detection is poor all identities are unsteady, and some are so where it is good.
    """
    counts = _count(classes, links)
    steady = _measure_steadiness(classes, counts)
    shares = [(total + 0.5) / (len(mine) + 1) for mine, (_, total) in zip(links, counts, strict=True)]
    usual = [_find_usual(classes, part) for part in ([steady[given] for given in classes], shares)]
    parts = []
    for recognition, given, share, (same, total) in zip(recognitions, classes, shares, counts, strict=True):
        own = np.where(
            given == recognition.classes,
            recognition.probability,
            calibration.apply(
                describe_classes(recognition.score.astype(float), recognition.first.astype(float), given)
            ),
        )
        columns = (
            _take_odds(own, LEAST[0]),
            _take_odds((same + 0.5) / (total + 1), LEAST[1]),
            _take_odds(steady[given], LEAST[1]) - usual[0],
            _take_odds(share, LEAST[1]) - usual[1],
            np.ones(len(given)),
        )
        parts.append(np.stack(columns, axis=1))
    return parts


def _count(
    classes: Sequence[Int[np.ndarray, " _"]], links: Links
) -> list[tuple[Float[np.ndarray, " _"], Float[np.ndarray, " _"]]]:
    """Weight of the partners of every neuron that have its identity, and of all its partners."""
    counts = []
    for given, mine in zip(classes, links, strict=True):
        same, total = np.zeros(len(given)), np.zeros(len(given))
        for number, link in mine:
            same[link.here] += link.weight * (classes[number][link.there] == given[link.here])
            total[link.here] += link.weight
        counts.append((same, total))
    return counts


def _measure_steadiness(
    classes: Sequence[Int[np.ndarray, " _"]], counts: Sequence[tuple[Float[np.ndarray, " _"], Float[np.ndarray, " _"]]]
) -> Float[np.ndarray, " k"]:
    """Share of the partners with the same identity, over all neurons of each class; the last row is that of none."""
    rows = 2 + max((int(given.max(initial=-1)) for given in classes), default=-1)
    same, total = np.ones(rows), np.full(rows, 2.0)
    for given, (agreed, heard) in zip(classes, counts, strict=True):
        np.add.at(same, given, agreed)
        np.add.at(total, given, heard)
    return np.asarray(same / total)


def _find_usual(classes: Sequence[Int[np.ndarray, " _"]], shares: Sequence[Float[np.ndarray, " _"]]) -> float:
    """Log-odds of the median share of the neurons that have an identity."""
    shown = [share[given >= 0] for given, share in zip(classes, shares, strict=True)]
    known = np.concatenate([np.zeros(0), *shown])
    return float(_take_odds(np.median(known, keepdims=True), LEAST[1])[0]) if len(known) else 0.0


def _take_odds(share: Float[np.ndarray, " n"], least: float) -> Float[np.ndarray, " n"]:
    held = np.clip(share, least, 1 - least)
    return np.asarray(np.log(held / (1 - held)))
