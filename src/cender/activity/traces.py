"""From intensities by identity and volume to the activity of every identity through time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.ndimage import convolve1d

from cender.activity.bleaching import Bleaching, fit_bleaching
from cender.activity.params import ActivityParams
from cender.errors import DataError
from cender.types import Traces
from cender.types.words import say_count

R0_PERCENTILE = 20
"""R0 is this percentile of an identity's valid ratio."""


@dataclass(frozen=True, slots=True)
class Sightings:
    """Neurons of a whole recording, one row per neuron and volume, as in ``neurons.parquet``; NaN for empty cells."""

    volume: Int[np.ndarray, " n"]
    identity: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    red: Float[np.ndarray, " n"]
    green: Float[np.ndarray, " n"]


@dataclass(frozen=True, slots=True)
class Activity:
    """Traces, the bleaching that was taken off them, and notes on what could not be given and why."""

    traces: Traces
    bleaching_red: Bleaching
    bleaching_green: Bleaching
    notes: tuple[str, ...] = ()


def compute_traces(
    sightings: Sightings, volume: Int[np.ndarray, " t"], time_s: Float[np.ndarray, " t"], params: ActivityParams
) -> Activity:
    """Activity of every identity: R, green over red after bleaching, and its change relative to R0.

    A volume is valid for an identity if it was seen there, surely enough, in both channels, unsaturated and not much
    dimmer than usual. Elsewhere the ratio is NaN; nothing is filled in. R is green over red of that volume alone. With
    ``smooth_s`` the smoothed ratio is added: that of red and green averaged over the valid volumes around.

    Parameters
    ----------
    sightings
        Every neuron; those without an identity are left out.
    volume, time_s
        The volumes that become columns, ascending. Where no time is known, volumes count as seconds and nothing is
        smoothed.
    params
        Settings of the stage.
    """
    recognized = sightings.identity >= 0
    identity, row = np.unique(sightings.identity[recognized], return_inverse=True)
    column = _find_columns(sightings.volume[recognized], volume)
    _refuse_doubles(identity, row, column, volume)
    shape = (len(identity), len(volume))
    probability, red, green = (
        _spread(values[recognized], row, column, shape)
        for values in (sightings.probability, sightings.red, sightings.green)
    )
    sure = probability >= params.least_probability
    red, green = np.where(sure, red, np.nan), np.where(sure, green, np.nan)
    timed = bool(np.isfinite(time_s).all())
    clock = time_s if timed else volume.astype(float)
    fits = [_fit(light, clock, params) for light in (red, green)]
    valid = _find_valid(red, green, params.faintest)
    parts = [light / fit.left_at(clock) for light, fit in zip((red, green), fits, strict=True)]
    ratio = _divide(parts[1], parts[0], valid)
    smooth = _smooth_ratio(parts, valid, clock, params.smooth_s) if timed and params.smooth_s else None
    change = None if smooth is None else _relate(smooth)
    known = valid & np.isfinite(ratio)
    traces = Traces(identity, volume, time_s, red, green, ratio, _relate(ratio), probability, known, smooth, change)
    unsmoothed = bool(params.smooth_s) and not timed
    return Activity(traces, fits[0], fits[1], _describe(traces, fits, timed, unsmoothed))


def _find_columns(of: Int[np.ndarray, " n"], volume: Int[np.ndarray, " t"]) -> Int[np.ndarray, " n"]:
    if len(volume) > 1 and not (np.diff(volume) > 0).all():
        raise DataError("the volumes of the traces must be ascending and each there once")
    column = np.searchsorted(volume, of)
    lost = (column >= len(volume)) | (volume[np.minimum(column, max(len(volume) - 1, 0))] != of) if len(of) else of > 0
    if lost.any():
        raise DataError(f"volume {int(of[lost][0])} has neurons but is not among the {len(volume)} volumes of the run")
    return np.asarray(column)


