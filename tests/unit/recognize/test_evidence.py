"""Brightness and size as evidence: by rank, and nothing where nothing is known."""

from dataclasses import replace

import numpy as np

from cender.recognize.evidence import measure_evidence
from cender.types import Annotation, Regions, VoxelSize


def make_volume(intensity: list[float], side: list[float]) -> Annotation:
    count = len(intensity)
    boxes = np.column_stack([np.zeros((count, 2)), side, side])
    regions = Regions(np.zeros(count, int), boxes, np.ones(count), np.arange(count), np.array(intensity, float))
    bare = Annotation.from_points(0, np.zeros((count, 3)))
    return replace(bare, regions=regions, voxel_um=VoxelSize(1.5, 0.3, 0.3))


def test_brighter_and_larger_neurons_rank_higher_whatever_the_gain() -> None:
    volume = make_volume([5, 1, 3], [2, 9, 4])
    evidence = measure_evidence(volume)
    assert evidence[:, 0].argsort().tolist() == [1, 2, 0]
    assert evidence[:, 1].argsort().tolist() == [0, 2, 1]
    np.testing.assert_array_equal(measure_evidence(make_volume([50, 10, 30], [2, 9, 4])), evidence)


def test_what_is_not_known_is_zero() -> None:
    assert (measure_evidence(Annotation.from_points(0, np.ones((4, 3)))) == 0).all()
    evidence = measure_evidence(make_volume([float("nan"), 1, 3], [2, 9, 4]))
    assert evidence[0, 0] == 0
    assert evidence[2, 0] > evidence[1, 0]
