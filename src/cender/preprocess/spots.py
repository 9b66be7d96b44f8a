"""Bright spots of the size of nuclei, and where they crowd."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32

from cender.preprocess.projection import GRID_UM, Picture

NUCLEUS_UM = 1.2
"""Standard deviation of the blur that keeps nuclei."""
AROUND_UM = 12.0
"""Standard deviation of the blur that is their surroundings."""
# A spot is brighter than its surroundings by this many times the noise.
TIMES_NOISE = 5.0
# How bright spots are is told by the median of so many of the brightest.
BRIGHTEST = 60
CROWD_UM = 14.0
"""Standard deviation of the blur in which many spots make a crowd."""
# Of the densest place: how dense others must be to be a crowd.
CROWD_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Spots:
    """Spots of one picture in grid coordinates (``y x``), with their contrast in units of the noise.

    ``map`` lies between 0 and 1: contrast above noise, relative to the bright spots of this very picture and
    compressed, so that gain, exposure and a few very bright cells do not matter.
    """

    place: Float[np.ndarray, "n 2"]
    contrast: Float[np.ndarray, " n"]
    map: Float32[np.ndarray, "h w"]

    def __len__(self) -> int:
        return len(self.place)


def find_spots(picture: Picture) -> Spots:
    """Local maxima of a difference of Gaussians that stand out of the noise."""
    fine = cv2.GaussianBlur(picture.counts, (0, 0), NUCLEUS_UM / GRID_UM)
    response = fine - blur_widely(picture.counts, AROUND_UM)
    middle = float(np.median(response))
    noise = 1.4826 * float(np.median(np.abs(response - middle)))
    noise = max(noise, 1e-6 * float(response.max() - response.min()), 1e-12)
    contrast = (response - middle) / np.float32(noise)
    peaks = (contrast >= cv2.dilate(contrast, np.ones((3, 3), np.uint8))) & (contrast > TIMES_NOISE)
    place = np.argwhere(peaks)
    found = contrast[peaks].astype(float)
    bright = float(np.median(np.sort(found)[-BRIGHTEST:])) if len(found) else 1.0
    above = np.clip(contrast - np.float32(0.6 * TIMES_NOISE), 0, None)
    return Spots(place.astype(float), found, above / (above + np.float32(0.5 * bright)))


def crowd(spots: Spots) -> Float32[np.ndarray, "h w"]:
    """How much light of spots lies around each place: the map, blurred to the width of a ganglion."""
    return blur_widely(spots.map, CROWD_UM, cv2.BORDER_CONSTANT)


def blur_widely(
    image: Float32[np.ndarray, "h w"], sigma_um: float, border: int = cv2.BORDER_REFLECT_101
) -> Float32[np.ndarray, "h w"]:
    """The image blurred by a Gaussian much wider than the grid: at a quarter of the size, which looks the same."""
    height, width = image.shape
    small = cv2.resize(image, (max(1, -(-width // 4)), max(1, -(-height // 4))), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma_um / GRID_UM / 4, borderType=border)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))


def find_crowds(spots: Spots, most: int = 4) -> Float[np.ndarray, "k 2"]:
    """Places where spots crowd, the densest first, as grid coordinates."""
    density = crowd(spots)
    size = 2 * int(35 / GRID_UM) + 1
    peaks = (density >= cv2.dilate(density, np.ones((size, size), np.uint8))) & (density > CROWD_SHARE * density.max())
    place = np.argwhere(peaks)
    order = np.argsort(-density[peaks], kind="stable")[:most]
    return place[order].astype(float)
