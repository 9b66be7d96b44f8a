"""The light between neurons: smooth in space, seen where no neuron is."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32, Real
from scipy.ndimage import map_coordinates

from cender.activity.profiles import END_SD, Places, Profiles

COARSE_PX = 6
"""Pixels that are averaged into one before the background is smoothed."""
# How fast a cell of the grid stops counting as background with the share of a neuron in it.
OCCUPIED = 8.0
OUTLIER_SD = 3.0
"""Standard deviations from the smooth background beyond which a coarse pixel is left out of it."""
# Out-of-focus light reaches over several frames.
ALONG_Z = (0.25, 0.5, 0.25)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One channel around its neurons on a coarse grid ``y x z``: mean counts, and how far each cell is background.

    ``rows`` and ``columns`` are the bells of the neurons on that grid, in their ``places``; ``spread`` is ``weight``
    averaged as the background is.
    """

    cells: Float32[np.ndarray, "h w f"]
    weight: Float32[np.ndarray, "h w f"]
    spread: Float32[np.ndarray, "h w f"]
    rows: Float32[np.ndarray, "f k h"]
    columns: Float32[np.ndarray, "f k w"]
    places: Places
    sigma: float


def take_surroundings(
    image: Real[np.ndarray, "z y x"],
    profiles: Profiles,
    places: Places,
    width_px: float,
    pattern: Float32[np.ndarray, "y x"] | None = None,
) -> Surroundings:
    """The coarse grid around the neurons of one channel, without the camera's pattern.

    ``width_px`` is the sd over which background is averaged.
    """
    top, left, rows, columns = profiles.window_px
    tall, wide = max(rows // COARSE_PX, 1), max(columns // COARSE_PX, 1)
    used_rows, used_columns = min(tall * COARSE_PX, rows), min(wide * COARSE_PX, columns)
    across = places.spread(_shrink_bells(profiles, 0, tall, used_rows // tall))
    along = places.spread(_shrink_bells(profiles, 1, wide, used_columns // wide))
    frames = places.shape[0]
    inside = (slice(top, top + used_rows), slice(left, left + used_columns))
    cells = np.empty((tall, wide, frames), np.float32)
    for frame in range(frames):
        part = image[places.first + frame][inside]
        part = part if part.dtype in (np.uint16, np.float32) else part.astype(np.float32)
        cells[:, :, frame] = cv2.resize(part, (wide, tall), interpolation=cv2.INTER_AREA)
    if pattern is not None:
        cells -= cv2.resize(pattern[inside], (wide, tall), interpolation=cv2.INTER_AREA)[:, :, None]
    occupied = _draw(across, along)
    weight = 1 / (1 + (OCCUPIED * occupied) ** 2)
    sigma = max(width_px / COARSE_PX, 0.5)
    return Surroundings(cells, weight, _smooth(weight, sigma), across, along, places, sigma)


def estimate_background(
    around: Surroundings, profiles: Profiles, height: Float[np.ndarray, " n"] | None
) -> Float[np.ndarray, " n"]:
    """Background under every bell, camera offset included.

    What the bells explain is taken off where their heights are known; cells count the less the more of a neuron is
    in them, and stray bright or dark ones are pulled in.
    """
    rest = around.cells
    if height is not None:
        rest = rest - _draw(around.rows * around.places.spread(height.astype(np.float32))[:, :, None], around.columns)
    level = np.float32(np.median(rest[::3, ::3]))
    smooth = _average(rest - level, around) + level
    if height is not None:
        stray = rest - smooth
        limit = np.float32(OUTLIER_SD * 1.4826 * np.median(np.abs(stray[::3, ::3])))
        smooth = smooth + _average(np.clip(stray, -limit, limit), around)
    place = (profiles.centre_px - np.array(profiles.window_px[:2]) + 0.5) / COARSE_PX - 0.5
    where = np.concatenate([place.T, around.places.frame[None].astype(float)])
    return np.asarray(map_coordinates(smooth, where, order=1, mode="nearest")).astype(float)


def _draw(rows: Float32[np.ndarray, "f k h"], columns: Float32[np.ndarray, "f k w"]) -> Float32[np.ndarray, "h w f"]:
    """The sum of all bells on the grid."""
    return np.ascontiguousarray(np.matmul(rows.transpose(0, 2, 1), columns).transpose(1, 2, 0))


def _shrink_bells(profiles: Profiles, axis: int, cells: int, step: int) -> Float32[np.ndarray, "n c"]:
    """Mean of every bell in the cells of the grid along one axis, each ``step`` pixels long."""
    centre = profiles.centre_px[:, axis] - profiles.window_px[axis]
    sd = profiles.sd_px[:, axis]
    reach = min(int(np.ceil(END_SD * sd.max() / step)), cells)
    cell = np.rint(centre / step).astype(int)[:, None] + np.arange(-reach - 1, reach + 1)
    pixel = (cell[:, :, None] * step + np.arange(step)).astype(np.float32)
    offset = (pixel - centre[:, None, None].astype(np.float32)) / sd[:, None, None].astype(np.float32)
    mean = np.exp(np.float32(-0.5) * offset**2).reshape(-1, step) @ np.full(step, 1 / step, np.float32)
    shrunk = np.zeros((len(profiles), cells), np.float32)
    row, column = np.nonzero((cell >= 0) & (cell < cells))
    shrunk[row, cell[row, column]] = mean.reshape(cell.shape)[row, column]
    return shrunk


def _average(values: Float32[np.ndarray, "h w f"], around: Surroundings) -> Float32[np.ndarray, "h w f"]:
    """Weighted mean of every cell's surroundings, in its frame and the two next to it."""
    return np.asarray(_smooth(values * around.weight, around.sigma) / np.maximum(around.spread, np.float32(1e-6)))


def _smooth(stack: Float32[np.ndarray, "h w f"], sigma: float) -> Float32[np.ndarray, "h w f"]:
    mixed = np.float32(ALONG_Z[1]) * stack
    beside = np.float32(ALONG_Z[0]) * stack
    mixed[:, :, 1:] += beside[:, :, :-1]
    mixed[:, :, :-1] += beside[:, :, 1:]
    return cv2.GaussianBlur(mixed, (0, 0), sigma).reshape(stack.shape)
