"""Whether the worm's own axes point the right way."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cender.evaluate.pairing import Pairing
from cender.types import Head


@dataclass(frozen=True, slots=True)
class Axes:
    """Volumes with true axes, how many of these are flagged, and how many of the others are right."""

    volumes: int
    flagged_count: int
    right: int

    @property
    def accuracy(self) -> float | None:
        """Share of the volumes not flagged whose axes are both right; None where there is none."""
        judged = self.volumes - self.flagged_count
        return self.right / judged if judged else None

    @property
    def flagged(self) -> float | None:
        """Share of the volumes that the prediction flagged; None without true axes."""
        return self.flagged_count / self.volumes if self.volumes else None


def measure_axes(pairings: Iterable[Pairing]) -> Axes:
    """Axes over all volumes where the truth has them; a volume that was not processed counts as wrong.

    All is undefined where the prediction has no axes in any volume: it did not try.
    """
    judged = [pairing for pairing in pairings if _is_known(pairing.truth.head)]
    if not any(pairing.predicted.head is not None or pairing.predicted.flagged for pairing in judged):
        return Axes(0, 0, 0)
    trusted = [pairing for pairing in judged if not pairing.predicted.flagged]
    right = sum(_agree(pairing.predicted.head, pairing.truth.head) for pairing in trusted)
    return Axes(len(judged), len(judged) - len(trusted), right)


def _agree(predicted: Head | None, truth: Head | None) -> bool:
    if predicted is None or truth is None:
        return False
    anterior = float(predicted.anterior_yx @ truth.anterior_yx)
    ventral = float(predicted.ventral_yx @ truth.ventral_yx)
    return anterior > 0 and ventral > 0


def _is_known(head: Head | None) -> bool:
    return head is not None and bool(np.isfinite([*head.anterior_yx, *head.ventral_yx]).all())
