"""The paper's own pre-processing (Stage 1 and Algorithm 1), the baseline.

As published, where the authors' code departs from it: the side with more points of interest is anterior and ventral,
sums cannot overflow, angles are compared on the circle.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Real, Shaped

from cender.errors import UnusableVolume
from cender.preprocess.params import PreprocessParams
from cender.preprocess.projection import check_values, check_volume, project
from cender.types import Crop, Head, VoxelSize

PAPER_PX_UM = 0.3
"""Pixel size of the paper's recordings, which its sizes in pixels are meant for."""
MEDIAN_PX, GROW_PX, SHRINK_PX, TIMES = 5, 13, 9, 3
"""Windows of the median filter, of growing and of shrinking, and how often it grows and shrinks: the published code's.

The text says only that growing is slightly larger than shrinking."""
DIRECTIONS = 360
"""Directions, one per degree, in which the outline's distance is measured."""


@dataclass(frozen=True, slots=True)
class HeadSteps:
    """What Algorithm 1 sees on its way from a volume to a head (the panels of the paper's Fig 2).

    ``contours`` are those of all bright regions, the largest first; ``chosen`` is the mask of that one and ``hull`` its
    convex outline (``y x``). ``points`` are the points of interest (``y x``), ``light`` their intensities.
    """

    projection: Real[np.ndarray, "y x"]
    closed: Float32[np.ndarray, "y x"]
    bright: Bool[np.ndarray, "y x"]
    contours: tuple[Float[np.ndarray, "_ 2"], ...]
    chosen: Bool[np.ndarray, "y x"]
    hull: Float[np.ndarray, "n 2"]
    points: Float[np.ndarray, "k 2"]
    light: Float[np.ndarray, " k"]

    @property
    def origin_yx(self) -> Float[np.ndarray, " 2"]:
        """Centre of mass of the points of interest."""
        return np.asarray((self.points * self.light[:, None]).sum(0) / self.light.sum())


def find_head_paper(red: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize, params: PreprocessParams) -> Head:
    """Head region and axes after the paper's Algorithm 1.

    It has no notion of trust: quality is 1, confidence the product of the shares of the points of interest that voted
    for the two directions. Filter sizes are those of the paper's pixels, converted to these. The crop and the outline
    are those of the region's convex hull, as in the authors' code; the text does not say how they are cut.
    """
    check_volume(red, voxel_um)
    steps = trace_head(red, voxel_um)
    origin = steps.origin_yx
    along = _longest_chord(_fill_in(steps.contours[0]) - origin)
    anterior, front = _vote(steps.points - origin, along)
    ventral, belly = _vote(steps.points - origin, np.array([along[1], -along[0]]))
    x, y, w, h = cv2.boundingRect(np.rint(steps.hull[:, ::-1]).astype(np.int32))
    return Head(Crop(x, y, w, h), steps.hull, origin, anterior, ventral, 1.0, front * belly)


def trace_head(red: Shaped[np.ndarray, "z y x"], voxel_um: VoxelSize) -> HeadSteps:
    """All that leads to the head: projection, closing, threshold, contours and points of interest.

    The text's dynamic threshold is that of the published code: mean plus standard deviation of the closed projection.
    """
    projection = project(red)
    check_values(projection, red.dtype)
    image = projection.astype(np.float32)
    scale = PAPER_PX_UM / float(np.mean(voxel_um[1:]))
    smooth = cv2.medianBlur(image, 3 if scale < 0.8 else MEDIAN_PX)
    grown = cv2.dilate(smooth, _square(GROW_PX * scale), iterations=TIMES)
    closed = cv2.erode(grown, _square(SHRINK_PX * scale), iterations=TIMES)
    bright = closed > float(closed.mean(dtype=np.float64) + closed.std(dtype=np.float64))
    contours, _ = cv2.findContours(bright.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        raise UnusableVolume(
            "no region is brighter than mean plus standard deviation of the closed projection", "no head"
        )
    by_area = sorted(contours, key=cv2.contourArea, reverse=True)
    mask = np.zeros(image.shape, np.uint8)
    cv2.drawContours(mask, by_area[:1], -1, 1, -1)
    inside = image[mask > 0].astype(np.float64)
    poi = (mask > 0) & (image >= inside.mean() + inside.std())
    if not poi.any():
        raise UnusableVolume("the head region is equally bright everywhere: no point of interest in it", "no head")
    # Intensities weigh as they are (the text's moments); those of a camera whose offset was removed may be negative.
    light = image[poi].astype(np.float64) - min(0.0, float(image.min()))
    hull = _fill_in(cv2.convexHull(by_area[0])[:, 0, ::-1].astype(float))
    outlines = tuple(one[:, 0, ::-1].astype(float) for one in by_area)
    return HeadSteps(projection, closed, bright, outlines, mask > 0, hull, np.argwhere(poi).astype(float), light)


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
    """Direction of the longest line through the origin between two points of the contour.

    Where the contour is met more than once in a direction, its farthest point ends the line; the text does not say.
    """
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
