"""Whole merging: named cases, centres, and what a neuron is made of."""

from dataclasses import replace

import numpy as np
import pytest

from cases.merging import MERGE_CASES, VOXEL_UM, Column, MergeCase, stack
from cender.merge import MergeParams, merge_regions
from cender.types import Detections, Regions

PAPER = MergeParams(method="paper")


def group(regions: Regions) -> set[frozenset[tuple[float, ...]]]:
    """The neurons as sets of their boxes."""
    rows = np.column_stack([regions.z, regions.box_px])
    return {frozenset(map(tuple, rows[regions.neuron == n])) for n in np.unique(regions.neuron) if n >= 0}


@pytest.mark.parametrize("case", MERGE_CASES.values(), ids=MERGE_CASES)
def test_case_from_boxes(case: MergeCase) -> None:
    found = merge_regions(Detections.from_regions(case.regions), VOXEL_UM)
    assert group(found.regions) == group(case.regions)


@pytest.mark.parametrize("case", MERGE_CASES.values(), ids=MERGE_CASES)
def test_case_by_the_published_rule(case: MergeCase) -> None:
    found = merge_regions(Detections.from_regions(case.regions), VOXEL_UM, PAPER)
    assert (group(found.regions) != group(case.regions)) == case.paper_wrong


def mark_centres(regions: Regions) -> Detections:
    count = regions.neuron.max() + 1
    centre = np.array([regions.centre_px[regions.neuron == n].mean(axis=0) for n in range(count)])
    return Detections(regions, centre, np.linspace(0.5, 0.9, count))


@pytest.mark.parametrize("case", MERGE_CASES.values(), ids=MERGE_CASES)
def test_case_from_centres(case: MergeCase) -> None:
    found = merge_regions(mark_centres(case.regions), VOXEL_UM)
    assert group(found.regions) == group(case.regions)


@pytest.mark.parametrize("params", [MergeParams(), PAPER])
def test_empty_volume(params: MergeParams) -> None:
    assert len(merge_regions(Detections.from_regions(Regions.empty()), VOXEL_UM, params)) == 0
    centre = Detections(Regions.empty(), np.array([[3.0, 50.0, 50.0]]), np.array([0.9]))
    assert len(merge_regions(centre, VOXEL_UM, params)) == 0


def test_centres_separate_what_boxes_do_not() -> None:
    # One column without a valley, of six frames: boxes alone see one deep neuron, the detector saw two.
    regions = stack(Column(100, 2, (60,) * 6, size=14))
    regions = regions.select(regions.neuron == 0)
    alone = merge_regions(Detections.from_regions(regions), VOXEL_UM)
    assert len(alone) == 1
    centres = Detections(regions, np.array([[3.0, 106.5, 106.5], [6.0, 106.5, 106.5]]), np.array([0.9, 0.8]))
    both = merge_regions(centres, VOXEL_UM)
    assert both.z_first.tolist() == [2, 5]
    assert both.z_last.tolist() == [4, 7]
    assert ((both.score > 0.5) & (both.score < 1)).all()


def test_confident_chain_without_centre_is_a_neuron() -> None:
    regions = stack(Column(100, 2, (30, 60, 30)))
    detections = mark_centres(regions)
    without = replace(detections, centre_px=detections.centre_px[1:], centre_score=detections.centre_score[1:])
    assert len(merge_regions(without, VOXEL_UM)) == len(merge_regions(detections, VOXEL_UM))
    doubtful = replace(without, regions=replace(regions, score=np.where(regions.neuron == 0, 0.4, 1.0)))
    assert len(merge_regions(doubtful, VOXEL_UM)) == len(merge_regions(detections, VOXEL_UM)) - 1


def test_centre_without_region_is_dropped() -> None:
    detections = mark_centres(stack(Column(100, 2, (30, 60, 30))))
    lonely = replace(
        detections,
        centre_px=np.concatenate([detections.centre_px, [[4.0, 300.0, 300.0]]]),
        centre_score=np.append(detections.centre_score, 0.99),
    )
    assert len(merge_regions(lonely, VOXEL_UM)) == len(merge_regions(detections, VOXEL_UM))


def test_region_beyond_a_missing_frame_is_not_another_neuron() -> None:
    regions = stack(Column(100, 2, (30, 60, 60, 60, 30)))
    detections = mark_centres(regions)
    broken = replace(detections, regions=regions.select(~((regions.neuron == 0) & (regions.z == 5))))
    found = merge_regions(broken, VOXEL_UM)
    assert len(found) == len(detections.centre_px)
    assert found.z_last[np.argmin(found.centre_px[:, 2])] == 4


def test_centre_is_weighted_by_intensity() -> None:
    regions = stack(Column(100, 2, (10, 90)))
    regions = regions.select(regions.neuron == 0)
    found = merge_regions(Detections.from_regions(regions), VOXEL_UM)
    assert found.centre_px[0] == pytest.approx([2.9, 104, 104])
    unmeasured = replace(regions, intensity=np.full(2, np.nan))
    assert merge_regions(Detections.from_regions(unmeasured), VOXEL_UM).centre_px[0, 0] == pytest.approx(2.5)
