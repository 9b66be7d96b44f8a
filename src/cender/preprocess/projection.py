"""From a volume to one small picture: brightest value over z, single bright pixels removed, on a grid of fixed size."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float32, Real, Shaped

from cender.errors import UnusableVolume
from cender.types import VoxelSize

GRID_UM = 1.2
"""Step of the grid on which the head is looked for."""
SMALLEST_UM = 30.0
"""Image sides below this cannot show a head."""
MOST_SATURATED = 0.25
"""Share of saturated pixels above which a volume cannot be used."""
# Types in which OpenCV filters pictures as they are; others are taken to float32 first.
FILTERED_TYPES = (np.uint8, np.uint16, np.int16, np.float32)


@dataclass(frozen=True, slots=True)
class Picture:
    """Projection of a volume on a grid of `GRID_UM`; ``step_px`` is a grid step in pixels along y and x."""

    counts: Float32[np.ndarray, "h w"]
    step_px: tuple[float, float]
    shape_px: tuple[int, int]

    def to_px(self, points: np.ndarray) -> np.ndarray:
        """Points of the grid (``y x`` in the last axis) as full-frame indices."""
        step = np.array(self.step_px)
        return np.asarray((points + 0.5) * step - 0.5)


def take_picture(red: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize) -> Picture:
    """Small picture of a volume, or `UnusableVolume` where nothing can be seen in it."""
    check_volume(red, voxel_um)
    projection = project(red)
    check_values(projection, red.dtype)
    if projection.dtype not in FILTERED_TYPES:
        # From the smallest value: float32 keeps seven digits, and large offsets would use them up.
        projection = (projection.astype(np.float64) - float(projection.min())).astype(np.float32)
    rows, columns = projection.shape
    size = max(1, round(rows * voxel_um.y_um / GRID_UM)), max(1, round(columns * voxel_um.x_um / GRID_UM))
    small = cv2.resize(remove_hot_pixels(projection), size[::-1], interpolation=cv2.INTER_AREA)
    return Picture(small.astype(np.float32), (rows / size[0], columns / size[1]), (rows, columns))


def project(red: Real[np.ndarray, "z y x"]) -> Real[np.ndarray, "y x"]:
    """Largest value over z; a NaN stays a NaN."""
    projection = np.array(red[0])
    for frame in red[1:]:
        np.maximum(projection, frame, out=projection)
    return projection


def remove_hot_pixels(image: Real[np.ndarray, "y x"]) -> Real[np.ndarray, "y x"]:
    """The image with every pixel at most as bright as the brightest of its eight neighbours."""
    around = np.ones((3, 3), np.uint8)
    around[1, 1] = 0
    return np.asarray(np.minimum(image, cv2.dilate(image, around)))


def check_volume(red: np.ndarray, voxel_um: VoxelSize) -> None:
    """Raise `UnusableVolume` where type, size or voxel size rule a head out."""
    if red.dtype.kind not in "iuf":
        raise UnusableVolume(f"pixels must be whole or floating-point numbers; found {red.dtype}", "no image")
    if red.size == 0:
        raise UnusableVolume(f"the volume is empty: its shape is {red.shape}", "no image")
    if not all(np.isfinite(side) and side > 0 for side in voxel_um):
        raise UnusableVolume(
            f"voxel sizes must be positive; found {tuple(voxel_um)}, give --set recording.voxel_um=…", "incomplete"
        )
    _, rows, columns = red.shape
    height_um, width_um = rows * voxel_um.y_um, columns * voxel_um.x_um
    if min(height_um, width_um) < SMALLEST_UM:
        raise UnusableVolume(
            f"the frames of {rows} × {columns} pixels show {height_um:.1f} × {width_um:.1f} µm, and a head is about "
            "100 µm long; if the voxel size is wrong, give --set recording.voxel_um=…",
            "too small",
        )


def check_values(projection: np.ndarray, dtype: np.dtype) -> None:
    """Raise `UnusableVolume` where the projection shows nothing: NaN, blank or saturated."""
    if dtype.kind == "f":
        missing = 1 - np.count_nonzero(np.isfinite(projection)) / projection.size
        if missing:
            raise UnusableVolume(f"{missing:.1%} of the projection are NaN or infinite", "no image")
    low, high = projection.min(), projection.max()
    if low == high:
        raise UnusableVolume(f"every pixel of the projection has the value {low}: the volume is blank", "blank")
    full = np.count_nonzero(projection == high) / projection.size
    if full > MOST_SATURATED:
        raise UnusableVolume(
            f"{full:.0%} of the projection have the largest value, {high}: the volume is saturated", "saturated"
        )
