"""How far other volumes bear a name out: do they give it to the same neuron, and is it one neuron at all?

What a volume says of its own names cannot tell a name that is always wrong, or one that jumps between two neurons
which lie close together, from a right one. Volumes that are laid over each other can.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.confidence import Calibration, describe_names
from cender.recognize.links import Link
from cender.recognize.model import Naming

WEIGHTS = np.array([0.64, 0.56, 0.18, 0.55, -0.27])
"""Weights of the features of `describe_agreement`, as `cender.training.shipped.trust` fits them."""
LEAST = 0.005, 0.02
"""Least probability, and least share of volumes, that are told from 0 (and the same from 1)."""

Links = Sequence[Sequence[tuple[int, Link]]]


def weigh_names(
    namings: Sequence[Naming], names: Sequence[Int[np.ndarray, " _"]], links: Links, calibration: Calibration
) -> list[Float[np.ndarray, " _"]]:
    """Probability of every name, given what the volume itself and the volumes linked to it say.

    Parameters
    ----------
    namings
        What each volume found by itself, in order of time.
    names
        The names that are to be judged (-1 none).
    links
        For every volume, the volumes that it was laid over; one that could not be keeps its own probabilities.
    """
    features = describe_agreement(namings, names, links, calibration)
    sure = []
    for naming, given, described, mine in zip(namings, names, features, links, strict=True):
        together = 1 / (1 + np.exp(-described @ WEIGHTS))
        sure.append(np.where(given < 0, 0.0, together if mine else naming.probability))
    return sure


def describe_agreement(
    namings: Sequence[Naming], names: Sequence[Int[np.ndarray, " _"]], links: Links, calibration: Calibration
) -> list[Float[np.ndarray, "_ 5"]]:
    """Features of every name: own, agreement, steadiness, presence, 1.

    Own: log-odds of the probability by the volume itself. Agreement: of the share of partners in other volumes that
    have the name too. Steadiness: the same over all neurons of the recording that have this name. Presence: of the
    share of volumes that have a partner at all. The last two are beside what is usual in the recording: where
    detection is poor all names are unsteady, and some are so where it is good.
    """
    counts = _count(names, links)
    steady = _measure_steadiness(names, counts)
    shares = [(total + 0.5) / (len(mine) + 1) for mine, (_, total) in zip(links, counts, strict=True)]
    usual = [_find_usual(names, part) for part in ([steady[given] for given in names], shares)]
    parts = []
    for naming, given, share, (same, total) in zip(namings, names, shares, counts, strict=True):
        own = np.where(
            given == naming.names,
            naming.probability,
            calibration.apply(describe_names(naming.score.astype(float), naming.first.astype(float), given)),
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
    names: Sequence[Int[np.ndarray, " _"]], links: Links
) -> list[tuple[Float[np.ndarray, " _"], Float[np.ndarray, " _"]]]:
    """Weight of the partners of every neuron that have its name, and of all its partners."""
    counts = []
    for given, mine in zip(names, links, strict=True):
        same, total = np.zeros(len(given)), np.zeros(len(given))
        for number, link in mine:
            same[link.here] += link.weight * (names[number][link.there] == given[link.here])
            total[link.here] += link.weight
        counts.append((same, total))
    return counts


def _measure_steadiness(
    names: Sequence[Int[np.ndarray, " _"]], counts: Sequence[tuple[Float[np.ndarray, " _"], Float[np.ndarray, " _"]]]
) -> Float[np.ndarray, " k"]:
    """Share of the partners that have the same name, over all neurons of each class; the last row is that of none."""
    classes = 2 + max((int(given.max(initial=-1)) for given in names), default=-1)
    same, total = np.ones(classes), np.full(classes, 2.0)
    for given, (agreed, heard) in zip(names, counts, strict=True):
        np.add.at(same, given, agreed)
        np.add.at(total, given, heard)
    return np.asarray(same / total)


def _find_usual(names: Sequence[Int[np.ndarray, " _"]], shares: Sequence[Float[np.ndarray, " _"]]) -> float:
    """Log-odds of the median share of the neurons that have a name."""
    named = [share[given >= 0] for given, share in zip(names, shares, strict=True)]
    known = np.concatenate([np.zeros(0), *named])
    return float(_take_odds(np.median(known, keepdims=True), LEAST[1])[0]) if len(known) else 0.0


def _take_odds(share: Float[np.ndarray, " n"], least: float) -> Float[np.ndarray, " n"]:
    held = np.clip(share, least, 1 - least)
    return np.asarray(np.log(held / (1 - held)))
