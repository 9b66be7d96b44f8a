"""Places that people gave, and those where the machine sees neurons: how they lie to each other, and who is who.

Points from other programs often lie a frame beside the light, all of a volume alike: frames are counted from 1 there,
belong to the upper or the lower edge of a voxel, or were clicked in a stack that was cut elsewhere. And where frames
are far apart, people's depths are a frame off.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

NEAR_UM = 2.0
"""Two places this far apart, or farther, are not the same neuron: the diameter of a nucleus is about that."""
DEEPEST_UM, SPREADS = 4.0, 2.5
"""Where people's depths scatter, the same along z are so many standard deviations, at most so much."""
FARTHEST_UM = np.array([6.0, 3.0, 3.0])
"""Largest common shift that is looked for, ``z y x``: more than a frame of any microscope along z."""
FEWEST = 10
"""With fewer places neither a common shift nor a scatter can be told from chance."""
LEAST_SHARE, LEAST_GAIN = 0.5, 0.1
"""Share of the places that must have a partner after the shift, and by how much more than without it."""
_SAME_UM = 0.05
"""Places as near as this are the same one, written down twice."""
_VOTE_UM, _ROUNDS = 0.8, 3
"""Differences as near as this vote for the same shift, and rounds in which the winner is refined."""
_TO_SD = 1.48
"""Standard deviation per median of absolute deviations."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the places that people gave lie to what was found, ``z y x``: beside it by a shift, and how near each."""

    shift_um: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.zeros(3))
    near_um: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.full(3, NEAR_UM))


def say_largest(shifts_um: Iterable[Float[np.ndarray, " 3"]]) -> str:
    """The largest of some shifts in words."""
    z, y, x = (f"{size:.1f}" for size in max(shifts_um, key=lambda one: float(np.linalg.norm(one))))
    return f"{z}, {y}, {x} µm (z y x)"


def match_places(
    theirs_um: Float[np.ndarray, "k 3"], found_um: Float[np.ndarray, "m 3"], alignment: Alignment
) -> Int[np.ndarray, " k"]:
    """Row of what was found at each place, -1 where nothing was; one to one."""
    owner = np.full(len(theirs_um), -1)
    if not len(theirs_um) or not len(found_um):
        return owner
    distance = _measure_apart(theirs_um, found_um, alignment)
    # Beyond the limit all are equally far, so that they do not decide who gets the near ones.
    row, column = linear_sum_assignment(np.minimum(distance, 1.0))
    near = distance[row, column] < 1
    owner[row[near]] = column[near]
    return owner


def align_places(theirs_um: Float[np.ndarray, "k 3"], found_um: Float[np.ndarray, "m 3"]) -> Alignment:
    """How places lie to what was found; not shifted unless clearly more of them find a partner then."""
    plain = Alignment()
    if len(theirs_um) and len(found_um):
        # What the machine was told of by people lies where they said, and says nothing about the light.
        same = cdist(theirs_um, found_um) < _SAME_UM
        theirs_um, found_um = theirs_um[~same.any(axis=1)], found_um[~same.any(axis=0)]
    apart = (theirs_um[:, None] - found_um[None]).reshape(-1, 3)
    apart = apart[(np.abs(apart) <= FARTHEST_UM).all(axis=1)]
    if len(theirs_um) < FEWEST or not len(apart):
        return plain
    votes = cKDTree(apart)
    densest = apart[votes.query_ball_point(apart, _VOTE_UM, return_length=True).argmax()]
    shift = apart[votes.query_ball_point(densest, _VOTE_UM)].mean(axis=0)
    for _ in range(_ROUNDS):
        paired = _pair_nearest(theirs_um, found_um, Alignment(shift))
        shift = np.median(paired, axis=0) if len(paired) else shift
    gained = len(_pair_nearest(theirs_um, found_um, Alignment(shift)))
    lost = len(_pair_nearest(theirs_um, found_um, plain))
    clear = gained >= max(LEAST_SHARE * len(theirs_um), lost + LEAST_GAIN * len(theirs_um))
    kept = shift if clear else plain.shift_um
    deep = _pair_nearest(theirs_um, found_um, Alignment(kept, np.array([DEEPEST_UM, NEAR_UM, NEAR_UM])))[:, 0]
    if len(deep) < FEWEST:
        return Alignment(kept)
    spread = _TO_SD * float(np.median(np.abs(deep - np.median(deep))))
    return Alignment(kept, np.array([np.clip(SPREADS * spread, NEAR_UM, DEEPEST_UM), NEAR_UM, NEAR_UM]))


def _pair_nearest(
    theirs_um: Float[np.ndarray, "k 3"], found_um: Float[np.ndarray, "m 3"], alignment: Alignment
) -> Float[np.ndarray, "p 3"]:
    """Differences of the places that are each other's nearest, and near."""
    distance = _measure_apart(theirs_um, found_um, alignment)
    nearest = distance.argmin(axis=1)
    mutual: Bool[np.ndarray, " k"] = distance.argmin(axis=0)[nearest] == np.arange(len(theirs_um))
    mutual &= distance.min(axis=1) < 1
    return np.asarray(theirs_um[mutual] - found_um[nearest[mutual]])


def _measure_apart(
    theirs_um: Float[np.ndarray, "k 3"], found_um: Float[np.ndarray, "m 3"], alignment: Alignment
) -> Float[np.ndarray, "k m"]:
    """Distances after the shift, in units of what is near; 0 where two places are the same one, shifted or not."""
    apart = cdist((theirs_um - alignment.shift_um) / alignment.near_um, found_um / alignment.near_um)
    return np.where(cdist(theirs_um, found_um) < _SAME_UM, 0.0, apart)
