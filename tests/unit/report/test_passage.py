"""One neuron through the recording, and green where red has it."""

from pathlib import Path

import numpy as np

from cender.activity.align import bring_to_red
from cender.plots.report.passage import choose_visits
from cender.report.digest import digest_run
from cender.report.folder import read_folder
from cender.report.passage import cut_patch, gather_passage
from cender.report.traces import choose_shown


def test_patches_are_of_the_neuron_and_end_with_the_picture() -> None:
    image = np.arange(2 * 20 * 30, dtype=float).reshape(2, 20, 30)
    patch = cut_patch(image, np.array([1.2, 9.6, 14.0]), 2)
    assert (patch == image[1, 8:13, 12:17]).all()
    corner = cut_patch(image, np.array([9.0, 0.0, 29.0]), 2)
    assert np.isnan(corner[:2]).all()
    assert np.isnan(corner[:, 3:]).all()
    assert (corner[2:, :3] == image[1, :3, 27:]).all()


def test_green_is_brought_to_where_red_has_it() -> None:
    green = np.zeros((3, 40, 50), np.uint16)
    green[2, 14, 21] = 500
    # What red has at (10, 20) lies four rows lower and a column to the right in green, one frame later.
    moved = bring_to_red(green, {"red_to_green": [1.0, 0.0, 4.0, 0.0, 1.0, 1.0], "shift_z": 1})
    assert np.unravel_index(moved.argmax(), moved.shape)[1:] == (10, 20)
    assert moved[1, 10, 20] == 500
    np.testing.assert_array_equal(bring_to_red(green, {"red_to_green": "broken"}), green)
    np.testing.assert_array_equal(bring_to_red(green, None), green)


def test_volumes_are_spread_over_those_in_which_it_is_seen() -> None:
    assert choose_visits([], 4) == []
    assert choose_visits([3, 5], 4) == [3, 5]
    assert choose_visits(list(range(0, 100, 5)), 3) == [0, 50, 95]


def test_a_passage_has_both_channels_and_the_trace(made_run: Path) -> None:
    facts = read_folder(made_run)
    assert facts.traces is not None
    row = int(facts.traces.valid.sum(axis=1).argmax())
    passage = gather_passage(facts, digest_run(facts), choose_shown(facts.traces, {}), row)
    assert passage is not None
    assert passage.green is not None
    assert passage.red.shape == passage.green.shape
    assert len(passage.red) == len(passage.shown_s) == 10
    assert passage.title.startswith(facts.name(int(facts.traces.identity[row])))
