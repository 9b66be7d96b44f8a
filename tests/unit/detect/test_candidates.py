"""Candidates: which peaks are looked at, and how they are judged."""

import numpy as np
import pytest

from cases.heats import draw_maps
from cender.detect.candidates import (
    COLUMNS,
    LOWEST,
    PLAIN_JUDGE,
    describe_candidates,
    find_candidates,
    judge_candidates,
)
from cender.detect.decode import decode_regions
from cender.detect.dense import OWN_WIDTHS, add_boxes

STEP_UM = np.array([1.5, 0.3, 0.3])


def test_faint_peaks_are_looked_at_and_noise_is_not() -> None:
    found = find_candidates(draw_maps([(3, 8, 8, 3.0), (3, 8, 20, -2.0), (3, 18, 8, -4.0)]), STEP_UM)
    assert found.place.tolist() == [[3, 8, 8], [3, 8, 20]]
    assert (found.score >= LOWEST).all()


def test_without_a_judge_heat_is_taken_at_its_word() -> None:
    maps = draw_maps([(3, 8, 8, 3.0), (3, 8, 20, -2.0)])
    found = find_candidates(maps, STEP_UM)
    table = describe_candidates(maps, found, STEP_UM)
    np.testing.assert_allclose(judge_candidates(table, PLAIN_JUDGE), found.score, atol=1e-6)


def test_what_stands_beside_a_higher_peak_is_described_by_it() -> None:
    maps = draw_maps([(3, 8, 8, 4.0), (3, 8, 12, 1.0), (3, 18, 28, 1.0)])
    found = find_candidates(maps, STEP_UM)
    table = describe_candidates(maps, found, STEP_UM)
    assert table.shape == (3, COLUMNS)
    highest, close, alone = (int(np.flatnonzero(found.place[:, 2] == x)[0]) for x in (8, 12, 28))
    # Nearer, with a shallower valley, in more company, beside a surer one.
    assert table[close, 5] < table[alone, 5]
    assert table[[close, alone], 10].tolist() == [1, 0]
    assert table[close, 9] > table[alone, 9]
    assert table[highest, 5] == pytest.approx(0.6)


def test_nothing_is_found_where_there_is_nothing() -> None:
    maps = draw_maps([])
    found = find_candidates(maps, STEP_UM)
    assert len(found.score) == 0
    assert describe_candidates(maps, found, STEP_UM).shape == (0, COLUMNS)


def test_of_two_neurons_that_share_a_region_both_get_one() -> None:
    maps = draw_maps([(3, 8, 8, 4.0), (3, 8, 11, 1.0)], [(3, 8, 8, 4.0), (3, 18, 24, 4.0)])
    found = find_candidates(maps, STEP_UM)
    known = decode_regions(maps, 0.6)
    frame, box, _ = add_boxes(draw_maps([], [(3, 8, 11, 2.0), (3, 8, 8, 4.0)]), found.centre, known)
    middle = box[:, :2] + (box[:, 2:] - 1) / 2
    assert len(frame) > len(known[0])
    for z, y, x in found.centre:
        near = np.linalg.norm(middle - (x, y), axis=1) / np.sqrt(box[:, 2] * box[:, 3])
        assert (near[frame == round(z)] < OWN_WIDTHS).any()
    np.testing.assert_array_equal(box[: len(known[0])], known[1])
