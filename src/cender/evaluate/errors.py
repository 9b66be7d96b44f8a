"""What went wrong, neuron by neuron, by kind."""

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Int, Shaped

from cender.evaluate.match import WITHIN_UM, find_both_boxed
from cender.evaluate.overlap import intersect_neurons, locate_nearest, measure_distances_um, sum_areas
from cender.evaluate.pairing import Pairing

DetectionError = Literal["missed", "false", "split", "merged"]
IdentityOutcome = Literal["right", "wrong", "swapped", "missed", "refused", "misplaced"]
DETECTION_ERRORS: tuple[DetectionError, ...] = get_args(DetectionError)
IDENTITY_OUTCOMES: tuple[IdentityOutcome, ...] = get_args(IdentityOutcome)


def count_detection_errors(pairings: Iterable[Pairing]) -> dict[str, int]:
    """Number of detection errors of each kind over all volumes; see `classify_detections`."""
    total: dict[str, int] = dict.fromkeys(DETECTION_ERRORS, 0)
    for pairing in pairings:
        for kind, count in classify_detections(pairing).items():
            total[kind] += count
    return total


def classify_detections(pairing: Pairing) -> dict[DetectionError, int]:
    """Number of detection errors of each kind in one volume; every mistake is counted once.

    *split*: a true neuron covered by two or more predictions. *merged*: a prediction that covers two or more
    true neurons. *missed* and *false*: the unmatched neurons and predictions that no split or merge explains.
    A prediction matched elsewhere covers nothing else. Where the volume is not completely annotated, none is
    known to be false.
    """
    partner_of_truth = pairing.partners.partner_of_truth
    partner_of_predicted = pairing.partners.partner_of_predicted
    fragment, swallowed = _find_cover(pairing)
    rows, columns = np.indices(fragment.shape)
    fragment &= (partner_of_predicted == -1)[None] | (partner_of_predicted[None] == rows)
    swallowed &= (partner_of_truth == -1)[:, None] | (partner_of_truth[:, None] == columns)
    split = fragment.sum(axis=1) >= 2
    merged = swallowed.sum(axis=0) >= 2
    lost = (partner_of_truth < 0) & ~split & ~swallowed[:, merged].any(axis=1)
    invented = (partner_of_predicted < 0) & ~merged & ~fragment[split].any(axis=0)
    return {
        "missed": int(lost.sum()),
        "false": int(invented.sum()) if pairing.truth.complete else 0,
        "split": int(split.sum()),
        "merged": int(merged.sum()),
    }


def classify_identities(pairing: Pairing) -> Shaped[np.ndarray, " n"]:
    """What became of the identity of every true neuron of one volume; empty text for those without one.

    *right*: its partner has it. *swapped*: two neurons have each other's. *misplaced*: another detection has
    it. Else no neuron has it: the partner has a *wrong* one, none (*refused*), or there is no partner
    (*missed*).
    """
    wanted = pairing.truth.identity
    given = get_given_identities(pairing)
    partnered = pairing.partners.partner_of_truth >= 0
    mutual = (given[:, None] == wanted[None]) & (wanted[:, None] == given[None]) & (given[:, None] >= 0)
    choices: list[tuple[IdentityOutcome, Bool[np.ndarray, " n"]]] = [
        ("right", given == wanted),
        ("swapped", mutual.any(axis=1)),
        ("misplaced", np.isin(wanted, pairing.predicted.identity)),
        ("wrong", given >= 0),
        ("refused", partnered),
    ]
    kinds = np.select([mask for _, mask in choices], [kind for kind, _ in choices], "missed")
    return np.where(wanted >= 0, kinds, "")


def get_given_identities(pairing: Pairing) -> Int[np.ndarray, " n"]:
    """Identity that the partner of every true neuron was given; -1 without partner or identity."""
    partner = pairing.partners.partner_of_truth
    given = np.full(len(partner), -1)
    given[partner >= 0] = pairing.predicted.identity[partner[partner >= 0]]
    return given


def _find_cover(pairing: Pairing) -> tuple[Bool[np.ndarray, "n m"], Bool[np.ndarray, "n m"]]:
    """Which predictions lie in which true neuron, and which true neurons lie in which prediction.

    By boxes where both have some: more than half of the one is inside the other. Else by centres: the other
    is the nearest, within 2 µm.
    """
    truth, predicted = pairing.truth, pairing.predicted
    counts = len(truth), len(predicted)
    shared = intersect_neurons(truth.regions, predicted.regions, *counts)
    distance_um = measure_distances_um(truth.centre_um, predicted.centre_um)
    rows, columns = np.indices(distance_um.shape)
    close = distance_um <= WITHIN_UM
    by_boxes = find_both_boxed(truth, predicted)
    fragment = np.where(
        by_boxes,
        shared > 0.5 * sum_areas(predicted.regions, counts[1])[None],
        close & (locate_nearest(distance_um.T)[None] == rows),
    )
    swallowed = np.where(
        by_boxes,
        shared > 0.5 * sum_areas(truth.regions, counts[0])[:, None],
        close & (locate_nearest(distance_um)[:, None] == columns),
    )
    return fragment, swallowed
