"""What people say of a volume and what the machine finds in it, brought together by place."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.annotate.marks import Mark
from cender.annotate.places import Alignment, align_places, match_places


@dataclass(frozen=True, slots=True)
class JoinedNeuron:
    """A neuron of a volume: its key, the machine's row (None: only a person saw it) and what is said of it."""

    key: str
    row: int | None
    mark: Mark | None


def join_volume(found_um: Float[np.ndarray, "m 3"], marks: Sequence[Mark]) -> list[JoinedNeuron]:
    """All neurons of a volume, the machine's first, in its order; those that a person removed are among them.

    A mark belongs to the machine's neuron at its place (where the machine saw it when it was first touched, else where
    a person put it, but for a shift of all such places), one to one and within the size of a nucleus. A mark whose
    neuron the machine no longer finds stands for itself, unless all that it says is that there is none.
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
    held = np.array([mark.anchor_um is not None for mark in marks], bool)
    place = np.array([mark.anchor_um or mark.centre_um for mark in marks], float).reshape(-1, 3)
    # Where the machine saw a neuron is exact, so such marks come first.
    owner[held] = match_places(place[held], found_um, Alignment())
    free = np.setdiff1d(np.arange(len(found_um)), owner)
    rows = match_places(place[~held], found_um[free], align_marks(found_um, marks))
    owner[~held] = np.where(rows >= 0, np.append(free, -1)[rows], -1)
    return owner


def align_marks(found_um: Float[np.ndarray, "m 3"], marks: Sequence[Mark]) -> Alignment:
    """How all places that people gave by themselves lie to what the machine finds."""
    place = np.array([mark.centre_um for mark in marks if mark.anchor_um is None], float)
    return align_places(place.reshape(-1, 3), found_um)


def _free_key(row: int, taken: Collection[str]) -> str:
    """``m12``, or ``m12.2`` where people speak of another neuron that was number 12 once."""
    key, turn = f"m{row}", 1
    while key in taken:
        turn += 1
        key = f"m{row}.{turn}"
    return key
