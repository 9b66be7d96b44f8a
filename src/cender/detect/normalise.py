"""From the head's part of a volume to what the network sees: its own grid and its own brightness."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32, Shaped

from cender.types import Crop, VoxelSize

PIXEL_UM = 0.3
STEP_UM = 1.5
# Resampling costs time and sharpness; a grid this close to the network's own is used as it is.
SAME = 0.12
DARK, BRIGHT = 10.0, 99.7
STUCK = 12.0


@dataclass(frozen=True, slots=True)
class Grid:
    """How indices of the network's grid lie in the full volume: ``full = first + index * step`` along ``z y x``."""

    first: Float[np.ndarray, " 3"]
    step: Float[np.ndarray, " 3"]


def cut_head(
    red: Shaped[np.ndarray, "z y x"], crop: Crop, voxel_um: VoxelSize
) -> tuple[Float32[np.ndarray, "zn yn xn"], Grid]:
    """The head on the network's grid (0.3 × 0.3 µm, 1.5 µm), with brightness from about 0 to 1."""
    part = mend_pixels(red[:, crop.y : crop.y + crop.h, crop.x : crop.x + crop.w])
    dark, bright = find_levels(part)
    wanted = np.array([STEP_UM, PIXEL_UM, PIXEL_UM])
    step = wanted / np.array(voxel_um)
    step = np.where(np.abs(np.log(step)) < SAME, 1.0, step)
    if part.shape[0] == 1:
        step[0] = 1.0
    shape = np.maximum(1, np.rint(np.array(part.shape) / step)).astype(int)
    step = np.array(part.shape) / shape
    # Pixel areas coincide at the edges, so the first centre lies half a step minus half a pixel inside.
    first = np.array([0.0, crop.y, crop.x]) + (step - 1) / 2
    lit = compress(part, dark, bright) if np.all(step == 1) else compress(_resample(part, shape), dark, bright)
    return lit, Grid(first, step)


def mend_pixels(part: Shaped[np.ndarray, "z y x"]) -> Shaped[np.ndarray, "z y x"]:
    """The same frames with stuck pixels replaced by the median of their surroundings; untouched where there are none.

    A stuck pixel stands out in the darkest value over z, where nuclei, which no one pixel wide thing crosses all frames
    of, have gone.
    """
    darkest = part.min(0).astype(np.float32)
    excess = darkest - cv2.medianBlur(darkest, 3)
    noise = 1.48 * float(np.median(np.abs(excess[::2, ::2])))
    stuck = np.argwhere(excess > STUCK * max(noise, 1e-6))
    if not len(stuck):
        return part
    mended = part.copy()
    rows, columns = part.shape[1:]
    for y, x in stuck:
        around = part[:, max(y - 1, 0) : min(y + 2, rows), max(x - 1, 0) : min(x + 2, columns)]
        mended[:, y, x] = np.median(around.reshape(len(part), -1), axis=1).astype(part.dtype)
    return mended


def find_levels(part: Shaped[np.ndarray, "z y x"]) -> tuple[float, float]:
    """Background level and brightness of the brighter nuclei."""
    dark, bright = np.percentile(part[:, ::2, ::2], (DARK, BRIGHT))
    return float(dark), float(max(bright, dark + 1e-3))


def compress(part: Shaped[np.ndarray, "z y x"], dark: float, bright: float) -> Float32[np.ndarray, "z y x"]:
    """Square root of the brightness between the two levels: noise becomes nearly even, dim nuclei visible."""
    if part.dtype == np.uint16:
        table = np.sqrt(np.clip((np.arange(65536, dtype=np.float32) - dark) / (bright - dark), 0, 4))
        return np.asarray(table.astype(np.float32)[part])
    return np.asarray(np.sqrt(np.clip((part.astype(np.float32) - np.float32(dark)) / np.float32(bright - dark), 0, 4)))


def _resample(part: Shaped[np.ndarray, "z y x"], shape: np.ndarray) -> Float32[np.ndarray, "zn yn xn"]:
    frames, rows, columns = (int(size) for size in shape)
    smaller = rows <= part.shape[1]
    flat = np.stack(
        [
            cv2.resize(
                frame.astype(np.float32),
                (columns, rows),
                interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR,
            )
            for frame in part
        ]
    )
    if frames == len(flat):
        return flat
    column = flat.reshape(len(flat), -1)
    along = cv2.INTER_AREA if frames < len(flat) else cv2.INTER_LINEAR
    # cv2 holds at most 32767 columns, and resizing is per column anyway.
    pieces = [
        cv2.resize(
            column[:, start : start + 32000],
            (min(32000, column.shape[1] - start), frames),
            interpolation=along,
        )
        for start in range(0, column.shape[1], 32000)
    ]
    return np.concatenate(pieces, axis=1).reshape(frames, rows, columns)
