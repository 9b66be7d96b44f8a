"""Volumes whose neurons are known, laid side by side by identity."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, slots=True)
class References:
    """Positions of every identity in every reference (NaN where it was not seen), and of neurons without one.

    Coordinates are those of `recognize.frame`. ``volume`` tells references apart, so that none explains itself.
    """

    volume: Int[np.ndarray, " r"]
    position: Float[np.ndarray, "r i 3"]
    other: Float[np.ndarray, "r u 3"]

    def __len__(self) -> int:
        return len(self.position)

    def select(self, rows: np.ndarray) -> "References":
        """The references of these rows (indices or a mask)."""
        return References(self.volume[rows], self.position[rows], self.other[rows])


def gather_references(
    volumes: Sequence[int],
    positions: Sequence[Float[np.ndarray, "_ 3"]],
    labels: Sequence[Int[np.ndarray, " _"]],
    identities: int,
) -> References:
    """References of clouds with labels: 0 … identities - 1, or ``identities`` for none of them, or -1 for unknown."""
    most = max((int((label == identities).sum()) for label in labels), default=0)
    position = np.full((len(volumes), identities, 3), np.nan)
    other = np.full((len(volumes), most, 3), np.nan)
    for row, (points, label) in enumerate(zip(positions, labels, strict=True)):
        known = (label >= 0) & (label < identities)
        position[row, label[known]] = points[known]
        rest = points[label == identities]
        other[row, : len(rest)] = rest
    return References(np.array(volumes, int), position, other)
