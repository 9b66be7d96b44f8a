"""How many neurons have the right identity, and how far the probabilities can be trusted."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from cender.evaluate.errors import classify_identities, get_given_identities
from cender.evaluate.pairing import Pairing

# Groups of equal size for the calibration error.
BINS = 15
# Of `recall_at_95_strict`, and the share of the volumes in `worst_5pct`.
PRECISION = 0.95
WORST_SHARE = 0.05
"""Share of the volumes, those with the lowest accuracy, whose mean is `worst_5pct`."""


@dataclass(frozen=True, slots=True)
class KnownNeurons:
    """True neurons with an identity, over all volumes, and what became of it (see `classify_identities`).

    ``given`` is the number that each was given, -1 where it was missed or refused.
    """

    volume: Int[np.ndarray, " n"]
    identity: Int[np.ndarray, " n"]
    given: Int[np.ndarray, " n"]
    outcome: Shaped[np.ndarray, " n"]

    @property
    def right(self) -> Bool[np.ndarray, " n"]:
        """Whether the identity is right."""
        right: np.ndarray = self.outcome == "right"
        return right


@dataclass(frozen=True, slots=True)
class GivenIdentities:
    """Identities that were given and can be judged: probability and whether they are right."""

    probability: Float[np.ndarray, " n"]
    right: Bool[np.ndarray, " n"]


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity figures between 0 and 1 with their counts; None where there is nothing to measure."""

    accuracy: float | None
    accuracy_all: float | None
    worst_5pct: float | None
    recall_at_95_strict: float | None
    calibration_error: float | None
    kept: float | None
    knowable: int
    known: int
    right: int
    given: int


def measure_identity(pairings: Iterable[Pairing], known: Collection[int] | None = None) -> Identity:
    """Identity figures over all volumes.

    Parameters
    ----------
    known
        Identities that the model could know because they occur in its training; None = all.
    """
    pairings = tuple(pairings)
    neurons = collect_neurons(pairings)
    given = collect_given(pairings)
    knowable = np.ones(len(neurons.identity), bool) if known is None else np.isin(neurons.identity, sorted(known))
    return Identity(
        accuracy=_share(neurons.right[knowable]),
        accuracy_all=_share(neurons.right),
        worst_5pct=_measure_worst(neurons.volume[knowable], neurons.right[knowable]),
        recall_at_95_strict=measure_recall_at_precision(given, len(neurons.identity)),
        calibration_error=measure_calibration_error(given),
        kept=measure_kept(neurons),
        knowable=int(knowable.sum()),
        known=len(neurons.identity),
        right=int(neurons.right.sum()),
        given=sum(int((pairing.predicted.identity >= 0).sum()) for pairing in pairings),
    )


def collect_neurons(pairings: Iterable[Pairing]) -> KnownNeurons:
    """All true neurons with an identity and what became of it."""
    volumes, identities, given = ([np.zeros(0, int)] for _ in range(3))
    outcomes = [np.zeros(0, "<U9")]
    for pairing in pairings:
        known = pairing.truth.identity >= 0
        volumes.append(np.full(int(known.sum()), pairing.truth.volume))
        identities.append(pairing.truth.identity[known])
        given.append(get_given_identities(pairing)[known])
        outcomes.append(classify_identities(pairing)[known])
    return KnownNeurons(*(np.concatenate(parts) for parts in (volumes, identities, given, outcomes)))


def collect_given(pairings: Iterable[Pairing]) -> GivenIdentities:
    """All identities that were given and can be judged.

    An identity on a neuron with a true identity is right or wrong. One on an unlabelled neuron, or on no neuron,
    is wrong where that identity is annotated elsewhere in the volume, and says nothing otherwise. An identity
    without a probability is taken as the least certain.
    """
    probabilities, rights = [np.zeros(0)], [np.zeros(0, bool)]
    for pairing in pairings:
        given = pairing.predicted.identity
        partner = pairing.partners.partner_of_predicted
        actual = np.full(len(given), -1)
        actual[partner >= 0] = pairing.truth.identity[partner[partner >= 0]]
        judged = (given >= 0) & ((actual >= 0) | np.isin(given, pairing.truth.identity))
        probabilities.append(np.nan_to_num(pairing.predicted.probability[judged], nan=0.0))
        rights.append((given == actual)[judged])
    return GivenIdentities(np.concatenate(probabilities), np.concatenate(rights))


def measure_kept(neurons: KnownNeurons) -> float | None:
    """Of all pairs of volumes that show the same neuron, the share in which it has the same number in both.

    It asks for no renaming, which flatters arbitrary numbers where there are few volumes. None without such pairs.
    """
    _, wanted, sights = np.unique(neurons.identity, return_inverse=True, return_counts=True)
    numbered = neurons.given >= 0
    _, agreeing = np.unique(np.stack([wanted[numbered], neurons.given[numbered]]), axis=1, return_counts=True)
    pairs, kept = (int((count * (count - 1) // 2).sum()) for count in (sights, agreeing))
    return kept / pairs if pairs else None


def measure_recall_at_precision(given: GivenIdentities, truth_count: int) -> float | None:
    """Share of the true neurons rightly recognized at the lowest cut of the probability at which 95 % are right.

    Identities of the same probability stay or go together. 0 where no cut is precise enough, None without true
    neurons.
    """
    if truth_count == 0:
        return None
    order = np.argsort(-given.probability, kind="stable")
    right = np.cumsum(given.right[order])
    count = np.arange(1, len(right) + 1)
    cuttable = np.diff(given.probability[order], append=-np.inf) < 0
    allowed = cuttable & (right >= PRECISION * count)
    return float(right[allowed].max(initial=0)) / truth_count


def measure_calibration_error(given: GivenIdentities) -> float | None:
    """Expected calibration error over bins of equal counts; None without a judged identity.

    Identities of the same probability share their mean correctness, so that their order does not matter. With
    fewer identities than bins each identity is its own.
    """
    if len(given.right) == 0:
        return None
    _, group = np.unique(given.probability, return_inverse=True)
    correctness = (np.bincount(group, weights=given.right) / np.bincount(group))[group]
    order = np.argsort(given.probability, kind="stable")
    parts = np.array_split(order, min(BINS, len(order)))
    gaps = [len(part) * abs(float(np.mean(given.probability[part] - correctness[part]))) for part in parts]
    return math.fsum(gaps) / len(order)


def _measure_worst(volume: Int[np.ndarray, " n"], right: Bool[np.ndarray, " n"]) -> float | None:
    """Mean accuracy of the worst 5 % of the volumes that have neurons, rounded up to whole volumes."""
    if len(volume) == 0:
        return None
    _, row = np.unique(volume, return_inverse=True)
    accuracy = np.sort(np.bincount(row, weights=right) / np.bincount(row))
    return float(accuracy[: math.ceil(WORST_SHARE * len(accuracy))].mean())


def _share(right: Bool[np.ndarray, " n"]) -> float | None:
    return float(right.mean()) if len(right) else None
