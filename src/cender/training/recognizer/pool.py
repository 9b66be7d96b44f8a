"""Postures between those that were annotated: one volume's neurons carried towards another's."""

from collections.abc import Sequence

import numpy as np

from cender.recognize.warp import carry_points, fit_affine, fit_warps
from cender.training.recognizer.clouds import Cloud

# Identities that two volumes must have in common to be carried from one to the other.
FEWEST = 8
# How far a neuron takes its neighbours along, in the frame of `recognize.frame`.
LENGTH = 0.25


def warp_clouds(clouds: Sequence[Cloud], none: int, count: int, rng: np.random.Generator) -> list[Cloud]:
    """New clouds, each one volume's neurons moved part of the way (or beyond) to where they lie in another."""
    made: list[Cloud] = []
    if len(clouds) < 2:
        return made
    for _ in range(count):
        first, second = rng.choice(len(clouds), 2, replace=False)
        moved = warp_cloud(clouds[first], clouds[second], none, float(rng.uniform(0.3, 1.2)))
        if moved is not None:
            made.append(moved)
    return made


def warp_cloud(cloud: Cloud, target: Cloud, none: int, share: float) -> Cloud | None:
    """The cloud moved by this share of the way to the target; None where they have too few identities in common."""
    common = np.intersect1d(cloud.label, target.label)
    common = common[(common >= 0) & (common < none)]
    if len(common) < FEWEST:
        return None
    here = cloud.position[[int(np.flatnonzero(cloud.label == label)[0]) for label in common]]
    there = target.position[[int(np.flatnonzero(target.label == label)[0]) for label in common]]
    used = np.ones((1, len(common)), bool)
    affine, _ = fit_affine(here[None], there[None], used)
    moved = carry_points(fit_warps(here[None], there, used, affine, length=LENGTH), cloud.position[None])
    return Cloud(cloud.position + share * (moved[0] - cloud.position), cloud.evidence, cloud.label)
