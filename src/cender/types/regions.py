"""Neuronal regions: 2D boxes in the frames of one volume."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True, slots=True)
class Regions:
    """Boxes of one volume, one row per region, in full-frame pixels.

    A box is ``x y w h``, float and half-open (``[x, x + w)``); an integer coordinate is the centre of a pixel, so the
    centre of a box is ``x + (w - 1) / 2``. ``neuron`` is the row of the neuron that a region belongs to, -1 for none.
    ``intensity`` is the mean above background inside the box, NaN where it was not measured.
    """

    z: Int[np.ndarray, " n"]
    box_px: Float[np.ndarray, "n 4"]
    score: Float[np.ndarray, " n"]
    neuron: Int[np.ndarray, " n"]
    intensity: Float[np.ndarray, " n"]

    @classmethod
    def from_boxes(
        cls,
        z: Int[np.ndarray, " n"],
        box_px: Float[np.ndarray, "n 4"],
        *,
        score: Float[np.ndarray, " n"] | None = None,
        neuron: Int[np.ndarray, " n"] | None = None,
    ) -> "Regions":
        """Regions with score 1, no neuron and no intensity where these are not given."""
        count = len(z)
        return cls(
            z,
            box_px,
            np.ones(count) if score is None else score,
            np.full(count, -1) if neuron is None else neuron,
            np.full(count, np.nan),
        )

    @classmethod
    def empty(cls) -> "Regions":
        """No region at all."""
        return cls.from_boxes(np.zeros(0, int), np.zeros((0, 4)))

    def __len__(self) -> int:
        return len(self.z)

    @property
    def centre_px(self) -> Float[np.ndarray, "n 3"]:
        """Centre of every box as ``z y x``."""
        x, y, w, h = self.box_px.T
        return np.stack([self.z.astype(float), y + (h - 1) / 2, x + (w - 1) / 2], axis=1)

    def select(self, rows: np.ndarray) -> "Regions":
        """The regions of these rows (indices or a mask)."""
        return type(self)(self.z[rows], self.box_px[rows], self.score[rows], self.neuron[rows], self.intensity[rows])


@dataclass(frozen=True, slots=True)
class Detections:
    """What a detector found in one volume: regions, and where it saw whole neurons (none, if it cannot see them).

    ``centre_px`` is ``z y x`` in full-frame indices, z with fractions of a frame; ``centre_score`` is between 0 and 1.
    ``judge`` says how likely this detector's findings are neurons (`cender.merge.judge`), None where it is not known.
    """

    regions: Regions
    centre_px: Float[np.ndarray, "k 3"]
    centre_score: Float[np.ndarray, " k"]
    judge: Float[np.ndarray, " c"] | None = None

    @classmethod
    def from_regions(cls, regions: Regions) -> "Detections":
        """Regions of a detector that sees frames only."""
        return cls(regions, np.zeros((0, 3)), np.zeros(0))
