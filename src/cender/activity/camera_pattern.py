"""The fixed pattern of a camera: a few counts per pixel that neurons moving across it would take for activity."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Real
from numpy.lib.stride_tricks import sliding_window_view

from cender.activity.profiles import Profiles
from cender.types import Stack

CELL_PX, WINDOW_CELLS = 4, 7
"""Level around a pixel: the mean of dark cells of this size in a window of so many. Offsets that change more slowly
across the sensor belong to the background, which is measured by itself."""
DARK_SD = 3.0
"""Single pixels further than this from those around them are stuck, or show light."""
SMALL_PX, DIM_SD = 5, 0.4
"""Places of this size that are brighter than this show light: the flanks of neurons would seem to be a pattern."""
LEAST_DARK = 0.3
"""Share of dark cells around a pixel from which on their level is known."""
FEWEST_FRAMES = 4
"""Frames in which a pixel must be dark for the halves to be compared."""
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


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """One frame without the level around every pixel: itself, its local mean, where the level is known, its noise."""

    offset: Float32[np.ndarray, "y x"]
    small: Float32[np.ndarray, "y x"]
    known: Bool[np.ndarray, "y x"]
    spread: float


@dataclass(slots=True)
class PatternGauge:
    """Finds the pattern of both cameras from volumes that are given to it one by one.

    Every pixel is compared with the dark ones around it, in all frames in which it is dark itself. The camera is the
    same in all frames while the animal is not: what shallow and deep frames have in common is the pattern, and as much
    of it is believed as they agree.
    """

    _sums: dict[str, _Sum] = field(default_factory=dict)

    def add(self, stack: Stack) -> None:
        """Look at the frames of one more volume."""
        for role, image in (("red", stack.red), ("green", stack.green)):
            if image is None:
                continue
            shape = (2, *image.shape[1:])
            known = self._sums.setdefault(role, _Sum(np.zeros(shape, np.float32), np.zeros(shape, np.float32)))
            if known.total.shape != shape:
                continue
            for z, (offset, dark) in enumerate(_find_offsets(image)):
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


def _find_offsets(
    image: Real[np.ndarray, "z y x"],
) -> Iterator[tuple[Float32[np.ndarray, "y x"], Bool[np.ndarray, "y x"]]]:
    """Frame by frame, dark pixels against those around them, 0 elsewhere, and which are dark.

    Whether a place shows light is asked of the frames beside, since light reaches over several of them: if a frame's
    own noise decided, the brighter half of it would be left out. A frame without noise has no dark pixels.
    """
    frames = [_take_off_level(frame) for frame in image[:2]]
    for z in range(len(image)):
        if z + 1 < len(image) and z > 0:
            frames.append(_take_off_level(image[z + 1]))
        here = frames[min(z, 1)]
        beside = [one.small for one in frames if one is not here] or [here.small]
        dim = sum(beside) / len(beside) < DIM_SD * here.spread
        dark = here.known & dim & (np.abs(here.offset) < DARK_SD * here.spread)
        yield np.where(dark, here.offset, np.float32(0)), dark
        if z > 0:
            frames.pop(0)


def _take_off_level(frame: Real[np.ndarray, "y x"]) -> _Frame:
    light = frame.astype(np.float32)
    height, width = light.shape
    cells = cv2.resize(light, (max(width // CELL_PX, 1), max(height // CELL_PX, 1)), interpolation=cv2.INTER_AREA)
    above = cells - cv2.medianBlur(cells, 5)
    some = light[::CELL_PX, ::CELL_PX][: len(cells), : cells.shape[1]]
    spread = 1.4826 * float(np.median(np.abs(some - (cells - above))))
    dark = (np.abs(above) < DIM_SD * spread).astype(np.float32)
    window = (WINDOW_CELLS, WINDOW_CELLS)
    share = cv2.blur(dark, window)
    level = cv2.blur(cells * dark, window) / np.maximum(share, 1e-3)
    known = cv2.resize((share > LEAST_DARK).astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
    offset = light - cv2.resize(level, (width, height))
    # A stuck pixel is no light.
    small = cv2.blur(np.clip(offset, -DARK_SD * spread, DARK_SD * spread), (SMALL_PX, SMALL_PX))
    return _Frame(offset, small, known > 0, spread)


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