def _refuse_doubles(
    identity: Int[np.ndarray, " k"], row: Int[np.ndarray, " n"], column: Int[np.ndarray, " n"], volume: np.ndarray
) -> None:
    cell, count = np.unique(row * max(len(volume), 1) + column, return_counts=True)
    if (count > 1).any():
        first = int(cell[count > 1][0])
        who, when = identity[first // len(volume)], volume[first % len(volume)]
        raise DataError(f"identity {who} is there twice in volume {when}; a neuron has one place, remove one of them")


def _spread(
    values: Float[np.ndarray, " n"], row: np.ndarray, column: np.ndarray, shape: tuple[int, int]
) -> Float[np.ndarray, "k t"]:
    table = np.full(shape, np.nan)
    table[row, column] = values
    return table


def _fit(light: Float[np.ndarray, "k t"], clock: Float[np.ndarray, " t"], params: ActivityParams) -> Bleaching:
    if params.bleaching == "none":
        return Bleaching.absent("turned off in the settings")
    if not np.isfinite(light).any():
        return Bleaching.absent("the channel was not measured")
    return fit_bleaching(light, clock)


def _find_valid(
    red: Float[np.ndarray, "k t"], green: Float[np.ndarray, "k t"], faintest: float
) -> Bool[np.ndarray, "k t"]:
    known = np.isfinite(red) & np.isfinite(green)
    usual = np.full(len(red), np.inf)
    some = known.any(axis=1)
    usual[some] = np.nanmedian(np.where(known, red, np.nan)[some], axis=1)
    return np.asarray(known & (red > 0) & (np.nan_to_num(red) >= faintest * usual[:, None]))


def _divide(
    green: Float[np.ndarray, "k t"], red: Float[np.ndarray, "k t"], valid: Bool[np.ndarray, "k t"]
) -> Float[np.ndarray, "k t"]:
    use = valid & (np.nan_to_num(red) > 0)
    return np.asarray(np.divide(green, red, out=np.full(red.shape, np.nan), where=use))


def _smooth_ratio(
    parts: Sequence[Float[np.ndarray, "k t"]],
    valid: Bool[np.ndarray, "k t"],
    clock: Float[np.ndarray, " t"],
    smooth_s: float,
) -> Float[np.ndarray, "k t"]:
    step_s = float(np.median(np.diff(clock))) if len(clock) > 1 else np.inf
    kernel = _make_kernel(smooth_s / step_s if step_s > 0 else 0.0)
    red, green = (_average(light, valid, kernel) for light in parts)
    return _divide(green, red, valid)


def _make_kernel(sd_volumes: float) -> Float[np.ndarray, " w"]:
    reach = int(np.ceil(3 * sd_volumes))
    if reach == 0:
        return np.ones(1)
    return np.exp(-0.5 * (np.arange(-reach, reach + 1) / sd_volumes) ** 2)


def _average(
    light: Float[np.ndarray, "k t"], valid: Bool[np.ndarray, "k t"], kernel: Float[np.ndarray, " w"]
) -> Float[np.ndarray, "k t"]:
    """Sum over the valid volumes around each; the common weights cancel in a ratio of two such sums."""
    return np.asarray(convolve1d(np.where(valid, light, 0.0), kernel, axis=1, mode="constant"))


def _relate(ratio: Float[np.ndarray, "k t"]) -> Float[np.ndarray, "k t"]:
    """Change relative to R0, the 20th percentile of the valid ratio; NaN where R0 is not positive."""
    base = np.full(len(ratio), np.nan)
    some = np.isfinite(ratio).any(axis=1)
    base[some] = np.nanpercentile(ratio[some], R0_PERCENTILE, axis=1)
    base[~(base > 0)] = np.nan
    return np.asarray((ratio - base[:, None]) / base[:, None])


def _describe(traces: Traces, fits: list[Bleaching], timed: bool, unsmoothed: bool) -> tuple[str, ...]:
    notes = []
    has_red, has_green = np.isfinite(traces.red).any(), np.isfinite(traces.green).any()
    if not len(traces.identity):
        notes.append("no identity was recognized: there are no traces")
    elif not has_green and not has_red:
        notes.append("neither channel was measured: there is no ratio and no activity")
    if len(traces.volume) < 2:
        return tuple(notes)
    if not timed:
        smoothed = "nothing was smoothed, and " if unsmoothed else ""
        notes.append(f"the recording does not say its times: {smoothed}bleaching counts volumes")
    for name, fit, there in (("red", fits[0], has_red), ("green", fits[1], has_green)):
        if there and fit.model == "none":
            notes.append(f"bleaching of {name} was not corrected: {fit.reason}")
    if has_red and has_green:
        dark = int((np.isfinite(traces.ratio).any(axis=1) & ~np.isfinite(traces.dr_r0).any(axis=1)).sum())
        if dark:
            notes.append(f"no dR/R0 is given for {say_count(dark, 'identity')}: R0 is not positive in green")
    return tuple(notes)
