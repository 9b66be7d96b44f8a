"""Arbitrary numbers of an unannotated run put into the numbers of the truth."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Int
from scipy.optimize import linear_sum_assignment

from cender.evaluate.errors import get_given_identities
from cender.evaluate.pairing import Pairing


def find_renaming(pairings: Iterable[Pairing], numbers: Iterable[int] = ()) -> dict[int, int]:
    """True identity of every predicted number: one Hungarian matching for the whole recording.

    It maximises the number of neurons identified right over all volumes. A number without a counterpart gets one
    that no true neuron has, so that it stays an identity, and a wrong one.

    Parameters
    ----------
    numbers
        Further predicted numbers, such as those that occur in traces only.
    """
    pairings = tuple(pairings)
    given = np.concatenate([np.zeros(0, int), *(get_given_identities(pairing) for pairing in pairings)])
    wanted = np.concatenate([np.zeros(0, int), *(pairing.truth.identity for pairing in pairings)])
    both = (given >= 0) & (wanted >= 0)
    old, rows = np.unique(given[both], return_inverse=True)
    new, columns = np.unique(wanted[both], return_inverse=True)
    together = np.zeros((len(old), len(new)))
    np.add.at(together, (rows, columns), 1)
    chosen = linear_sum_assignment(together, maximize=True)
    mapping = {int(old[a]): int(new[b]) for a, b in zip(*chosen, strict=True) if together[a, b] > 0}

    everyone = {int(n) for pairing in pairings for n in pairing.predicted.identity} | set(numbers)
    unused = int(wanted.max(initial=-1)) + 1
    for offset, number in enumerate(sorted(n for n in everyone if n >= 0 and n not in mapping)):
        mapping[number] = unused + offset
    return mapping


def rename_pairings(pairings: Iterable[Pairing], mapping: Mapping[int, int]) -> tuple[Pairing, ...]:
    """The same pairings with the predicted numbers replaced."""
    return tuple(
        replace(
            pairing,
            predicted=replace(pairing.predicted, identity=_rename(pairing.predicted.identity, mapping)),
        )
        for pairing in pairings
    )


def rename_ratios(ratio: Mapping[tuple[int, int], float], mapping: Mapping[int, int]) -> dict[tuple[int, int], float]:
    """The same ratios by (identity, volume) with the predicted numbers replaced."""
    return {(mapping.get(identity, identity), volume): value for (identity, volume), value in ratio.items()}


def _rename(identity: Int[np.ndarray, " m"], mapping: Mapping[int, int]) -> Int[np.ndarray, " m"]:
    return np.array([mapping.get(int(number), int(number)) for number in identity], dtype=int)
