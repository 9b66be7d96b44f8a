"""An sCMOS camera: what it reads without light, and how noisily."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, UInt16

from cender.simulate.params import CameraParams


@dataclass(frozen=True, slots=True)
class Camera:
    """Fixed pattern and noise of every pixel of one sensor."""

    offset: Float32[np.ndarray, "y x"]
    read_variance: Float32[np.ndarray, "y x"]
    gain: float
    full_well: int


def make_camera(params: CameraParams, rows: int, columns: int, rng: np.random.Generator) -> Camera:
    """A new sensor with its own pattern of halves, rows, columns and pixels."""
    half = np.arange(rows) >= rows // 2
    pattern = rng.normal(0, params.column_sd, (2, columns))[half.astype(int)]
    pattern += rng.normal(0, params.row_sd, (rows, 1)) + np.where(half, 1, 0)[:, None] * params.half_step
    pattern -= params.shading / (1 + np.exp(-(np.arange(columns) / columns - 0.86) * 40))
    pattern += rng.normal(0, params.pixel_sd, (rows, columns))
    noise = params.read_noise * np.exp(rng.normal(0, params.noise_spread, (rows, columns)))
    hot = rng.random((rows, columns)) < params.hot_pixels
    pattern[hot] += rng.uniform(100, 1500, int(hot.sum()))
    return Camera(
        (params.offset + pattern).astype(np.float32),
        (noise**2).astype(np.float32),
        params.gain,
        params.full_well,
    )


def expose(camera: Camera, light: Float32[np.ndarray, "y x"], rng: np.random.Generator) -> UInt16[np.ndarray, "y x"]:
    """What the camera reads for this light (counts); the light's array is used up."""
    noise = rng.standard_normal(light.shape, dtype=np.float32)
    spread = np.multiply(light, camera.gain)
    spread += camera.read_variance
    noise *= np.sqrt(spread, out=spread)
    light += camera.offset
    light += noise
    np.rint(light, out=light)
    return np.clip(light, 0, camera.full_well, out=light).astype(np.uint16)
