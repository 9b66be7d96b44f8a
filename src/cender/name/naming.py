"""Which cell each neuron of an animal is: poses tried, aligned with the atlas, judged as a whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.name.assign import assign_cells, balance_scores
from cender.name.atlas import Atlas, Similarity, fit_similarity
from cender.name.likelihood import measure_looks, measure_places
from cender.name.pose import list_poses

Score = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Positions ``p n 3`` and colours ``n f`` in; log-probabilities ``p n k`` and pose scores ``p`` out."""

ALIGNED = (16, 4, 2, 1)
"""Poses that are aligned with the atlas in each round: all first, because a pose far off may look bad before."""
PLACES, LOOKS = 0.3, 0.15
"""Weights of the atlas beside the network."""
SURE = 1e3
ANCHORS = 4
"""Names given by people from which on they alone decide about the pose."""


@dataclass(frozen=True, slots=True)
class Sight:
    """An animal in one pose: the way there, the names' scores, and how well all of it fits the atlas."""

    way: Similarity
    score: Float[np.ndarray, "n k"]
    fit: float


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
    looks = LOOKS * measure_looks(colour, atlas)
    if len(fixed) >= ANCHORS:
        rows = list(fixed)
        ways = [fit_similarity(position_um[rows], atlas.mean[[fixed[row] for row in rows]], mirror=mirrored)]
    else:
        ways = list_poses(position_um, mirrored)
    for count in (*ALIGNED, 0):
        places = np.stack([way.apply(position_um) for way in ways])
        names, upright = score(places, colour)
        sights = []
        for way, place, name, pose in zip(ways, places, names, upright, strict=True):
            total = _fix(name + PLACES * measure_places(place, atlas) + looks, fixed)
            sights.append(Sight(way, total, measure_fit(total, assign_cells(total)) + min(0.0, float(pose)) * 0.1))
        sights.sort(key=lambda sight: -sight.fit)
        if count:
            ways = [_align(position_um, sight, atlas) for sight in sights[:count]]
    return sights[0]


def measure_fit(score: Float[np.ndarray, "n k"], names: Int[np.ndarray, " n"]) -> float:
    """Mean score of the names given: higher means that the animal looks like the atlas."""
    rows = np.flatnonzero(names >= 0)
    return float(np.clip(score[rows, names[rows]], -12, None).mean()) if len(rows) else -np.inf


def _align(position_um: Float[np.ndarray, "n 3"], sight: Sight, atlas: Atlas) -> Similarity:
    """The way into the atlas by the names that the animal seems to have, sure ones counting most."""
    balanced = np.exp(balance_scores(sight.score))
    names = assign_cells(sight.score)
    rows = np.flatnonzero(names >= 0)
    weight = balanced[rows, names[rows]] ** 2 + 1e-4
    target = atlas.mean[names[rows]]
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


def _fix(score: Float[np.ndarray, "n k"], fixed: Mapping[int, int]) -> Float[np.ndarray, "n k"]:
    if not fixed:
        return score
    held = score.copy()
    held[:, list(fixed.values())] = -SURE
    for row, name in fixed.items():
        held[row] = -SURE
        held[row, name] = 0.0
    return held
