"""The fixed pattern of a camera's columns: a count or two that moving neurons would otherwise take for activity."""

import numpy as np
from jaxtyping import Float, Float32, Real
from scipy.ndimage import median_filter

from cender.activity.profiles import Profiles

FEWEST_ROWS, MOST_ROWS = 24, 128
# Offsets that change slowly across the sensor belong to the background, which is measured by itself.
SLOW_PX = 31
# Two parts of a half of the sensor must agree on its pattern.
LEAST_AGREEMENT = 0.5


def measure_columns(image: Real[np.ndarray, "z y x"], profiles: Profiles) -> Float32[np.ndarray, "2 x"]:
    """Offset of every column against those around it, in the upper and in the lower half of the sensor.

    sCMOS cameras read their halves by amplifiers of their own, one per column. The offsets are taken from rows
    without neurons, over all frames; they are 0 where there are too few such rows, or where two parts of them do not
    agree, so that nothing is taken off an image whose columns have no pattern.
    """
    top, left, height, width = profiles.window_px
    rows, columns = image.shape[1:]
    pattern = np.zeros((2, columns), np.float32)
    middle = rows // 2
    for half, (first, last) in enumerate(((0, middle), (middle, rows))):
        dark = np.r_[first : max(min(top, last), first), min(max(top + height, first), last) : last]
        if len(dark) < FEWEST_ROWS:
            continue
        dark = dark[:: -(-len(dark) // MOST_ROWS)]
        light = image[:, dark, left : left + width].astype(np.float32).mean(axis=0)
        parts = [_find_steps(part) for part in np.array_split(light, 2)]
        if _agree(*parts) >= LEAST_AGREEMENT:
            pattern[half, left : left + width] = _find_steps(light)
    return pattern


def probe_columns(pattern: Float32[np.ndarray, "2 x"], profiles: Profiles, height_px: int) -> Float[np.ndarray, " n"]:
    """What the pattern of the columns adds to the sum under every bell, in an image of this height."""
    steps = np.arange(profiles.rows.shape[1])
    offset = pattern[:, profiles.start_px[:, 1, None] + steps]
    across = (profiles.columns * offset).sum(axis=2)
    lower = profiles.start_px[:, 0, None] + steps >= height_px // 2
    return np.asarray((profiles.rows * np.where(lower, across[1][:, None], across[0][:, None])).sum(axis=1), float)


def _find_steps(light: Float32[np.ndarray, "r w"]) -> Float32[np.ndarray, " w"]:
    level = np.median(light, axis=0)
    return np.asarray(level - median_filter(level, SLOW_PX, mode="nearest"), np.float32)


def _agree(one: Float32[np.ndarray, " w"], other: Float32[np.ndarray, " w"]) -> float:
    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / scale if scale > 0 else 0.0
