"""Which cell each neuron of an animal is: poses tried, aligned with the atlas, judged as a whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.name.assign import assign_cells, balance_scores
from cender.name.atlas import Atlas, Similarity, fit_similarity, pair_sides
from cender.name.likelihood import measure_looks, measure_places
from cender.name.pose import list_poses
from cender.name.unbend import unbend_animal

Score = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Positions ``p n 3`` and colours ``n f`` in; log-probabilities ``p n k`` and pose scores ``p`` out."""

ALIGNED = (16, 8, 4, 2, 1)
"""Poses that are aligned with the atlas in each round: all first, because a pose far off may look bad before."""
UNBENT = 2
"""Rounds in which the best pose is also unbent."""
PLACES, LOOKS = 0.4, 0.15
"""Weights of the atlas beside the network."""
FIXED_LOG_ODDS = 1e3
"""How far, in log-odds, all else lies below a name that a person gave."""
ANCHORS = 4
"""Names given by people from which on they alone decide about the pose."""
SETTLED = 0.7
"""Names settle the side where they lie this much nearer to the atlas than in the mirror image."""
MIRROR = np.array([-1.0, 1.0, 1.0])
"""Turns an animal into its mirror image (``z y x``, z from right to left)."""


@dataclass(frozen=True, slots=True)
class Sight:
    """An animal in one pose.

    ``way`` leads from µm into the frame of the atlas, ``place`` is where the neurons lie there once unbent, ``score``
    is of every name for every neuron, ``fit`` how well all of it suits the atlas.
    """

    way: Similarity
    place: Float[np.ndarray, "n 3"]
    score: Float[np.ndarray, "n k"]
    fit: float
    coloured: bool


def find_pose(
    position_um: Float[np.ndarray, "n 3"],
    colour: Float[np.ndarray, "n f"],
    score: Score,
    atlas: Atlas,
    mirrored: bool,
    fixed: Mapping[int, int],
) -> Sight:
    """The best pose of one handedness.

    Parameters
    ----------
    colour
        Features of `describe_colours`.
    fixed
        Rows of the atlas by neuron, from people.
    """
    if len(fixed) >= ANCHORS:
        rows = list(fixed)
        ways = [fit_similarity(position_um[rows], atlas.mean[[fixed[row] for row in rows]], mirror=mirrored)]
    else:
        ways = list_poses(position_um, mirrored, atlas)
    return refine_pose(position_um, colour, score, atlas, ways, fixed)


def settle_side(position_um: Float[np.ndarray, "n 3"], fixed: Mapping[int, int], atlas: Atlas) -> bool | None:
    """Whether names of people show a mirror image; None where there are too few of them or both would fit."""
    if len(fixed) < ANCHORS:
        return None
    points, target = position_um[list(fixed)], atlas.mean[list(fixed.values())]
    apart = [
        float(np.median(np.linalg.norm(fit_similarity(points, target, mirror=side).apply(points) - target, axis=1)))
        for side in (False, True)
    ]
    return None if min(apart) > SETTLED * max(apart) else apart[1] < apart[0]


def refine_pose(
    position_um: Float[np.ndarray, "n 3"],
    colour: Float[np.ndarray, "n f"],
    score: Score,
    atlas: Atlas,
    ways: list[Similarity],
    fixed: Mapping[int, int],
) -> Sight:
    """The best of these poses after each was aligned with the atlas by the names that it leads to."""
    looks = LOOKS * measure_looks(colour, atlas)
    coloured = bool(colour[:, -2].max(initial=0) > 0)
    for count in (*ALIGNED, 0):
        places = np.stack([way.apply(position_um) for way in ways])
        names, upright = score(places, colour)
        sights = []
        for way, place, name, pose in zip(ways, places, names, upright, strict=True):
            total = _fix(name + PLACES * measure_places(place, atlas) + looks, fixed)
            fit = measure_fit(total, assign_cells(total)) + min(0.0, float(pose)) * 0.1
            sights.append(Sight(way, place, total, fit, coloured))
        sights.sort(key=lambda sight: -sight.fit)
        if count:
            ways = [_align(position_um, sight, atlas) for sight in sights[:count]]
    best = sights[0]
    for _ in range(UNBENT):
        place = _unbend(best.way.apply(position_um), best, atlas)
        total = _fix(score_places(place, colour, score, atlas), fixed)
        best = Sight(best.way, place, total, measure_fit(total, assign_cells(total)), coloured)
    return best


def score_places(
    place: Float[np.ndarray, "n 3"], colour: Float[np.ndarray, "n f"], score: Score, atlas: Atlas
) -> Float[np.ndarray, "n k"]:
    """Scores of all names in the frame of the atlas: what the network says of the animal and of its mirror image."""
    names, _ = score(np.stack([place, place * MIRROR]), colour)
    told = 0.5 * (names[0] + names[1][:, pair_sides(atlas.names)])
    return np.asarray(told + PLACES * measure_places(place, atlas) + LOOKS * measure_looks(colour, atlas))


def measure_fit(score: Float[np.ndarray, "n k"], names: Int[np.ndarray, " n"]) -> float:
    """Mean score of the names given: higher means that the animal looks like the atlas."""
    rows = np.flatnonzero(names >= 0)
    return float(np.clip(score[rows, names[rows]], -12, None).mean()) if len(rows) else -np.inf


def _align(position_um: Float[np.ndarray, "n 3"], sight: Sight, atlas: Atlas) -> Similarity:
    """The way into the atlas by the names that the animal seems to have, sure ones counting most."""
    rows, target, weight = _take_names(sight, atlas)
    way = sight.way
    for _ in range(3):
        distance = np.linalg.norm(way.apply(position_um[rows]) - target, axis=1)
        usual = max(float(np.median(distance)), 0.02)
        robust = weight / (1 + (distance / (2 * usual)) ** 2)
        way = fit_similarity(position_um[rows], target, robust, sight.way.mirrored)
    # Between half and twice the size that it has in micrometres: fewer and wrong names must not shrink an animal.
    if not 0.5 < way.scale / sight.way.scale < 2:
        return sight.way
    return way


def _unbend(place: Float[np.ndarray, "n 3"], sight: Sight, atlas: Atlas) -> Float[np.ndarray, "n 3"]:
    return unbend_animal(place, *_take_names(sight, atlas))


def _take_names(
    sight: Sight, atlas: Atlas
) -> tuple[Int[np.ndarray, " m"], Float[np.ndarray, "m 3"], Float[np.ndarray, " m"]]:
    """Neurons with a name, where the atlas has that name, and how much it is to be trusted."""
    balanced = np.exp(balance_scores(sight.score))
    names = assign_cells(sight.score)
    rows = np.flatnonzero(names >= 0)
    return rows, atlas.mean[names[rows]], balanced[rows, names[rows]] ** 2 + 1e-4


def _fix(score: Float[np.ndarray, "n k"], fixed: Mapping[int, int]) -> Float[np.ndarray, "n k"]:
    if not fixed:
        return score
    held = score.copy()
    held[:, list(fixed.values())] = -FIXED_LOG_ODDS
    for row, name in fixed.items():
        held[row] = -FIXED_LOG_ODDS
        held[row, name] = 0.0
    return held
