"""Where the network may see the centre of a neuron, and how likely each place is one.

The heat alone cannot say it: of two weak peaks beside a strong one, one may be its shoulder and the other a neuron
that touches it. What stands around a peak tells them apart.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.detect.decode import USUAL_PX, decode_centres
from cender.detect.suppression import suppress_centres
from cender.types import Maps

LOWEST = 0.03
"""Heat from which on a peak is looked at."""
APART_UM = 0.6
"""Of two peaks nearer than this only the higher one is."""
COLUMNS = 14
"""Columns of the description of a candidate, which its judge weighs."""
PLAIN_JUDGE = np.eye(COLUMNS)[1]
"""The judge of weights that carry none: the log-odds are taken at their word."""
_FAR_UM, _USUAL_UM = 6.0, 2.5
"""Distance beyond which a higher peak is no neighbour, and the usual width of a nucleus."""
_CROWD_UM = 3.0
"""Other peaks nearer than this are counted."""
_LARGEST_LOG_ODDS = 6.0
"""Log-odds beyond this say no more."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Peaks of the neuron heat.

    ``place`` is the map's pixel (``z y x``), ``centre`` the same place on the network's grid, with fractions; ``score``
    is the heat, between 0 and 1.
    """

    place: Int[np.ndarray, "k 3"]
    centre: Float[np.ndarray, "k 3"]
    score: Float[np.ndarray, " k"]

    def select(self, rows: Bool[np.ndarray, " k"] | Int[np.ndarray, " n"]) -> "Candidates":
        """Some of them."""
        return Candidates(self.place[rows], self.centre[rows], self.score[rows])


def find_candidates(maps: Maps, step_um: Float[np.ndarray, " 3"]) -> Candidates:
    """All peaks that may be a neuron; ``step_um`` is the distance of the grid's points."""
    found = Candidates(*decode_centres(maps, LOWEST))
    return found.select(suppress_centres(found.centre * step_um, found.score, np.full(len(found.score), APART_UM)))


def judge_candidates(table: Float[np.ndarray, "k 14"], judge: Float[np.ndarray, " c"]) -> Float[np.ndarray, " k"]:
    """Chance that each candidate is a neuron, by the weights of the columns of its description."""
    return np.asarray((1 + np.tanh(table @ judge / 2)) / 2)


def describe_candidates(maps: Maps, found: Candidates, step_um: Float[np.ndarray, " 3"]) -> Float[np.ndarray, "k 14"]:
    """What tells neurons from shoulders of other neurons and from noise, one row per candidate.

    Columns: 1; log-odds of its heat; share of the heat in the frames beside it; log-odds of a region there, and of the
    better one in the frames beside it; logarithm of the distance to the next higher peak (2.5 µm is 0); depth of the
    heat's valley between them; share of that distance along z; distance across in widths; log-odds of the higher
    peak's heat; number of peaks within 3 µm; logarithm of its width; the second times the sixth; the sixth squared.
    """
    count = len(found.score)
    if not count:
        return np.zeros((0, COLUMNS))
    odds, here = _to_odds(found.score), maps.read(*found.place.T).astype(float)
    beside = [_read_frames(maps, found.place, way) for way in (-1, 1)]
    spread = sum(1 / (1 + np.exp(-side[:, 1])) for side in beside) / found.score
    width_um = USUAL_PX * np.exp(np.clip(here[:, 2:4], -2, 2)).mean(1) * step_um[1]
    apart = (found.centre[:, None] - found.centre[None]) * step_um
    distance = np.sqrt((apart**2).sum(2))
    rank = np.empty(count, int)
    rank[np.lexsort((*found.centre.T, -found.score))] = np.arange(count)
    higher = np.where(rank[None] < rank[:, None], distance, np.inf)
    rows, next_ = np.arange(count), higher.argmin(1)
    near = higher[rows, next_] < _FAR_UM
    nearest = np.clip(higher[rows, next_], 0.3, _FAR_UM)
    middle = np.rint((found.place + found.place[next_]) / 2).astype(int)
    valley = np.clip(maps.read(*middle.T)[:, 1] - here[:, 1], -_LARGEST_LOG_ODDS, 1)
    close = np.clip(np.log(nearest / _USUAL_UM), -1.5, 0.6)
    across = np.sqrt((apart[rows, next_, 1:] ** 2).sum(1))
    return np.column_stack(
        [
            np.ones(count),
            odds,
            spread,
            np.clip(here[:, 0], -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS),
            np.clip(np.maximum(beside[0][:, 0], beside[1][:, 0]), -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS),
            close,
            np.where(near, valley, -4.0),
            np.where(near, np.abs(apart[rows, next_, 0]) / nearest, 0.5),
            np.where(near, np.clip(across / width_um, 0, 2), 2.0),
            np.where(near, odds[next_], 0.0),
            (distance < _CROWD_UM).sum(1) - 1,
            np.log(width_um / _USUAL_UM),
            odds * close,
            close**2,
        ]
    )


def _read_frames(maps: Maps, place: Int[np.ndarray, "k 3"], way: int) -> Float[np.ndarray, "k m"]:
    """What the maps say in the frame before or after; nothing is there beyond the ends."""
    z = place[:, 0] + way
    frames = maps.packed.shape[3]
    said = maps.read(np.clip(z, 0, frames - 1), place[:, 1], place[:, 2]).astype(float)
    return np.where(((z >= 0) & (z < frames))[:, None], said, -30.0)


def _to_odds(score: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    sure = np.clip(score, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(sure / (1 - sure)))
