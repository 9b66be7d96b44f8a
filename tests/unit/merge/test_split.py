"""Where chains are cut."""

import numpy as np
import pytest

from cases.merging import VOXEL_UM, Column, stack
from cender.merge.depth import DepthBounds
from cender.merge.link import link_drifting, link_regions
from cender.merge.split import split_at_minima, split_unlikely
from cender.types import Regions

DEPTH = DepthBounds(0.8, 1.45, 1.08)


def column(*intensity: float, step: float = 0.0, size: float = 9.0) -> Regions:
    regions = stack(Column(100, 0, intensity, size=size, shift=step))
    return regions.select(regions.neuron == 0)


def test_minimum_is_cut_and_stays_with_the_larger_overlap() -> None:
    regions = column(50, 20, 60)
    chain = link_regions(regions)
    assert chain.tolist() == [1, 2, -1]
    assert split_at_minima(regions, chain).tolist() == [1, -1, -1], "equal overlaps: the upper one"
    moved = regions.box_px.copy()
    moved[0, 0] += 3
    nearer = Regions(regions.z, moved, regions.score, regions.neuron, regions.intensity)
    assert split_at_minima(nearer, chain).tolist() == [-1, 2, -1]


@pytest.mark.parametrize("profile", [(20, 50, 30), (50, 20), (20, 60), (30, 30, 30), (10, 20, 30, 40)])
def test_profile_without_inner_minimum_is_left_alone(profile: tuple[float, ...]) -> None:
    regions = column(*profile)
    chain = link_regions(regions)
    assert split_at_minima(regions, chain).tolist() == chain.tolist()


def test_a_deep_chain_of_narrow_boxes_is_cut_and_one_of_wide_boxes_is_not() -> None:
    cuts = {}
    for size in (6.0, 14.0):
        regions = stack(Column(100, 0, (60, 90, 60, 50, 60, 90, 60), size=size))
        link, drift = link_drifting(regions)
        left = split_unlikely(regions, link, drift, DEPTH, VOXEL_UM, cut_above=-6.0)
        cuts[size] = int(((link >= 0) & (left < 0) & (regions.neuron == 0)).sum())
    assert cuts[14.0] == 0 < cuts[6.0]


def test_chains_of_three_neurons_are_cut_twice() -> None:
    regions = stack(
        Column(100, 0, (30, 60, 20)), Column(104, 3, (20, 60, 25), y=104), Column(100, 6, (20, 70, 20), y=101)
    )
    link, drift = link_drifting(regions)
    upper = np.flatnonzero(link >= 0)
    assert (regions.neuron[upper] != regions.neuron[link[upper]]).sum() == 2
    left = split_unlikely(regions, link, drift, DEPTH, VOXEL_UM)
    upper = np.flatnonzero(left >= 0)
    assert (regions.neuron[upper] == regions.neuron[left[upper]]).all()
    assert len(upper) == len(regions) - 11, "and nothing else is"
