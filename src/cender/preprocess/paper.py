"""The paper's own pre-processing (Stage 1 and Algorithm 1), the baseline.

As published, where the authors' code departs from it: the side with more points of interest is anterior and ventral,
sums cannot overflow, angles are compared on the circle.
"""

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Real, Shaped, UInt8

from cender.errors import UnusableVolume
from cender.preprocess.params import PreprocessParams
from cender.preprocess.projection import check_values, check_volume, project
from cender.types import Crop, Head, VoxelSize

PAPER_PX_UM = 0.3
MEDIAN_PX, GROW_PX, SHRINK_PX, TIMES = 5, 13, 9, 3
DIRECTIONS = 360


def find_head_paper(red: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize, params: PreprocessParams) -> Head:
    """Head region and axes after the paper's Algorithm 1.

    It has no notion of trust: quality is 1, confidence the product of the shares of the points of interest that voted
    for the two directions. Filter sizes are those of the paper's pixels, converted to these.
    """
    check_volume(red, voxel_um)
    projection = project(red)
    check_values(projection, red.dtype)
    image = (projection.astype(np.float64) - float(projection.min())).astype(np.float32)
    mask, contour = _find_region(image, voxel_um)
    inside = image[mask > 0].astype(np.float64)
    poi = (mask > 0) & (image >= inside.mean() + inside.std())
    if not poi.any():
        raise UnusableVolume("the head region is equally bright everywhere: no point of interest in it")
    places = np.argwhere(poi).astype(float)
    light = image[poi].astype(np.float64)
    origin = (places * light[:, None]).sum(0) / light.sum()
    along = _longest_chord(contour - origin)
    anterior, front = _vote(places - origin, along)
    ventral, belly = _vote(places - origin, np.array([along[1], -along[0]]))
    x, y, w, h = cv2.boundingRect(np.rint(contour[:, ::-1]).astype(np.int32))
    return Head(Crop(x, y, w, h), contour, origin, anterior, ventral, 1.0, front * belly)


def _find_region(
    image: Float32[np.ndarray, "y x"], voxel_um: VoxelSize
) -> tuple[UInt8[np.ndarray, "y x"], Float[np.ndarray, "n 2"]]:
    """Mask of the largest bright region and its convex outline (``y x``)."""
    scale = PAPER_PX_UM / float(np.mean(voxel_um[1:]))
    smooth = cv2.medianBlur(image, 3 if scale < 0.8 else MEDIAN_PX)
    grown = cv2.dilate(smooth, _square(GROW_PX * scale), iterations=TIMES)
    closed = cv2.erode(grown, _square(SHRINK_PX * scale), iterations=TIMES)
    bright = closed > float(closed.mean(dtype=np.float64) + closed.std(dtype=np.float64))
    contours, _ = cv2.findContours(bright.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        raise UnusableVolume("no region is brighter than mean plus standard deviation of the closed projection")
    contour = max(contours, key=cv2.contourArea)
    mask = np.zeros(image.shape, np.uint8)
    cv2.drawContours(mask, [contour], -1, 1, -1)
    hull = cv2.convexHull(contour)
    return mask, _fill_in(hull[:, 0, ::-1].astype(float))


def _fill_in(corners: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "m 2"]:
    """Points every half a pixel or so along a closed polygon."""
    sides = np.roll(corners, -1, axis=0) - corners
    counts = np.maximum(1, (np.linalg.norm(sides, axis=1) * 2).astype(int))
    parts = [
        corner + side * np.arange(count)[:, None] / count
        for corner, side, count in zip(corners, sides, counts, strict=True)
    ]
    return np.concatenate(parts)


def _longest_chord(around: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, " 2"]:
    """Direction of the longest line through the origin between two points of the contour."""
    angle = np.arctan2(around[:, 0], around[:, 1])
    step = np.rint(angle / (2 * np.pi) * DIRECTIONS).astype(int) % DIRECTIONS
    far = np.zeros(DIRECTIONS)
    np.maximum.at(far, step, np.linalg.norm(around, axis=1))
    chord = far + np.roll(far, -DIRECTIONS // 2)
    best = 2 * np.pi * int(chord[: DIRECTIONS // 2].argmax()) / DIRECTIONS
    return np.array([np.sin(best), np.cos(best)])


def _vote(points: Float[np.ndarray, "n 2"], along: Float[np.ndarray, " 2"]) -> tuple[Float[np.ndarray, " 2"], float]:
    """The direction, or its opposite, towards which more points lie, and their share."""
    ahead: Bool[np.ndarray, " n"] = points @ along > 0
    share = float(ahead.mean())
    return (along, share) if share >= 0.5 else (-along, 1 - share)


def _square(size: float) -> Real[np.ndarray, "k k"]:
    side = 2 * max(1, round((size - 1) / 2)) + 1
    return np.ones((side, side), np.uint8)
