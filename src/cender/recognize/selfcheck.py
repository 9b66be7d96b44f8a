"""How far the identities of a recording can be trusted, without knowing the truth: do its volumes agree?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from cender.recognize.frame import place_points
from cender.recognize.judge import judge_volume
from cender.recognize.model import Naming
from cender.recognize.pooling import REACH, link_volumes
from cender.types import Annotation, Identities

PAIRS = 60
"""Pairs of volumes that are compared at most."""
FEWEST_PAIRS = 30
"""Pairs of neurons below which nothing is said."""


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What a recording says of its own identities, as shares between 0 and 1.

    ``agreement``: of the neurons that lie in the same place in two volumes laid over each other, how many have the
    same identity in both. ``sureness``: mean probability of the names; it was measured on copies of volumes in which
    neurons were moved, left out and added, so that it says how steady names are. ``doubted``: share of volumes whose
    identities are doubtful as a whole.
    """

    agreement: float
    sureness: float
    doubted: float

    @property
    def expected_accuracy(self) -> float:
        """How many of the neurons that come back have the right identity, by this evidence.

        Two volumes agree by and large where both are right, so that one of them is right in the square root of that.
        """
        return float(np.clip(np.sqrt(self.agreement), 0.0, 1.0))

    def describe(self) -> dict[str, Any]:
        """All of it under names, with the sentence."""
        names = ("expected_accuracy", "agreement", "sureness", "doubted")
        return {"said": str(self), **{name: round(float(getattr(self, name)), 4) for name in names}}

    def __str__(self) -> str:
        return (
            f"About {100 * self.expected_accuracy:.0f} % of the identities are expected to be right: volumes far apart "
            f"in time agree on {100 * self.agreement:.0f} % of the neurons that they share, names have a mean "
            f"probability of {self.sureness:.2f}, and {100 * self.doubted:.0f} % of the volumes are doubtful."
        )


def check_identities(
    volumes: Sequence[Annotation], known: Mapping[int, Identities], flag_below: float
) -> SelfCheck | None:
    """What a recording says of its own identities; None where too few volumes or neurons can be compared."""
    usable = (one for one in volumes if one.volume in known and len(one) and np.isfinite(one.centre_um).all())
    there = sorted(usable, key=lambda one: one.volume)
    pairs = choose_pairs(len(there))
    if not pairs:
        return None
    classes = np.unique(np.concatenate([known[one.volume].identity for one in there]))
    classes = classes[classes >= 0]
    same = shared = 0
    for first, second in pairs:
        a, b = (_describe(there[row], known[there[row].volume], classes) for row in (first, second))
        link = link_volumes(a, [b])[0]
        if link is None:
            # Two volumes that cannot be laid over each other agree on nothing.
            shared += int(min((a.names >= 0).sum(), (b.names >= 0).sum()))
            continue
        mine, theirs = a.names[link.here], b.names[link.there]
        comparable = (mine >= 0) | (theirs >= 0)
        shared += int(comparable.sum())
        same += int((comparable & (mine == theirs)).sum())
    if shared < FEWEST_PAIRS:
        return None
    named = [known[one.volume].identity >= 0 for one in there]
    sure = np.concatenate([known[one.volume].probability[rows] for one, rows in zip(there, named, strict=True)])
    doubted = [judge_volume(known[one.volume], flag_below) is not None for one in there]
    return SelfCheck(same / shared, float(np.nan_to_num(sure).mean()) if len(sure) else 0.0, float(np.mean(doubted)))


def choose_pairs(count: int) -> list[tuple[int, int]]:
    """Pairs of volumes that did not hear each other where there are enough of them, spread over the recording."""
    if count < 2:
        return []
    gap = min(2 * REACH + 1, max(1, count // 2))
    starts = np.unique(np.linspace(0, count - 1 - gap, min(PAIRS, count - gap)).round().astype(int))
    return [(int(start), int(start) + gap) for start in starts]


def _describe(volume: Annotation, known: Identities, classes: Int[np.ndarray, " i"]) -> Naming:
    given = known.identity >= 0
    names = np.where(given, np.searchsorted(classes, known.identity), -1)
    nothing: Float[np.ndarray, "n k"] = np.zeros((len(volume), len(classes) + 1), np.float16)
    # All names register: an unsure one is outvoted, and without them too few may be left.
    return Naming(
        place_points(volume.centre_um), names, given.astype(float), np.zeros((len(volume), 4)), nothing, nothing
    )
