"""The fixed pattern of a camera: a few counts per pixel that neurons moving across it would take for activity."""

from dataclasses import dataclass, field

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Real
from numpy.lib.stride_tricks import sliding_window_view

from cender.activity.profiles import Profiles
from cender.types import Volume

WINDOW_PX = 31
"""Offsets that change more slowly across the sensor belong to the background, which is measured by itself."""
DARK_SD = 3.0
"""Single pixels further than this from those around them are stuck, or show light."""
SMALL_PX, DIM_SD = 5, 0.4
"""Places of this size that are brighter than this show light: the flanks of neurons would seem to be a pattern."""
LEAST_DARK = 0.3
"""Share of dark pixels around one from which on their level is known."""
FRAMES, FEWEST_FRAMES = 10, 4
"""Frames of a volume that are looked at, and frames in which a pixel must be dark for the halves to be compared."""
LEAST_AGREEMENT = 0.2
"""Correlation between what shallow and deep frames say about the pattern, below which there is none."""


@dataclass(frozen=True, slots=True)
class CameraPattern:
    """Offset of every pixel against those around it, in counts, for both cameras; None where none was found."""

    red: Float32[np.ndarray, "y x"] | None = None
    green: Float32[np.ndarray, "y x"] | None = None


@dataclass(slots=True)
class _Sum:
    """What dark pixels of shallow frames (row 0) and of deep ones (row 1) add up to, and how many they are."""

    total: Float32[np.ndarray, "2 y x"]
    count: Float32[np.ndarray, "2 y x"]


@dataclass(slots=True)
class PatternGauge:
    """Finds the pattern of both cameras from volumes that are given to it one by one.

    Every pixel is compared with the dark ones around it, in all frames in which it is dark itself. The camera is the
    same in all frames while the animal is not: what shallow and deep frames have in common is the pattern, and as much
    of it is believed as they agree.
    """

    _sums: dict[str, _Sum] = field(default_factory=dict)

    def add(self, volume: Volume) -> None:
        """Look at the frames of one more volume."""
        for role, image in (("red", volume.red), ("green", volume.green)):
            if image is None:
                continue
            shape = (2, *image.shape[1:])
            known = self._sums.setdefault(role, _Sum(np.zeros(shape, np.float32), np.zeros(shape, np.float32)))
            if known.total.shape != shape:
                continue
            for z in np.unique(np.linspace(0, len(image) - 1, FRAMES).astype(int)).tolist():
                offset, dark = _find_offsets(image[z])
                half = int(2 * z >= len(image))
                known.total[half] += offset
                known.count[half] += dark

    def finish(self) -> CameraPattern:
        """The pattern, None for a camera in which shallow and deep frames do not agree on one."""
        return CameraPattern(*(_settle(self._sums.get(role)) for role in ("red", "green")))


def probe_pattern(pattern: Float32[np.ndarray, "y x"], profiles: Profiles) -> Float[np.ndarray, " n"]:
    """What the pattern adds to the sum under every bell."""
    side, start = profiles.rows.shape[1], profiles.start_px
    patch = sliding_window_view(pattern, (side, side))[start[:, 0], start[:, 1]]
    across = np.matmul(patch, profiles.columns[:, :, None])[:, :, 0]
    return np.asarray(np.einsum("ny,ny->n", across, profiles.rows), float)


def _find_offsets(frame: Real[np.ndarray, "y x"]) -> tuple[Float32[np.ndarray, "y x"], Bool[np.ndarray, "y x"]]:
    """Dark pixels against those around them, 0 elsewhere, and which are dark; none in a frame without noise."""
    light = frame.astype(np.float32)
    height, width = light.shape
    window = (WINDOW_PX, WINDOW_PX)
    coarse = cv2.resize(light, (max(width // 4, 1), max(height // 4, 1)), interpolation=cv2.INTER_AREA)
    level = cv2.resize(cv2.medianBlur(coarse, 5), (width, height))
    spread = 1.4826 * float(np.median(np.abs((light - level)[::4, ::4])))
    if not spread > 0:
        return np.zeros_like(light), np.zeros(light.shape, bool)
    dark = _find_dark(light - level, spread).astype(np.float32)
    share = cv2.blur(dark, window)
    level = cv2.blur(light * dark, window) / np.maximum(share, 1e-3)
    offset = light - level
    kept = _find_dark(offset, spread) & (share > LEAST_DARK)
    return np.where(kept, offset, np.float32(0)), kept


def _find_dark(offset: Float32[np.ndarray, "y x"], spread: float) -> Bool[np.ndarray, "y x"]:
    small = cv2.blur(offset, (SMALL_PX, SMALL_PX))
    return np.asarray((np.abs(offset) < DARK_SD * spread) & (small < DIM_SD * spread))


def _settle(known: _Sum | None) -> Float32[np.ndarray, "y x"] | None:
    if known is None:
        return None
    there = (known.count >= FEWEST_FRAMES).all(axis=0)
    if not there.any():
        return None
    shallow, deep = (known.total[half][there] / known.count[half][there] for half in (0, 1))
    common = float((shallow * deep).mean())
    if common < LEAST_AGREEMENT * float(np.sqrt((shallow**2).mean() * (deep**2).mean())) or common <= 0:
        return None
    # Noise of one frame, from how much the halves differ.
    noise = float(((shallow - deep) ** 2 / (1 / known.count[:, there]).sum(axis=0)).mean())
    return np.asarray(known.total.sum(axis=0) / (known.count.sum(axis=0) + noise / common), np.float32)
