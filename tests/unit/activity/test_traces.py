"""Traces of identities."""

from dataclasses import replace

import numpy as np
import pytest

from cender.activity import Activity, ActivityParams, Sightings, compute_traces
from cender.errors import DataError

PLAIN = ActivityParams(smooth_s=0.0)
COUNT = 60
VOLUME = np.arange(COUNT) + 100
TIME = np.arange(COUNT) * 0.2


def make_sightings(identities: tuple[int, ...] = (3, 7), seed: int = 0) -> tuple[Sightings, np.ndarray]:
    """Two identities seen in every volume, with the flicker that both channels share; and their true ratio."""
    rng = np.random.default_rng(seed)
    ratio = 0.5 + 0.3 * np.sin(TIME[None] / 1.5 + np.arange(len(identities))[:, None])
    red = 100 * np.exp(rng.normal(0, 0.1, ratio.shape))
    rows = Sightings(
        np.tile(VOLUME, len(identities)),
        np.repeat(identities, COUNT),
        np.full(ratio.size, 0.9),
        red.ravel(),
        (red * ratio).ravel(),
    )
    return rows, ratio


def change(rows: Sightings, **columns: np.ndarray) -> Sightings:
    return replace(rows, **columns)


def trace(rows: Sightings, params: ActivityParams = PLAIN) -> Activity:
    return compute_traces(rows, VOLUME, TIME, params)


def test_ratio_and_its_change_relative_to_r0() -> None:
    rows, ratio = make_sightings()
    assert np.corrcoef(rows.green[:COUNT], ratio[0])[0, 1] < 0.99, "green alone has the flicker"
    traces = trace(rows).traces
    assert traces.identity.tolist() == [3, 7]
    assert traces.ratio == pytest.approx(ratio)
    base = np.percentile(ratio, 20, axis=1)[:, None]
    assert traces.dr_r0 == pytest.approx((ratio - base) / base)
    assert traces.valid.all()


def test_order_of_rows_and_neurons_without_identity_do_not_matter() -> None:
    rows, ratio = make_sightings()
    order = np.random.default_rng(1).permutation(len(rows.volume))
    mixed = Sightings(*(getattr(rows, name)[order] for name in Sightings.__slots__))
    nameless = Sightings(*(np.r_[getattr(mixed, name), getattr(mixed, name)[:5]] for name in Sightings.__slots__))
    nameless.identity[-5:] = -1
    assert trace(nameless).traces.ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("column", "value"),
    [("probability", 0.3), ("probability", np.nan), ("red", np.nan), ("green", np.nan), ("red", 2.0), ("red", -4.0)],
)
@pytest.mark.parametrize("smooth_s", [0.0, 0.6])
def test_what_is_unsure_is_nan_and_never_filled(column: str, value: float, smooth_s: float) -> None:
    rows, _ = make_sightings()
    values = getattr(rows, column).copy()
    values[10] = value
    traces = trace(change(rows, **{column: values}), ActivityParams(smooth_s=smooth_s)).traces
    assert not traces.valid[0, 10]
    assert np.isnan([traces.ratio[0, 10], traces.dr_r0[0, 10]]).all()
    if traces.ratio_smooth is not None:
        assert np.isnan(traces.ratio_smooth[0, 10])
    assert traces.valid.sum() == traces.valid.size - 1
    assert np.isfinite(traces.ratio[traces.valid]).all()


def test_volumes_without_a_sighting_stay_empty() -> None:
    rows, _ = make_sightings()
    kept = np.ones(len(rows.volume), bool)
    kept[20:40] = False
    traces = trace(Sightings(*(getattr(rows, name)[kept] for name in Sightings.__slots__)), ActivityParams()).traces
    for table in (traces.red, traces.green, traces.ratio, traces.dr_r0, traces.probability):
        assert np.isnan(table[0, 20:40]).all()
        assert np.isfinite(table[1]).all()
    assert not traces.valid[0, 20:40].any()


def test_an_unsure_volume_keeps_its_probability_and_takes_no_part_in_r0() -> None:
    rows, _ = make_sightings()
    probability, green = rows.probability.copy(), rows.green.copy()
    probability[:15], green[:15] = 0.1, 0.001
    before = trace(rows).traces
    after = trace(change(rows, probability=probability, green=green)).traces
    assert after.probability[0, :15].tolist() == [0.1] * 15
    base = np.percentile(before.ratio[0, 15:], 20)
    assert after.dr_r0[0, 20] == pytest.approx(before.ratio[0, 20] / base - 1)


