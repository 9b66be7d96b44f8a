"""Light that is not a nucleus in focus: haze, the body's own glow, nerve ring and cord.

All of it is smooth, so it is drawn at a quarter of the size.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32

from cender.simulate.ganglia import CORD_DEPTH_UM, CORD_FIRST_UM, NERVE_RING_UM
from cender.simulate.params import SimulateParams
from cender.simulate.scene import Placement

COARSE_PX = 4
"""Pixels of the image per pixel of the background, which is smooth."""
NEAR_UM, FAR_UM = 4.5, 10.0
"""Standard deviations of the blurs of light from near and from far out of focus."""
HAZE_DEPTH_UM = 9.0
"""Depth over which the haze of a nucleus falls to 1/e."""
NEUROPIL_DEPTH_UM = 3.5
"""Depth at which the light of the neuropil has fallen to 1/e."""


@dataclass(frozen=True, slots=True)
class Tissue:
    """Points of the body that glow: the neuropil's, with their relative light, and the two sides' outline."""

    neuropil_adl: Float[np.ndarray, "n 3"]
    neuropil_light: Float[np.ndarray, " n"]
    outline_adl: Float[np.ndarray, "m 3"]


def make_tissue(rng: np.random.Generator) -> Tissue:
    """Nerve ring, ventral cord and outline of an animal."""
    around = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ring = np.stack(
        [
            rng.uniform(*NERVE_RING_UM, 72),
            8.5 * np.sin(around) + rng.normal(0, 1, 72),
            7.5 * np.cos(around) + rng.normal(0, 1, 72),
        ],
        axis=1,
    )
    cord_a = np.arange(CORD_FIRST_UM - 12, 300, 2.0)
    cord = np.stack([cord_a, np.full(len(cord_a), CORD_DEPTH_UM), rng.normal(0, 0.6, len(cord_a))], axis=1)
    along = np.arange(-3.0, 316.0, 6.0)
    half = half_width_um(along)
    outline = np.concatenate([np.stack([along, half], 1), np.stack([along, -half], 1)[::-1]])
    return Tissue(
        np.concatenate([ring, cord]),
        np.concatenate([np.full(72, 1.0), 2.2 * np.exp(-(cord_a - cord_a[0]) / 60)]),
        np.concatenate([outline, np.zeros((len(outline), 1))], axis=1),
    )


def half_width_um(along_um: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Half the width of the body at these distances from the nose."""
    return 17.0 * (1 - np.exp(-(along_um + 4) / 24))


@dataclass(frozen=True, slots=True)
class Glow:
    """Everything that glows softly in one volume, by frame, at the place where a camera sees it."""

    neurons: Placement
    neuropil: Placement
    outline: Placement


def draw_background(
    params: SimulateParams, glow: Glow, tissue: Tissue, counts: Float[np.ndarray, " n"], frame: int
) -> Float32[np.ndarray, "y x"]:
    """Smooth light in one frame, at a quarter of its size; ``counts`` is the light of every neuron."""
    optics = params.optics
    rows, columns = (-(-size // COARSE_PX) for size in params.shape[1:])
    scale_um = COARSE_PX * float(np.mean(params.voxel_um[1:]))
    total = np.zeros((rows, columns), np.float32)
    depth = np.abs(glow.neurons.depth_um[frame])
    strength = optics.haze * counts * np.exp(-depth / HAZE_DEPTH_UM)
    for sigma_um, weight in ((NEAR_UM, np.exp(-depth / 6)), (FAR_UM, 1 - np.exp(-depth / 6))):
        total += _splat(glow.neurons.centre_px[frame], strength * weight, sigma_um / scale_um, (rows, columns))
    ring = np.exp(-((glow.neuropil.depth_um[frame] / NEUROPIL_DEPTH_UM) ** 2))
    light = optics.neuropil * np.median(counts) * tissue.neuropil_light * ring
    total += _splat(glow.neuropil.centre_px[frame], light, 2.0 / scale_um, (rows, columns))
    polygon = np.zeros((rows, columns), np.float32)
    cv2.fillPoly(polygon, [np.rint(glow.outline.centre_px[frame, :, ::-1] / COARSE_PX).astype(np.int32)], 1.0)
    middle = np.exp(-((np.median(glow.outline.depth_um[frame]) / 14) ** 2))
    total += optics.body_glow * np.median(counts) * middle * cv2.GaussianBlur(polygon, (0, 0), 3.5 / scale_um)
    return total


def enlarge(coarse: Float32[np.ndarray, "yc xc"], rows: int, columns: int) -> Float32[np.ndarray, "y x"]:
    """The smooth light at full size."""
    full = cv2.resize(
        coarse, (coarse.shape[1] * COARSE_PX, coarse.shape[0] * COARSE_PX), interpolation=cv2.INTER_LINEAR
    )
    return np.ascontiguousarray(full[:rows, :columns])


def _splat(
    centre_px: Float[np.ndarray, "n 2"], light: Float[np.ndarray, " n"], sigma: float, shape: tuple[int, int]
) -> Float32[np.ndarray, "y x"]:
    """Gaussians of these peak heights, drawn by blurring single pixels."""
    image = np.zeros(shape, np.float32)
    index = np.rint(centre_px / COARSE_PX).astype(int)
    inside = ((index >= 0) & (index < shape)).all(1)
    np.add.at(image, tuple(index[inside].T), light[inside].astype(np.float32))
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)) * np.float32(
        2 * np.pi * sigma**2
    )
