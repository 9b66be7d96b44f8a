"""The light between neurons: smooth in space, seen where no neuron is."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32, Real
from scipy.ndimage import map_coordinates

from cender.activity.profiles import Profiles

COARSE = 6
# How fast a cell of the grid stops counting as background with the share of a neuron in it.
OCCUPIED = 8.0
OUTLIER_SD = 3.0
# Out-of-focus light reaches over several frames.
ALONG_Z = (0.25, 0.5, 0.25)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One channel around its neurons on a coarse grid ``y x z``: mean counts, and how far each cell is background.

    ``rows`` and ``columns`` are the bells of the neurons on that grid; ``spread`` is ``weight`` averaged as the
    background is.
    """

    cells: Float32[np.ndarray, "h w f"]
    weight: Float32[np.ndarray, "h w f"]
    spread: Float32[np.ndarray, "h w f"]
    rows: Float32[np.ndarray, "n h"]
    columns: Float32[np.ndarray, "n w"]
    first: int
    sigma: float


def take_surroundings(image: Real[np.ndarray, "z y x"], profiles: Profiles, width_px: float) -> Surroundings:
    """The coarse grid around the neurons of one channel; ``width_px`` is the sd over which background is averaged."""
    (top, left), rows, columns = profiles.corner_px, profiles.rows.shape[1], profiles.columns.shape[1]
    tall, wide = max(rows // COARSE, 1), max(columns // COARSE, 1)
    used_rows, used_columns = min(tall * COARSE, rows), min(wide * COARSE, columns)
    across = _shrink(profiles.rows[:, :used_rows], tall)
    along = _shrink(profiles.columns[:, :used_columns], wide)
    first, last = int(profiles.z.min()), int(profiles.z.max())
    cells = np.empty((tall, wide, last - first + 1), np.float32)
    for frame in range(first, last + 1):
        part = image[frame, top : top + used_rows, left : left + used_columns]
        part = part if part.dtype in (np.uint16, np.float32) else part.astype(np.float32)
        cells[:, :, frame - first] = cv2.resize(part, (wide, tall), interpolation=cv2.INTER_AREA)
    occupied = _draw(across, along, profiles, np.ones(len(profiles), np.float32), cells.shape)
    weight = 1 / (1 + (OCCUPIED * occupied) ** 2)
    sigma = max(width_px / COARSE, 0.5)
    return Surroundings(cells, weight, _smooth(weight, sigma), across, along, first, sigma)


def estimate_background(
    around: Surroundings, profiles: Profiles, height: Float[np.ndarray, " n"] | None
) -> Float[np.ndarray, " n"]:
    """Background under every bell, camera offset included.

    What the bells explain is taken off where their heights are known; cells count the less the more of a neuron is
    in them, and stray bright or dark ones are pulled in.
    """
    rest = around.cells
    if height is not None:
        rest = rest - _draw(around.rows, around.columns, profiles, height.astype(np.float32), rest.shape)
    level = np.float32(np.median(rest[::3, ::3]))
    smooth = _average(rest - level, around) + level
    if height is not None:
        stray = rest - smooth
        limit = np.float32(OUTLIER_SD * 1.4826 * np.median(np.abs(stray[::3, ::3])))
        smooth = smooth + _average(np.clip(stray, -limit, limit), around)
    place = (profiles.centre_px - np.array(profiles.corner_px) + 0.5) / COARSE - 0.5
    where = np.concatenate([place.T, (profiles.z - around.first)[None].astype(float)])
    return np.asarray(map_coordinates(smooth, where, order=1, mode="nearest")).astype(float)


def _draw(
    rows: Float32[np.ndarray, "n h"],
    columns: Float32[np.ndarray, "n w"],
    profiles: Profiles,
    height: Float32[np.ndarray, " n"],
    shape: tuple[int, ...],
) -> Float32[np.ndarray, "h w f"]:
    """Bells of these heights on the grid."""
    image = np.zeros(shape, np.float32)
    first = int(profiles.z.min())
    for frame, mine in profiles.by_frame():
        image[:, :, frame - first] = (rows[mine] * height[mine, None]).T @ columns[mine]
    return image


def _shrink(bells: Float32[np.ndarray, "n s"], cells: int) -> Float32[np.ndarray, "n c"]:
    return np.asarray(bells.reshape(len(bells), cells, -1).mean(axis=2))


def _average(values: Float32[np.ndarray, "h w f"], around: Surroundings) -> Float32[np.ndarray, "h w f"]:
    """Weighted mean of every cell's surroundings, in its frame and the two next to it."""
    return np.asarray(_smooth(values * around.weight, around.sigma) / np.maximum(around.spread, np.float32(1e-6)))


def _smooth(stack: Float32[np.ndarray, "h w f"], sigma: float) -> Float32[np.ndarray, "h w f"]:
    frames = stack.shape[2]
    step = np.subtract.outer(np.arange(frames), np.arange(frames))
    mix = np.select([step == 0, np.abs(step) == 1], [ALONG_Z[1], ALONG_Z[0]], 0.0).astype(np.float32)
    mixed = np.ascontiguousarray(stack.reshape(-1, frames) @ mix).reshape(stack.shape)
    return cv2.GaussianBlur(mixed, (0, 0), sigma).reshape(stack.shape)
