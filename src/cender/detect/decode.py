"""From the network's maps to regions and neuron centres."""

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from cender.types import Maps
from cender.types.maps import CELL

STRIDE = 2
"""Pixels of the image per pixel of the network's maps, along y and x."""
USUAL_PX = 9.0
"""Side of a box whose logarithm the network gives as 0."""
WINDOW = np.ones((3, 3), np.uint8)
"""Window in which a peak must be the highest."""


def find_peaks(heat: Float32[np.ndarray, "z y x"], least: float, across_z: bool) -> Int[np.ndarray, "n 3"]:
    """Places of at least ``least`` that are not below any neighbour, in their frame or also across frames."""
    highest = np.stack([cv2.dilate(frame, WINDOW) for frame in heat])
    peak: Bool[np.ndarray, "z y x"] = (heat >= highest) & (heat >= least)
    if across_z:
        peak[1:] &= heat[1:] >= highest[:-1]
        peak[:-1] &= heat[:-1] > highest[1:]
    # Much faster than `argwhere`, which searches along every axis.
    return np.stack(np.unravel_index(np.flatnonzero(peak), peak.shape), axis=1)


def to_chance(logit: Float32[np.ndarray, "*shape"]) -> Float32[np.ndarray, "*shape"]:
    """Logistic function."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -30, 30))))


def decode_regions(
    maps: Maps, least: float
) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
    """Frame, box (``x y w h`` on the network's grid) and score of every region."""
    least_logit = float(np.log(least / (1 - least)))
    z, y, x = find_peaks(maps.unpack(0), least_logit, across_z=False).T
    said = maps.read(z, y, x).astype(float)
    size = USUAL_PX * np.exp(np.clip(said[:, 2:4], -2, 2))
    centre_x = (x + np.clip(said[:, 4], -2, 2)) * STRIDE + (STRIDE - 1) / 2
    centre_y = (y + np.clip(said[:, 5], -2, 2)) * STRIDE + (STRIDE - 1) / 2
    box = np.column_stack([centre_x - (size[:, 0] - 1) / 2, centre_y - (size[:, 1] - 1) / 2, size])
    return z, box, to_chance(said[:, 0].astype(np.float32)).astype(float)


def decode_centres(
    maps: Maps, least: float
) -> tuple[Int[np.ndarray, "k 3"], Float[np.ndarray, "k 3"], Float[np.ndarray, " k"]]:
    """Pixel of the map, centre (``z y x`` on the network's grid, z between frames) and score of every neuron."""
    least_logit = float(np.log(least / (1 - least)))
    logit = maps.unpack(1)
    z, y, x = find_peaks(logit, least_logit, across_z=True).T
    said = maps.read(z, y, x).astype(float)
    # Beyond the first and the last frame there is nothing.
    below, here, above = (
        np.where(
            (z + way >= 0) & (z + way < len(logit)), to_chance(logit[np.clip(z + way, 0, len(logit) - 1), y, x]), 0
        )
        for way in (-1, 0, 1)
    )
    # The heat falls like a Gaussian along z: the weighted mean of three frames finds its middle.
    depth = z + (above - below) / np.maximum(below + here + above, 1e-6)
    centre_y = (y + np.clip(said[:, 5], -1, 1)) * STRIDE + (STRIDE - 1) / 2
    centre_x = (x + np.clip(said[:, 4], -1, 1)) * STRIDE + (STRIDE - 1) / 2
    return np.column_stack([z, y, x]), np.column_stack([depth, centre_y, centre_x]), here.astype(float)


def read_boxes(
    maps: Maps, frame: Int[np.ndarray, " n"], centre: Float[np.ndarray, "n 2"]
) -> tuple[Float[np.ndarray, "n 4"], Float[np.ndarray, " n"]]:
    """Boxes of the size that the network says at these places (``y x`` of its grid), and their scores."""
    _, _, _, _, tall, wide = maps.packed.shape
    pixel = np.rint((centre - (STRIDE - 1) / 2) / STRIDE).astype(int)
    y, x = np.clip(pixel[:, 0], 0, CELL * tall - 1), np.clip(pixel[:, 1], 0, CELL * wide - 1)
    said = maps.read(frame, y, x).astype(float)
    size = USUAL_PX * np.exp(np.clip(said[:, 2:4], -2, 2))
    box = np.concatenate([centre[:, ::-1] - (size - 1) / 2, size], axis=1)
    return box, to_chance(said[:, 0].astype(np.float32)).astype(float)
