"""The fixed pattern of a camera's columns and rows: a count or two that moving neurons would take for activity."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float32, Int, Real
from scipy.ndimage import median_filter

from cender.activity.profiles import Profiles

FEWEST_LINES, MOST_LINES = 24, 128
"""Rows, or columns, without neurons: with fewer no pattern is measured, more are not looked at."""
# Offsets that change slowly across the sensor belong to the background, which is measured by itself.
SLOW_PX = 31
# Two parts of the dark lines must agree on the pattern.
LEAST_AGREEMENT = 0.5


@dataclass(frozen=True, slots=True)
class CameraPattern:
    """Offset of every column, in the upper and in the lower half of the sensor, and of every row, in counts."""

    columns: Float32[np.ndarray, "2 x"]
    rows: Float32[np.ndarray, " y"]


def measure_pattern(image: Real[np.ndarray, "z y x"], profiles: Profiles) -> CameraPattern:
    """Offset of every column and row against those around it.

    sCMOS cameras read their halves by amplifiers of their own, one per column. The offsets of columns are taken from
    rows without neurons, those of rows from columns without neurons, over all frames; they are 0 where there are too
    few of them, or where two parts of them do not agree, so that nothing is taken off an image without a pattern.
    """
    top, left, height, width = profiles.window_px
    tall, wide = image.shape[1:]
    columns, rows = np.zeros((2, wide), np.float32), np.zeros(tall, np.float32)
    for half, (first, last) in enumerate(((0, tall // 2), (tall // 2, tall))):
        dark = _find_dark(top, top + height, first, last)
        if len(dark):
            columns[half, left : left + width] = _find_pattern(_average(image, dark, slice(left, left + width)))
    dark = _find_dark(left, left + width, 0, wide)
    if len(dark):
        rows[top : top + height] = _find_pattern(_average(image.transpose(0, 2, 1), dark, slice(top, top + height)))
    return CameraPattern(columns, rows)


def probe_pattern(pattern: CameraPattern, profiles: Profiles) -> Float[np.ndarray, " n"]:
    """What the pattern adds to the sum under every bell."""
    steps = np.arange(profiles.rows.shape[1])
    row = profiles.start_px[:, 0, None] + steps
    across = (profiles.columns * pattern.columns[:, profiles.start_px[:, 1, None] + steps]).sum(axis=2)
    lower = row >= len(pattern.rows) // 2
    along = np.where(lower, across[1][:, None], across[0][:, None])
    along = along + pattern.rows[row] * profiles.columns.sum(axis=1, keepdims=True)
    return np.asarray((profiles.rows * along).sum(axis=1), float)


def _find_dark(begin: int, end: int, first: int, last: int) -> Int[np.ndarray, " k"]:
    """Lines from ``first`` to ``last`` outside of ``begin`` to ``end``, thinned; none where they are too few."""
    dark = np.r_[first : max(min(begin, last), first), min(max(end, first), last) : last]
    return dark[:: -(-len(dark) // MOST_LINES)] if len(dark) >= FEWEST_LINES else np.zeros(0, int)


def _average(
    image: Real[np.ndarray, "z a b"], dark: Int[np.ndarray, " k"], wanted: slice
) -> Float32[np.ndarray, "k w"]:
    return np.asarray(image[:, dark, wanted].astype(np.float32).mean(axis=0))


def _find_pattern(light: Float32[np.ndarray, "k w"]) -> Float32[np.ndarray, " w"]:
    """The pattern across dark lines, 0 where two parts of them do not agree on it."""
    one, other = (_find_steps(part) for part in np.array_split(light, 2))
    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    agreeing = scale > 0 and float(one @ other) >= LEAST_AGREEMENT * scale
    return _find_steps(light) if agreeing else np.zeros(light.shape[1], np.float32)


def _find_steps(light: Float32[np.ndarray, "k w"]) -> Float32[np.ndarray, " w"]:
    level = np.median(light, axis=0)
    return np.asarray(level - median_filter(level, SLOW_PX, mode="nearest"), np.float32)
