"""Numbers that stay: identities of a new pass take those of the last one, and of people."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree

from cender.types import Annotation, Identities

# Two findings nearer to each other than this are the same neuron.
NEAR_UM = 2.0


def keep_numbers(
    known: Mapping[int, Identities],
    places: Mapping[int, Annotation],
    earlier: Iterable[Annotation],
    human: frozenset[int] = frozenset(),
    taken: frozenset[int] = frozenset(),
) -> dict[int, Identities]:
    """The same identities under the numbers that they had before.

    Parameters
    ----------
    known
        Identities of the new pass, by volume.
    places
        Where the neurons of those volumes are.
    earlier
        Volumes of the last pass with its identities.
    human
        Numbers that people gave: they stay, and no machine identity takes one.
    taken
        Further numbers that no new neuron may get, such as those with a name.
    """
    together: Counter[tuple[int, int]] = Counter()
    used = set(human) | set(taken)
    for old in earlier:
        used.update(old.identity[old.identity >= 0].tolist())
        if old.volume in known:
            together.update(_pair(old, known[old.volume].identity, places[old.volume].centre_um))
    fresh = sorted({int(i) for one in known.values() for i in one.identity if i >= 0 and int(i) not in human})
    matched = _match({pair: n for pair, n in together.items() if pair[0] not in human and pair[1] not in human})
    free = _count_free(used)
    number = {-1: -1} | {i: i for i in human} | {new: matched[new] if new in matched else next(free) for new in fresh}
    return {
        volume: replace(one, identity=np.array([number[i] for i in one.identity.tolist()], int))
        for volume, one in known.items()
    }


def _pair(old: Annotation, identity: np.ndarray, centre_um: np.ndarray) -> Iterable[tuple[int, int]]:
    """Pairs (old number, new number) of findings in the same place of one volume."""
    if not len(old) or not len(centre_um):
        return []
    distance, row = cKDTree(centre_um).query(old.centre_um)
    near = distance < NEAR_UM
    pairs = zip(old.identity[near].tolist(), identity[row[near]].tolist(), strict=True)
    return [(a, b) for a, b in pairs if a >= 0 and b >= 0]


def _match(together: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """New number to old number, one to one, so that most findings agree."""
    old = sorted({pair[0] for pair in together})
    new = sorted({pair[1] for pair in together})
    if not old:
        return {}
    counts = np.zeros((len(old), len(new)))
    for (a, b), n in together.items():
        counts[old.index(a), new.index(b)] = n
    rows, columns = linear_sum_assignment(-counts)
    return {new[c]: old[r] for r, c in zip(rows, columns, strict=True) if counts[r, c] > 0}


def _count_free(used: set[int]) -> Iterator[int]:
    number = 0
    while True:
        if number not in used:
            yield number
        number += 1
