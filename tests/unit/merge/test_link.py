"""Links between true neighbours only, with weak overlaps out of the way."""

import numpy as np

from cender.merge.link import link_regions, measure_drift, number_chains
from cender.types import Regions


def make(rows: list[tuple[int, float, float, float]]) -> Regions:
    table = np.array(rows, float)
    boxes = np.column_stack([table[:, 1], np.zeros(len(rows)), table[:, 2], table[:, 3]])
    return Regions.from_boxes(table[:, 0].astype(int), boxes)


def test_frames_must_be_neighbours() -> None:
    assert link_regions(make([(3, 0, 9, 9), (4, 0, 9, 9)])).tolist() == [1, -1]
    assert link_regions(make([(3, 0, 9, 9), (5, 0, 9, 9)])).tolist() == [-1, -1]


def test_weak_overlaps_do_not_displace_a_good_one() -> None:
    # Rows 0 and 2 overlap by 0.06. The slivers 0-3 and 1-2 sum up to 0.08 and would win together.
    regions = make([(0, 0, 10, 10), (0, 17.9, 10, 10), (1, 8.85, 10, 10), (1, -9.25, 10, 10)])
    assert link_regions(regions, 0.0).tolist() == [3, 2, -1, -1]
    assert link_regions(regions, 0.05).tolist() == [2, -1, -1, -1]


def test_the_sum_of_overlaps_is_largest() -> None:
    # Greedy would take 0-2 (its best) and leave 1 without a partner.
    regions = make([(0, 0, 10, 10), (0, 4, 10, 10), (1, 2, 10, 10), (1, -4, 10, 10)])
    assert link_regions(regions).tolist() == [3, 2, -1, -1]


def test_drift_is_the_median_shift() -> None:
    rows = [(z, 40.0 * k + 3 * z, 10.0, 10.0) for z in (0, 1) for k in range(5)]
    regions = make(rows)
    drift = measure_drift(regions, link_regions(regions))
    assert drift[:5].tolist() == [[0.0, 3.0]] * 5
    assert drift[5:].tolist() == [[0.0, 0.0]] * 5, "nothing follows the last frame"


def test_chains_are_numbered_from_their_first_regions() -> None:
    assert number_chains(np.array([3, 2, -1, 4, -1])).tolist() == [0, 1, 1, 0, 0]
    assert number_chains(np.zeros(0, int)).tolist() == []
