"""Frames of a volume laid over each other: an animal that moves while it is scanned shears its image along z.

A nucleus that moves by a third of its width from one frame to the next looks like several, each in one frame.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from jaxtyping import Float, Float32, Int, Shaped
from scipy.fft import irfft2, next_fast_len, rfft2

from cender.detect.normalise import compress, find_levels
from cender.types import Crop, Head, VoxelSize

STEP_UM = 0.5
"""Usual movement between two frames from which on they are laid over each other: less blurs no nucleus."""
REACH_UM = 4.0
"""Largest movement between two frames that is looked for: more would take one nucleus for the next."""
PIXEL_UM = 0.9
"""Size of the pixels in which frames are compared."""
FINE_PX, COARSE_PX = 1.0, 4.0
"""Spreads between which structures lie by which frames are compared: nuclei, not haze."""
BESIDE = 0.5
"""Weight of the movements before and after a frame's own: an animal does not jump, and end frames show little."""
ALIKE = 0.3
"""Correlation of two frames, as they fit best, below which they say nothing about a movement: noise reaches less."""
MARGIN_UM = 15.0
"""How far around the head frames are kept."""


@dataclass(frozen=True, slots=True)
class Still:
    """Frames that lie over each other, and the pixel of the full frame (``y x``) at which each of them begins."""

    stack: Shaped[np.ndarray, "z y x"]
    first: Int[np.ndarray, "z 2"]
    corner: tuple[int, int] = (0, 0)

    def move_head(self, head: Head) -> Head:
        """The head as it lies in these frames."""
        corner = np.array(self.corner)
        moved = (places - corner for places in (head.outline_yx, head.origin_yx, head.hull_yx))
        outline, origin, hull = moved
        return replace(head, crop=self.move_crop(head.crop), outline_yx=outline, origin_yx=origin, hull_yx=hull)

    def move_crop(self, crop: Crop) -> Crop:
        """The crop as it lies in these frames."""
        return crop._replace(x=crop.x - self.corner[1], y=crop.y - self.corner[0])

    def boxes_to_full(self, z: Int[np.ndarray, " n"], box: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 4"]:
        """Boxes ``x y w h`` of these frames as they lie in the full ones."""
        return np.concatenate([box[:, :2] + self.first[z][:, ::-1], box[:, 2:]], axis=1)

    def boxes_from_full(self, z: Int[np.ndarray, " n"], box: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 4"]:
        """Boxes ``x y w h`` of the full frames as they lie in these."""
        return np.concatenate([box[:, :2] - self.first[z][:, ::-1], box[:, 2:]], axis=1)

    def points_to_full(self, point: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
        """Points ``z y x`` of these frames as they lie in the full ones."""
        return np.concatenate([point[:, :1], point[:, 1:] + self._begin(point[:, 0])], axis=1)

    def points_from_full(self, point: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "n 3"]:
        """Points ``z y x`` of the full frames as they lie in these."""
        return np.concatenate([point[:, :1], point[:, 1:] - self._begin(point[:, 0])], axis=1)

    def _begin(self, z: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n 2"]:
        """Where frames begin, also between two of them."""
        frames = np.arange(len(self.first))
        return np.stack([np.interp(z, frames, self.first[:, axis]) for axis in (0, 1)], axis=1)


def hold_still(red: Shaped[np.ndarray, "z y x"], crop: Crop, voxel_um: VoxelSize) -> Still:
    """The surroundings of the head with its movement during the scan taken off, where it moves noticeably.

    Frames are moved by whole pixels, so that nothing is blurred; beyond the image they go on as they end.
    """
    pixel = np.array(voxel_um[1:])
    path = trace_motion(red[:, crop.y : crop.y + crop.h, crop.x : crop.x + crop.w], voxel_um)
    step_um = np.linalg.norm(np.diff(path, axis=0) * pixel, axis=1)
    if not len(step_um) or np.median(step_um) < STEP_UM:
        return Still(red, np.zeros((len(red), 2), int))
    margin_y, margin_x = np.ceil(MARGIN_UM / pixel).astype(int).tolist()
    top, left = max(0, crop.y - margin_y), max(0, crop.x - margin_x)
    bottom = min(red.shape[1], crop.y + crop.h + margin_y)
    right = min(red.shape[2], crop.x + crop.w + margin_x)
    first = np.rint(path - np.median(path, axis=0) + np.array([top, left])).astype(int)
    stack = np.empty((len(red), bottom - top, right - left), red.dtype)
    for frame, (y, x), target in zip(red, first, stack, strict=True):
        rows = np.clip(np.arange(y, y + bottom - top), 0, red.shape[1] - 1)
        columns = np.clip(np.arange(x, x + right - left), 0, red.shape[2] - 1)
        target[:] = frame[rows][:, columns]
    return Still(stack, first, (top, left))


def trace_motion(part: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize) -> Float[np.ndarray, "z 2"]:
    """Movement (``y x``, in pixels) since the first frame, by where each frame resembles the one before it most."""
    path = np.zeros((len(part), 2))
    if len(part) < 2:
        return path
    frames = _sharpen(part, voxel_um)
    size = np.array(frames.shape[1:])
    # Padded, so that what leaves one side does not come back on the other.
    shape = tuple(next_fast_len(int(side) + round(REACH_UM / PIXEL_UM), real=True) for side in size)
    spectra = rfft2(frames, shape)
    reach = min(round(REACH_UM / PIXEL_UM), *((side - 1) // 2 for side in shape))
    near = np.arange(-reach, reach + 1)
    alike = _smooth(irfft2(spectra[:-1].conj() * spectra[1:], shape)[:, near][:, :, near])
    light = np.linalg.norm(frames, axis=(1, 2))
    most = _smooth(light[:-1] * light[1:])
    scale = np.array(part.shape[1:]) / size
    step = [
        (_find_peak(one) - reach) * scale if one.max() > ALIKE * bound else np.zeros(2)
        for one, bound in zip(alike, most, strict=True)
    ]
    path[1:] = np.cumsum(step, axis=0)
    return path


def _smooth(steps: Float32[np.ndarray, "s ..."]) -> Float32[np.ndarray, "s ..."]:
    """Values of the steps from frame to frame, with a share of those before and after."""
    smooth = steps.copy()
    smooth[1:] += BESIDE * steps[:-1]
    smooth[:-1] += BESIDE * steps[1:]
    return smooth


def _sharpen(part: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize) -> Float32[np.ndarray, "z h w"]:
    """Frames in coarse pixels, of which only structures of the size of nuclei are left."""
    dark, bright = find_levels(part)
    tall, wide = (max(8, round(side * um / PIXEL_UM)) for side, um in zip(part.shape[1:], voxel_um[1:], strict=True))
    fits = cv2.INTER_AREA if tall < part.shape[1] else cv2.INTER_LINEAR
    shown = np.empty((len(part), tall, wide), np.float32)
    for frame, target in zip(part, shown, strict=True):
        cv2.resize(frame.astype(np.float32), (wide, tall), dst=target, interpolation=fits)
    light = compress(shown, dark, bright)
    for frame in light:
        frame[:] = np.maximum(cv2.GaussianBlur(frame, (0, 0), FINE_PX) - cv2.GaussianBlur(frame, (0, 0), COARSE_PX), 0)
    return np.asarray(light - light.mean(axis=(1, 2), keepdims=True))


def _find_peak(alike: Float32[np.ndarray, "k k"]) -> Float[np.ndarray, " 2"]:
    """Index of the highest value, between pixels by a parabola."""
    place = np.array(np.unravel_index(int(alike.argmax()), alike.shape), float)
    found = place.copy()
    for axis in (0, 1):
        row, column = place.astype(int)
        line = alike[:, column] if axis == 0 else alike[row]
        at = int(place[axis])
        if 0 < at < len(line) - 1:
            before, here, after = line[at - 1 : at + 2]
            bend = before - 2 * here + after
            found[axis] += 0.5 * (before - after) / bend if bend < 0 else 0.0
    return found
