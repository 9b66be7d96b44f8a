"""Traces as matrices; who varies; whose ratio follows the red channel."""

import numpy as np
import polars as pl

from cender.plots.report.activity import order_by_clustering
from cender.report.traces import choose_varying, correlate_with_red, widen_traces
from cender.types import Traces


def make_traces(ratio: np.ndarray, red: np.ndarray | None = None, probability: float = 0.9) -> Traces:
    count, length = ratio.shape
    red = np.ones((count, length)) if red is None else red
    valid = np.isfinite(ratio)
    time_s = np.arange(length) / 5
    sure = np.full((count, length), probability)
    return Traces(np.arange(count), np.arange(length), time_s, red, ratio * red, ratio, ratio - 1, sure, valid)


def test_rows_become_a_matrix_with_holes() -> None:
    frame = pl.DataFrame(
        {
            "identity": [7, 2, 7],
            "volume": [3, 3, 1],
            "time_s": [0.6, 0.6, 0.2],
            "red": [1.0, 2.0, 3.0],
            "green": [1.0, None, 3.0],
            "ratio": [1.0, 2.0, 9.0],
            "dr_r0": [0.0, 0.1, 0.2],
            "probability": [0.9, None, 0.8],
            "valid": [True, True, False],
        }
    )
    traces = widen_traces(frame)
    assert traces.identity.tolist() == [2, 7]
    assert traces.volume.tolist() == [1, 3]
    assert traces.time_s.tolist() == [0.2, 0.6]
    np.testing.assert_array_equal(traces.red, [[np.nan, 2], [3, 1]])
    np.testing.assert_array_equal(traces.ratio, [[np.nan, 2], [np.nan, 1]])
    np.testing.assert_array_equal(traces.valid, [[False, True], [False, True]])


def test_varying_traces_come_first_and_sparse_ones_last() -> None:
    rng = np.random.default_rng(0)
    length = 200
    noise = 1 + 0.05 * rng.normal(size=(4, length))
    noise[2] += np.sin(np.arange(length) / 15)
    noise[3] += 2 * np.sin(np.arange(length) / 15)
    noise[3, 20:] = np.nan
    order = choose_varying(make_traces(noise), 4).tolist()
    assert order[0] == 2
    assert order[-1] == 3
    assert choose_varying(make_traces(noise), 2).tolist() == order[:2]


def test_traces_without_values_are_not_chosen() -> None:
    assert choose_varying(make_traces(np.full((2, 30), np.nan)), 2).tolist() == []


def test_ratio_that_follows_red_is_found_and_chance_is_not() -> None:
    rng = np.random.default_rng(1)
    smooth = np.array([np.convolve(row, np.ones(8) / 8, "same") for row in rng.normal(size=(20, 400))])
    red = 100 + 20 * smooth
    activity = np.array([np.convolve(row, np.ones(8) / 8, "same") for row in rng.normal(size=(20, 400))])
    ratio = 1 + 0.3 * activity
    clean, chance = correlate_with_red(make_traces(ratio, red))
    assert np.abs(clean).max() < 0.5
    assert 0.02 < chance < 0.5
    moved = ratio.copy()
    moved[4] = 1 + 0.3 * smooth[4] + 0.05 * activity[4]
    found, _ = correlate_with_red(make_traces(moved, red))
    assert found[4] > 0.9
    np.testing.assert_allclose(np.delete(found, 4), np.delete(clean, 4))


def test_a_common_trend_is_not_motion() -> None:
    rng = np.random.default_rng(2)
    fall = np.linspace(1, 0.5, 300)
    red = 100 * fall + rng.normal(0, 1, (1, 300))
    ratio = fall + rng.normal(0, 0.01, (1, 300))
    assert np.corrcoef(red[0], ratio[0])[0, 1] > 0.9
    found, _ = correlate_with_red(make_traces(ratio, red))
    assert abs(found[0]) < 0.3


def test_too_few_values_have_no_correlation() -> None:
    ratio = np.full((1, 30), np.nan)
    ratio[0, :5] = [1, 2, 3, 2, 1]
    found, chance = correlate_with_red(make_traces(ratio))
    assert np.isnan(found[0])
    assert np.isnan(chance)


def test_alike_traces_stand_together() -> None:
    rng = np.random.default_rng(3)
    groups = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    shapes = np.stack([np.sin(np.arange(100) / 9), np.cos(np.arange(100) / 5)])
    values = shapes[groups] + 0.1 * rng.normal(size=(8, 100))
    values[3, 10:20] = np.nan
    changes = int((np.diff(groups[order_by_clustering(values)]) != 0).sum())
    assert int((np.diff(groups) != 0).sum()) == 7
    assert changes == 1


def test_traces_without_change_come_last() -> None:
    values = np.stack([np.full(20, np.nan), np.sin(np.arange(20.0)), np.ones(20), np.cos(np.arange(20.0))])
    assert sorted(order_by_clustering(values)[:2].tolist()) == [1, 3]
    assert order_by_clustering(np.zeros((0, 5))).tolist() == []
