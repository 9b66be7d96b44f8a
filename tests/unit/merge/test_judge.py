"""Whether what was gathered is a neuron."""

from dataclasses import replace

import numpy as np
import pytest

from cases.merging import VOXEL_UM
from cender.merge import MergeParams, merge_regions
from cender.merge.depth import DepthBounds
from cender.merge.judge import NEURON_WEIGHTS, describe_neurons, keep_likely
from cender.types import Detections, Regions, VoxelSize

DEPTH = DepthBounds(0.8, 1.45, 1.08)


def make_detections(frames: dict[int, range], score: float = 0.9) -> Detections:
    """A column of boxes at every x, in these frames, with a centre in the middle of each."""
    rows = [(z, x) for x, column in frames.items() for z in column]
    box = np.array([[x - 4.0, 96.0, 9.0, 9.0] for _, x in rows])
    z = np.array([z for z, _ in rows])
    regions = replace(Regions.from_boxes(z, box, score=np.full(len(z), score)), intensity=np.full(len(z), 50.0))
    centre = np.array([[np.mean(column), 100.0, x] for x, column in frames.items()])
    return Detections(regions, centre, np.full(len(centre), 0.6))


def test_a_single_faint_frame_is_no_neuron_and_a_deep_one_is() -> None:
    found = make_detections({50: range(4, 5), 120: range(3, 6)}, score=0.65)
    assert len(merge_regions(found, VOXEL_UM, MergeParams(least_chance=0.0))) == 2
    kept = merge_regions(found, VOXEL_UM)
    assert kept.centre_px[:, 2].tolist() == [pytest.approx(120)]
    assert kept.regions.neuron.tolist() == [0, 0, 0]
    assert (kept.z_first[0], kept.z_last[0]) == (3, 5)


def test_scores_are_chances_that_grow_with_what_speaks_for_a_neuron() -> None:
    found = merge_regions(
        make_detections({50: range(4, 5), 120: range(4, 6), 190: range(3, 6)}), VOXEL_UM, MergeParams(least_chance=0)
    )
    assert (np.diff(found.score[np.argsort(found.centre_px[:, 2])]) > 0).all()
    assert ((found.score > 0) & (found.score < 1)).all()
    surer = merge_regions(make_detections({50: range(4, 6)}, score=0.99), VOXEL_UM)
    assert surer.score[0] > merge_regions(make_detections({50: range(4, 6)}, score=0.85), VOXEL_UM).score[0]


def test_depth_counts_in_micrometres_not_in_frames() -> None:
    neurons = merge_regions(make_detections({50: range(3, 6)}), VOXEL_UM, MergeParams(least_chance=0))
    whole = np.ones(1, bool)
    usual = describe_neurons(neurons, whole, DEPTH, VOXEL_UM)
    finer = describe_neurons(neurons, whole, DEPTH, VoxelSize(0.75, 0.3, 0.3))
    assert usual.shape == (1, len(NEURON_WEIGHTS))
    assert usual[0, 5] - finer[0, 5] == pytest.approx(np.log(2))


def test_no_neuron_at_all() -> None:
    none = merge_regions(Detections.from_regions(Regions.empty()), VOXEL_UM)
    assert len(keep_likely(none, np.zeros(0))) == 0


def test_a_detector_may_bring_its_own_judge() -> None:
    found = make_detections({50: range(3, 6), 120: range(4, 5)})
    strict, lenient = (replace(found, judge=np.eye(len(NEURON_WEIGHTS))[0] * odds) for odds in (-3.0, 3.0))
    assert len(merge_regions(strict, VOXEL_UM)) == 0
    assert len(merge_regions(lenient, VOXEL_UM)) == 2
