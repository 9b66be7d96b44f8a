"""What people say of a volume and what the machine finds in it, brought together by place."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from cender.annotate.marks import Mark

NEAR_UM = 2.0
"""Two places this far apart, or farther, are not the same neuron: the diameter of a nucleus is about that."""


@dataclass(frozen=True, slots=True)
class JoinedNeuron:
    """A neuron of a volume: its key, the machine's row (None: only a person saw it) and what is said of it."""

    key: str
    row: int | None
    mark: Mark | None


def join_volume(found_um: Float[np.ndarray, "m 3"], marks: Sequence[Mark]) -> list[JoinedNeuron]:
    """All neurons of a volume, the machine's first, in its order; those that a person removed are among them.

    A mark belongs to the machine's neuron at its place (where the machine saw it when it was first touched, else where
    a person put it), one to one and within `NEAR_UM`. A mark whose neuron the machine no longer finds stands for
    itself, unless all that it says is that there is none.
    """
    owner = match_marks(found_um, marks)
    of_row = {int(row): marks[index] for index, row in enumerate(owner) if row >= 0}
    taken = {mark.key for mark in marks}
    joined = []
    for row in range(len(found_um)):
        mark = of_row.get(row)
        joined.append(JoinedNeuron(mark.key if mark else _free_key(row, taken), row, mark))
    alone = [mark for index, mark in enumerate(marks) if owner[index] < 0 and not mark.removed]
    return [*joined, *(JoinedNeuron(mark.key, None, mark) for mark in alone)]


def match_marks(found_um: Float[np.ndarray, "m 3"], marks: Sequence[Mark]) -> Int[np.ndarray, " k"]:
    """The machine's row of each mark, -1 where it finds none there."""
    owner = np.full(len(marks), -1)
    if not len(marks) or not len(found_um):
        return owner
    place = np.array([mark.anchor_um or mark.centre_um for mark in marks], float)
    distance = cdist(place, found_um)
    # Beyond the limit all are equally far, so that they do not decide who gets the near ones.
    theirs, mine = linear_sum_assignment(np.minimum(distance, NEAR_UM))
    near = distance[theirs, mine] < NEAR_UM
    owner[theirs[near]] = mine[near]
    return owner


def _free_key(row: int, taken: Collection[str]) -> str:
    """``m12``, or ``m12.2`` where people speak of another neuron that was number 12 once."""
    key, turn = f"m{row}", 1
    while key in taken:
        turn += 1
        key = f"m{row}.{turn}"
    return key
