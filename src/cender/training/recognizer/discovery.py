"""Identities that people did not give: a volume to begin with, and neurons that come back though it lacks them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial import cKDTree

from cender.errors import DataError
from cender.recognize.frame import place_points
from cender.recognize.references import gather_references
from cender.recognize.warp import carry_points, fit_affine, fit_warps
from cender.training.recognizer.clouds import Cloud
from cender.types import Annotation

REACH = 0.028
"""How near to each other, in the first volume's frame, sights of one neuron lie (2.4 µm)."""
LEAST_SHARE = 0.35
"""Share of the volumes in which a neuron has to come back to become an identity."""
FEWEST = 8
"""Neurons that a volume needs to be laid over another."""


def choose_start(recording: Sequence[Annotation]) -> Annotation:
    """The volume to number first: many neurons, in a posture as usual as possible; its rows are its identities."""
    usable = [one for one in recording if len(one) >= 2 and np.isfinite(one.centre_um).all()]
    if not usable:
        raise DataError("expected a volume with at least two neurons to begin with, found none in this recording")
    shapes = np.array([np.log(place_points(one.centre_um).std(axis=0) + 1e-6) for one in usable])
    unusual = np.abs(shapes - np.median(shapes, axis=0)).sum(axis=1)
    unusual /= np.median(unusual) + 1e-9
    count = np.array([len(one) for one in usable])
    # Far more neurons than usual are false ones.
    many = np.minimum(count / np.median(count), 1.15)
    calm = np.array([0.0 if one.flagged else 1.0 for one in usable])
    best = int(np.argmax(4 * many - 0.3 * unusual + calm))
    return replace(usable[best], identity=np.arange(len(usable[best])))


def find_identities(clouds: Sequence[Cloud], start: Float[np.ndarray, "i 3"], none: int) -> list[Int[np.ndarray, " _"]]:
    """Labels of the clouds with new classes, ``none + 1`` and up, for unidentified neurons that come back.

    Parameters
    ----------
    clouds
        Volumes with the classes known so far.
    start
        Where these lie in the first volume.
    """
    labels = [cloud.label.copy() for cloud in clouds]
    rows = [np.flatnonzero((cloud.label == none) | (cloud.label == -1)) for cloud in clouds]
    carried = [_carry_home(cloud, row, start, none) for cloud, row in zip(clouds, rows, strict=True)]
    where = np.concatenate([*carried, np.zeros((0, 3))])
    owner = np.repeat(np.arange(len(carried)), [len(part) for part in carried])
    place = np.concatenate([*(np.arange(len(part)) for part in carried), np.zeros(0, int)])
    free = np.isfinite(where).all(axis=1)
    number = none + 1
    while True:
        members = _find_densest(where, owner, free)
        if len(members) < max(LEAST_SHARE * len(clouds), 3):
            return labels
        for row in members:
            labels[owner[row]][rows[owner[row]][place[row]]] = number
        free[members] = False
        # What is left within reach is the same neuron seen twice, not another one.
        centre = where[members].mean(axis=0)
        free &= np.linalg.norm(where - centre, axis=1) > REACH
        number += 1


def _carry_home(
    cloud: Cloud, rows: Int[np.ndarray, " q"], start: Float[np.ndarray, "i 3"], none: int
) -> Float[np.ndarray, "q 3"]:
    """Where neurons of a volume lie in the first volume's frame; NaN where that cannot be told."""
    here = gather_references([0], [cloud.position], [cloud.label], none).position
    used = ~np.isnan(here[:, :, 0]) & ~np.isnan(start[None, :, 0])
    if used.sum() < FEWEST or not len(rows):
        return np.full((len(rows), 3), np.nan)
    source, target = np.where(used[..., None], here, 0.0), np.where(np.isnan(start), 0.0, start)
    affine, _ = fit_affine(source, target[None], used)
    return np.asarray(carry_points(fit_warps(source, target, used, affine), cloud.position[rows][None])[0])


def _find_densest(
    where: Float[np.ndarray, "q 3"], owner: Int[np.ndarray, " q"], free: np.ndarray
) -> Int[np.ndarray, " k"]:
    """Free points around the place where most volumes have one: the nearest of each volume."""
    index = np.flatnonzero(free)
    if not len(index):
        return index
    points = where[index]
    tree = cKDTree(points)
    crowd = tree.query_ball_point(points, REACH, return_length=True)
    centre = points[tree.query_ball_point(points[int(np.argmax(crowd))], REACH)].mean(axis=0)
    distance = np.linalg.norm(points - centre, axis=1)
    order = np.argsort(distance, kind="stable")
    order = order[distance[order] < REACH]
    _, first = np.unique(owner[index[order]], return_index=True)
    return np.asarray(index[order[np.sort(first)]])
