"""Traces as a matrix, and what the page says about them: who varies, who follows the red channel."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from cender.types import Traces

FEWEST_VOLUMES = 10
"""Volumes in which a trace must be valid to be compared with others."""
SHIFTS = 8
"""Shifts in time that tell what correlation arises by chance."""


def widen_traces(frame: Any) -> Traces:
    """The rows of ``traces.parquet`` (one per identity and volume) as matrices, identities and volumes ascending."""
    identity, row = np.unique(frame["identity"].to_numpy(), return_inverse=True)
    volume, column = np.unique(frame["volume"].to_numpy(), return_inverse=True)
    shape = len(identity), len(volume)

    def widen(name: str) -> Float[np.ndarray, "k t"]:
        matrix = np.full(shape, np.nan)
        matrix[row, column] = np.asarray(frame[name].to_numpy(), float)
        return matrix

    time_s = np.full(len(volume), np.nan)
    time_s[column] = np.asarray(frame["time_s"].to_numpy(), float)
    valid = np.zeros(shape, bool)
    valid[row, column] = frame["valid"].to_numpy()
    smooth = [name for name in ("ratio_smooth", "dr_r0_smooth") if name in frame.columns]
    values = {name: widen(name) for name in ("red", "green", "ratio", "dr_r0", "probability", *smooth)}
    # Old tables may hold numbers where they say themselves that these are not valid.
    for name in ("ratio", "dr_r0", *smooth):
        values[name][~valid] = np.nan
    return Traces(identity, volume, time_s, valid=valid, **values)


class Shown(NamedTuple):
    """Traces as figures show them, the label of their axis, and a sentence for the caption: both say if smoothed."""

    traces: Traces
    label: str
    words: str


def choose_shown(traces: Traces, settings: Mapping[str, Any]) -> Shown:
    """The traces as figures show them: smoothed where that was asked for."""
    if traces.dr_r0_smooth is None:
        return Shown(traces, "ΔR/R0", "Every volume as measured, not smoothed over time.")
    smooth_s = settings.get("activity", {}).get("smooth_s")
    width = f" (sd {smooth_s:g} s)" if isinstance(smooth_s, int | float) else ""
    words = f"Smoothed over time{width}: the column dr_r0_smooth."
    return Shown(replace(traces, dr_r0=traces.dr_r0_smooth), "ΔR/R0, smoothed", words)


def choose_varying(traces: Traces, count: int) -> Int[np.ndarray, " c"]:
    """Rows of the traces that vary most, in units of their own noise, the most varying first.

    The change is the range between the 5th and the 95th percentile of ΔR/R0, the noise the median absolute step
    between neighbouring valid volumes; what is left counts as far as the trace is valid and its identity sure, so
    that a trace which jumps between two neurons does not come first. A trace with fewer than 10 valid volumes, or
    valid in less than half, waits behind all others.
    """
    score = np.array([_measure_variation(row) for row in traces.dr_r0]) if len(traces.identity) else np.zeros(0)
    sure = np.where(traces.valid, np.nan_to_num(traces.probability, nan=1.0), 0.0)
    score = score * sure.mean(axis=1) ** 2 if len(score) else score
    enough = traces.valid.sum(axis=1) >= max(FEWEST_VOLUMES, traces.valid.shape[1] / 2)
    order = np.lexsort((-score, ~enough))
    return np.asarray(order[np.isfinite(score[order])][:count])


def correlate_with_red(traces: Traces) -> tuple[Float[np.ndarray, " k"], float]:
    """Correlation of each ratio with its own red brightness, and how large it gets by chance.

    Slow trends (a straight line) are taken out of both. Chance is the 99th percentile of the absolute correlation
    when the red trace is shifted in time by a quarter of the recording or more: brightness and activity then keep
    their own rhythm but have nothing to do with each other. NaN with fewer than 10 valid volumes.
    """
    both = np.isfinite(traces.ratio) & np.isfinite(traces.red)
    ratio = np.array([_standardize(row, use) for row, use in zip(traces.ratio, both, strict=True)])
    red = np.array([_standardize(row, use) for row, use in zip(traces.red, both, strict=True)])
    if not len(ratio):
        return np.zeros(0), float("nan")
    usable = both.sum(axis=1) >= FEWEST_VOLUMES
    correlation = np.where(usable, (ratio * red).sum(axis=1), np.nan)
    length = ratio.shape[1]
    shifts = np.unique(np.linspace(length / 4, 3 * length / 4, SHIFTS).astype(int))
    by_chance = [(ratio * np.roll(red, shift, axis=1)).sum(axis=1)[usable] for shift in shifts if shift]
    chance = np.abs(np.concatenate(by_chance)) if by_chance else np.zeros(0)
    return correlation, float(np.percentile(chance, 99)) if len(chance) else float("nan")


def _measure_variation(values: Float[np.ndarray, " t"]) -> float:
    known = values[np.isfinite(values)]
    if len(known) < 3:
        return float("nan")
    low, high = np.percentile(known, (5, 95))
    return float((high - low) / (np.median(np.abs(np.diff(known))) + 0.02))


def _standardize(values: Float[np.ndarray, " t"], use: np.ndarray) -> Float[np.ndarray, " t"]:
    """Values without their straight trend, of length 1 and 0 where they are not used."""
    out = np.zeros(len(values))
    if use.sum() < 3:
        return out
    steps = np.flatnonzero(use).astype(float)
    design = np.stack([np.ones(len(steps)), steps - steps.mean()], axis=1)
    known = values[use]
    rest = known - design @ np.linalg.lstsq(design, known, rcond=None)[0]
    length = float(np.linalg.norm(rest))
    if length > 1e-9 * max(float(np.abs(known).max()), 1e-30):
        out[use] = rest / length
    return out
