"""How many of the regions and neurons are found, and how many of the found ones exist."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from cender.evaluate.match import Matching
from cender.evaluate.overlap import find_boxed
from cender.evaluate.pairing import Pairing

What = Literal["boxes", "neurons", "centres"]


@dataclass(frozen=True, slots=True)
class Detection:
    """Counts over all volumes, from which precision, recall and F1 follow (micro-averaged).

    ``judged`` and ``right`` count the predictions, and those of them that are matched, in completely
    annotated volumes: only there is an unmatched prediction known to be false. None where the answer is not
    defined.
    """

    truth: int
    matched: int
    judged: int
    right: int
    complete: bool

    @property
    def recall(self) -> float | None:
        """Share of the truth that is matched; None without truth."""
        return self.matched / self.truth if self.truth else None

    @property
    def precision(self) -> float | None:
        """Share of the predictions in complete volumes that is matched; None without predictions there."""
        return self.right / self.judged if self.judged else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean; 0 where one is 0 or one side is empty; None without a complete volume."""
        if not self.complete or not (self.truth or self.judged):
            return None
        precision, recall = self.precision, self.recall
        if not precision or not recall:
            return 0.0
        # The larger of the two times a factor of at most 1: rounding cannot put it outside of the two.
        low, high = sorted((precision, recall))
        return min(max(2 * low * (high / (low + high)), low), high)


NOTHING = Detection(0, 0, 0, 0, False)
"""Counts of no volume at all, to add others to."""


def measure_detection(pairings: Iterable[Pairing], what: What) -> Detection:
    """Detection of 2D boxes, of neurons by their boxes, or of neurons by their centres."""
    total = NOTHING
    for pairing in pairings:
        matching: Matching | None = getattr(pairing, what)
        if matching is None:
            continue
        truth, predicted = _count_sides(pairing, what)
        complete = pairing.truth.complete
        total = Detection(
            total.truth + truth,
            total.matched + len(matching),
            total.judged + (predicted if complete else 0),
            total.right + (len(matching) if complete else 0),
            total.complete or complete,
        )
    return total


def _count_sides(pairing: Pairing, what: What) -> tuple[int, int]:
    truth, predicted = pairing.truth, pairing.predicted
    if what == "boxes":
        return len(truth.regions), len(predicted.regions)
    if what == "centres":
        return len(truth), len(predicted)
    # A neuron without a box cannot be matched by boxes and is not asked for.
    boxed = [int(find_boxed(side.regions, len(side)).sum()) for side in (truth, predicted)]
    return boxed[0], boxed[1]
