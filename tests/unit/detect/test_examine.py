"""A second look replaces what the heat says, and nothing else."""

import numpy as np

from cases.heats import draw_maps
from cender.detect.candidates import describe_candidates, find_candidates
from cender.detect.examine import ODDS, examine_candidates, list_facts
from cender.detect.surroundings import SAMPLES

STEP_UM = np.array([1.5, 0.3, 0.3])
IMAGE = np.zeros((7, 48, 64), np.uint8)
PEAKS = [(3, 8, 8, 4.0), (3, 8, 12, 1.0), (3, 18, 28, -2.0)]


def test_only_the_log_odds_change() -> None:
    maps = draw_maps(PEAKS)
    found = find_candidates(maps, STEP_UM)
    asked = []

    def examine(facts: np.ndarray, samples: np.ndarray) -> np.ndarray:
        asked.append((facts.shape, samples.shape))
        return np.array([5.0, -5.0, 0.0])

    plain = examine_candidates(maps, IMAGE, found, STEP_UM, 1, None)
    table = examine_candidates(maps, IMAGE, found, STEP_UM, 1, examine)
    np.testing.assert_array_equal(plain, describe_candidates(maps, found, STEP_UM))
    np.testing.assert_array_equal(np.delete(table, ODDS, axis=1), np.delete(plain, ODDS, axis=1))
    assert table[:, ODDS].tolist() == [5.0, -5.0, 0.0]
    assert asked == [((3, 28), (3, SAMPLES))]


def test_nobody_is_asked_where_there_is_nothing() -> None:
    maps = draw_maps([])
    assert len(examine_candidates(maps, IMAGE, find_candidates(maps, STEP_UM), STEP_UM, 1, lambda *_: np.zeros(1))) == 0


def test_facts_tell_noisy_volumes_neighbours_and_grids_apart() -> None:
    maps = draw_maps(PEAKS)
    found = find_candidates(maps, STEP_UM)
    table = describe_candidates(maps, found, STEP_UM)
    facts = list_facts(maps, found, table, STEP_UM, 1)
    weak = draw_maps([*PEAKS, (3, 20, 4, -2.0), (5, 4, 26, -2.2)])
    many = find_candidates(weak, STEP_UM)
    noisy = list_facts(weak, many, describe_candidates(weak, many, STEP_UM), STEP_UM, 1)
    assert noisy[0, 13] > facts[0, 13], "more weak candidates for each strong one"
    finer = list_facts(maps, found, table, STEP_UM / 2, 4)
    assert (finer[:, 15] < facts[:, 15]).all()
    assert (finer[:, 16] < facts[:, 16]).all()
    assert (finer[0, 18], facts[0, 18]) == (1.0, 0.0)
    highest, close = (int(np.flatnonzero(found.place[:, 2] == x)[0]) for x in (8, 12))
    assert facts[close, 19] < facts[highest, 19], "the next stronger one is nearer"
    assert np.isfinite(facts).all()
