"""What must hold for every merging."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cases.merging import VOXEL_UM
from cender.merge import MergeParams, merge_regions
from cender.types import Detections, Neurons, Regions

METHODS = st.sampled_from([MergeParams(), MergeParams(method="paper")])


@st.composite
def crowds(draw: st.DrawFn, centres: bool = False) -> Detections:
    """Up to fifty boxes in eight frames, crowded enough to compete, some with centres."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(0, 50))
    size = rng.uniform(5, 14, (count, 2))
    boxes = np.column_stack([rng.uniform(0, 40, (count, 2)), size])
    regions = Regions(
        rng.integers(0, 8, count), boxes, rng.uniform(0.3, 1, count), np.full(count, -1), rng.gamma(2.0, 20.0, count)
    )
    if not centres:
        return Detections.from_regions(regions)
    marks = draw(st.integers(1, 12))
    return Detections(regions, rng.uniform(0, 1, (marks, 3)) * [7, 45, 45], rng.uniform(0.3, 1, marks))


BOTH = st.one_of(crowds(), crowds(centres=True))


def describe(neurons: Neurons) -> list[list[float]]:
    regions = neurons.regions
    return np.column_stack([regions.neuron, regions.z, regions.box_px, regions.score]).tolist()


@given(BOTH, METHODS)
def test_neurons_are_what_the_contract_says(detections: Detections, params: MergeParams) -> None:
    neurons = merge_regions(detections, VOXEL_UM, params)
    given_boxes = np.column_stack([detections.regions.z, detections.regions.box_px]).tolist()
    found = np.column_stack([neurons.regions.z, neurons.regions.box_px]).tolist()
    assert len(set(map(tuple, found))) == len(found), "no region in two neurons"
    assert set(map(tuple, found)) <= set(map(tuple, given_boxes))
    for row in range(len(neurons)):
        frames = neurons.regions.z[neurons.regions.neuron == row]
        assert frames.tolist() == list(range(neurons.z_first[row], neurons.z_last[row] + 1))
        assert neurons.z_first[row] <= neurons.centre_px[row, 0] + 1e-9
        assert neurons.centre_px[row, 0] <= neurons.z_last[row] + 1e-9


@given(BOTH, METHODS, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(detections: Detections, params: MergeParams, random) -> None:
    rows, marks = list(range(len(detections.regions))), list(range(len(detections.centre_px)))
    random.shuffle(rows)
    random.shuffle(marks)
    shuffled = Detections(
        detections.regions.select(np.array(rows, int)),
        detections.centre_px[np.array(marks, int)],
        detections.centre_score[np.array(marks, int)],
    )
    one, two = merge_regions(detections, VOXEL_UM, params), merge_regions(shuffled, VOXEL_UM, params)
    assert describe(one) == describe(two)
    assert one.centre_px.tolist() == two.centre_px.tolist()
    assert one.score.tolist() == two.score.tolist()


@given(crowds(), METHODS)
def test_boxes_alone_give_every_region_a_neuron_and_twice_is_once(detections: Detections, params: MergeParams) -> None:
    once = merge_regions(detections, VOXEL_UM, params)
    assert len(once.regions) == len(detections.regions)
    twice = merge_regions(Detections.from_regions(once.regions), VOXEL_UM, params)
    assert describe(once) == describe(twice)


@given(crowds(), METHODS, st.floats(-100, 100))
def test_place_does_not_matter(detections: Detections, params: MergeParams, shift: float) -> None:
    moved = detections.regions.box_px + np.array([round(shift), -round(shift), 0, 0])
    there = Detections.from_regions(replace(detections.regions, box_px=moved))
    one, two = merge_regions(detections, VOXEL_UM, params), merge_regions(there, VOXEL_UM, params)
    assert one.regions.neuron.tolist() == two.regions.neuron.tolist()
