"""Local maxima of the head: where the paper looks for neurons."""

import cv2
import numpy as np
from jaxtyping import Bool, Float, Int, Real

from cender.types import Head, VoxelSize

# The paper's patches, anchors and filters are in pixels of its own microscope.
PIXEL_UM = 0.3

_BEFORE = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 0]], np.uint8)
"""Neighbours that come first in reading order: a peak is above these and not below the others."""
_AFTER = np.ascontiguousarray(_BEFORE[::-1, ::-1])
"""Neighbours that come later in reading order."""


def resample_head(
    red: Real[np.ndarray, "z y x"], head: Head, voxel_um: VoxelSize
) -> tuple[Float[np.ndarray, "z h w"], Float[np.ndarray, " 2"]]:
    """The head's crop at 0.3 µm a pixel, and its pixels per pixel of the full frame in y and x."""
    x, y, w, h = head.crop
    cut = red[:, y : y + h, x : x + w].astype(np.float32)
    size = [max(round(n * um / PIXEL_UM), 1) for n, um in zip(cut.shape[1:], voxel_um[1:], strict=True)]
    if size != list(cut.shape[1:]):
        smaller = size[0] < cut.shape[1]
        how = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
        cut = np.stack([cv2.resize(frame, (size[1], size[0]), interpolation=how) for frame in cut])
    return cut, np.array(cut.shape[1:]) / np.array([h, w])


def standardise_head(cut: Float[np.ndarray, "z h w"], inside: Bool[np.ndarray, "h w"]) -> Float[np.ndarray, "z h w"]:
    """The crop in standard deviations from its mean, 0 outside of the head's hull; as in the published code.

    The text does not say how brightness is scaled.
    """
    spread = float(cut.std())
    scaled = (cut - cut.mean()) / (spread or 1.0)
    return np.where(inside, scaled, np.float32(0)).astype(np.float32)


def fill_hull(
    head: Head, shape: tuple[int, int], scale: Float[np.ndarray, " 2"], margin_px: int
) -> Bool[np.ndarray, "h w"]:
    """Pixels of the crop inside the convex hull of the head's outline, grown by a margin; all without an outline.

    The text looks for peaks in the head region: without a margin half of the nuclei that lie on its edge would be cut
    off.
    """
    if len(head.outline_yx) < 3:
        return np.ones(shape, bool)
    offset = np.array([head.crop.y, head.crop.x])
    points = ((head.outline_yx - offset + 0.5) * scale - 0.5)[:, ::-1]
    hull = cv2.convexHull(np.rint(points).astype(np.int32))
    mask = cv2.fillConvexPoly(np.zeros(shape, np.uint8), hull, 1)
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * margin_px + 1, 2 * margin_px + 1))
    return np.asarray(cv2.dilate(mask, disk) > 0)


def find_peaks(
    scaled: Float[np.ndarray, "z h w"], threshold: float = 1.8, blur_px: float = 0.4
) -> Int[np.ndarray, "n 3"]:
    """Local maxima (z y x) of every frame above a threshold, brighter than their eight neighbours.

    Blur and threshold are those of the published code; the text has none. Of a plateau only its first pixel counts, so
    that saturated nuclei do not give hundreds of peaks. The outermost pixels of a frame are left out.
    """
    if min(scaled.shape[1:]) < 3:
        return np.zeros((0, 3), int)
    peaks = np.zeros(scaled.shape, bool)
    for frame, marks in zip(scaled, peaks, strict=True):
        smooth = cv2.GaussianBlur(frame, (3, 3), blur_px)
        marks[:] = (smooth > threshold) & (smooth > cv2.dilate(smooth, _BEFORE))
        marks[:] &= smooth >= cv2.dilate(smooth, _AFTER)
    peaks[:, [0, -1]] = False
    peaks[:, :, [0, -1]] = False
    return np.argwhere(peaks).astype(int)