def test_ratio_is_green_over_red_whatever_is_smoothed() -> None:
    rows, _ = make_sightings()
    plain, smooth = (trace(rows, ActivityParams(smooth_s=s)).traces for s in (0.0, 0.5))
    assert plain.ratio_smooth is None
    assert plain.dr_r0_smooth is None
    for traces in (plain, smooth):
        np.testing.assert_allclose(traces.ratio, traces.green / traces.red)
    assert np.abs(np.diff(smooth.ratio_smooth)).mean() < np.abs(np.diff(smooth.ratio)).mean()
    assert not np.allclose(smooth.dr_r0_smooth, smooth.dr_r0)
    assert ActivityParams().smooth_s == 0


def test_smoothing_lowers_noise_and_uses_valid_volumes_only() -> None:
    rows, ratio = make_sightings()
    noise = np.random.default_rng(2).normal(0, 6, len(rows.green))
    noisy = change(rows, green=rows.green + noise)
    chosen = ActivityParams(smooth_s=0.4)
    traces = trace(noisy, chosen).traces
    assert np.std(traces.ratio_smooth - ratio) < 0.6 * np.std(traces.ratio - ratio)
    probability, green = noisy.probability.copy(), noisy.green.copy()
    probability[30], green[30] = 0.0, 1e6
    spoilt = trace(change(noisy, probability=probability, green=green), chosen).traces.ratio_smooth
    assert np.nanmax(np.abs(spoilt - traces.ratio_smooth)) < 0.2


def test_bleaching_is_taken_off_both_channels() -> None:
    time = np.arange(COUNT) * 5.0
    rows, ratio = make_sightings(tuple(range(12)))
    ratio = np.repeat(np.linspace(0.4, 1.0, 12)[:, None], COUNT, axis=1)
    left_red, left_green = np.exp(-time / 700), np.exp(-time / 250)
    red = rows.red.reshape(12, COUNT) * left_red
    green = rows.red.reshape(12, COUNT) * ratio * left_green
    bleached = change(rows, red=red.ravel(), green=green.ravel())
    found, off = (compute_traces(bleached, VOLUME, time, replace_params(b)) for b in ("auto", "none"))
    assert (found.bleaching_red.model, found.bleaching_green.model) == ("mono", "mono")
    assert off.traces.ratio[0, -1] < 0.6 * off.traces.ratio[0, 0]
    assert found.traces.ratio == pytest.approx(ratio, rel=0.06)
    assert any("turned off" in note for note in off.notes)


def replace_params(bleaching: str) -> ActivityParams:
    return ActivityParams.model_validate({"smooth_s": 0.0, "bleaching": bleaching})


@pytest.mark.parametrize("missing", ["green", "red"])
def test_one_channel_gives_what_it_can(missing: str) -> None:
    rows, _ = make_sightings()
    found = trace(change(rows, **{missing: np.full(len(rows.red), np.nan)}))
    assert np.isnan(found.traces.ratio).all()
    assert not found.traces.valid.any()
    there = found.traces.red if missing == "green" else found.traces.green
    assert np.isfinite(there).all()


def test_nothing_is_said_of_bleaching_in_a_single_volume() -> None:
    rows, _ = make_sightings()
    times = np.full(COUNT, np.nan)
    assert any("bleaching" in note for note in compute_traces(rows, VOLUME, times, ActivityParams()).notes)
    first = rows.volume == VOLUME[0]
    one = Sightings(*(getattr(rows, name)[first] for name in ("volume", "identity", "probability", "red", "green")))
    assert compute_traces(one, VOLUME[:1], times[:1], ActivityParams()).notes == ()


def test_times_that_are_unknown() -> None:
    rows, ratio = make_sightings()
    found = compute_traces(rows, VOLUME, np.full(COUNT, np.nan), ActivityParams())
    assert found.traces.ratio == pytest.approx(ratio)
    assert any("does not say its times" in note for note in found.notes)


def test_no_positive_r0_is_said() -> None:
    rows, _ = make_sightings()
    green = rows.green.copy()
    green[:COUNT] *= -1
    found = trace(change(rows, green=green))
    assert np.isnan(found.traces.dr_r0[0]).all()
    assert np.isfinite(found.traces.dr_r0[1]).all()
    assert any("for 1 identity: R0 is not positive" in note for note in found.notes)


def test_nothing_recognized() -> None:
    rows, _ = make_sightings()
    found = trace(change(rows, identity=np.full(len(rows.identity), -1)))
    assert found.traces.ratio.shape == (0, COUNT)
    assert any("no identity" in note for note in found.notes)


def test_tables_that_contradict_themselves_are_refused() -> None:
    rows, _ = make_sightings()
    with pytest.raises(DataError, match="identity 3 is there twice in volume 100"):
        trace(change(rows, identity=np.full(len(rows.identity), 3)))
    with pytest.raises(DataError, match="volume 159 has neurons"):
        compute_traces(rows, VOLUME[:-1], TIME[:-1], PLAIN)
    with pytest.raises(DataError, match="ascending"):
        compute_traces(rows, VOLUME[::-1], TIME, PLAIN)
