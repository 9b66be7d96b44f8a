"""What surrounds a candidate, in the image and in both heats, sampled at distances in µm.

Everything that a judge needs to tell a neuron from the shoulder of another one, from a second sight of the same one and
from noise lies within a few micrometres of it.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32, Int, UInt8

from cender.detect.decode import STRIDE
from cender.types import Maps

STEP_UM = 0.5
"""Distance between samples within a frame."""
FAR_STEP_UM = 1.0
"""The same in layers far from the candidate's own."""
HEAT_LAYERS = ((0.0, 4), (1.25, 4), (2.5, 2))
"""Distances from the candidate along z at which heats are sampled, each on both sides, and samples on either side."""
IMAGE_LAYERS = ((0.0, 5), (1.25, 5), (2.5, 2), (4.0, 2))
"""The same for the image."""
NEAR_LAYER_UM = 2.0
"""Layers nearer than this are sampled finely."""
_CUT = np.float32(-8.0), np.float32(8.0)
"""Logits are cut here; beyond the image they are the lowest."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A square of samples in one layer: of which picture, how far along z, and how far across (``y x``), in µm."""

    picture: int
    z_um: float
    reach: int

    @property
    def across_um(self) -> Float[np.ndarray, "s 2"]:
        """Places of the samples beside the candidate, row by row."""
        step = STEP_UM if abs(self.z_um) < NEAR_LAYER_UM else FAR_STEP_UM
        side = np.arange(-self.reach, self.reach + 1) * step
        return np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)

    @property
    def side(self) -> int:
        """Samples along one side of the square."""
        return 2 * self.reach + 1


def _list_layers() -> tuple[Layer, ...]:
    found = []
    for picture, layers in enumerate((HEAT_LAYERS, HEAT_LAYERS, IMAGE_LAYERS)):
        for z_um, reach in layers:
            found += [Layer(picture, way * z_um, reach) for way in ((-1, 1) if z_um else (1,))]
    return tuple(found)


LAYERS = _list_layers()
"""All layers that are sampled: of the region heat, of the neuron heat, and of the image."""
SAMPLES = sum(layer.side**2 for layer in LAYERS)
"""Samples of each candidate."""


def sample_surroundings(
    maps: Maps,
    image: UInt8[np.ndarray, "z y x"] | Float32[np.ndarray, "z y x"],
    centre: Float[np.ndarray, "k 3"],
    step_um: Float[np.ndarray, " 3"],
) -> Float32[np.ndarray, "k s"]:
    """Logits of both heats (in units of 8) and brightness around candidates (``z y x`` on the network's grid)."""
    pictures = [*(np.clip(maps.unpack(number), *_CUT) / _CUT[1] for number in (0, 1)), halve_image(image)]
    pixel = (centre[:, 1:] - (STRIDE - 1) / 2) / STRIDE
    parts = []
    for layer in LAYERS:
        picture = pictures[layer.picture]
        offset = layer.across_um / (step_um[1:] * STRIDE)
        yx = np.rint(pixel[:, None] + offset[None]).astype(int)
        z = centre[:, 0] + layer.z_um / step_um[0]
        low = np.floor(z).astype(int)
        share = (z - low).astype(np.float32)[:, None]
        outside = -1.0 if layer.picture < 2 else None
        parts.append((1 - share) * _read(picture, low, yx, outside) + share * _read(picture, low + 1, yx, outside))
    return np.concatenate(parts, axis=1)


def halve_image(image: UInt8[np.ndarray, "z y x"] | Float32[np.ndarray, "z y x"]) -> Float32[np.ndarray, "z yh xh"]:
    """Mean brightness of two by two pixels, on the grid of the maps."""
    scale = np.float32(2 / 255) if image.dtype == np.uint8 else np.float32(1)
    down, right = (-size % STRIDE for size in image.shape[1:])
    whole = np.pad(image, ((0, 0), (0, down), (0, right)), mode="edge") if down or right else image
    size = (whole.shape[2] // STRIDE, whole.shape[1] // STRIDE)
    return (
        np.stack([cv2.resize(frame, size, interpolation=cv2.INTER_AREA).astype(np.float32) for frame in whole]) * scale
    )


def list_flips() -> Int[np.ndarray, "8 s"]:
    """Order of the samples for each way of turning the surroundings over along z, y and x."""
    start = np.cumsum([0] + [layer.side**2 for layer in LAYERS])
    place = {(layer.picture, layer.z_um): number for number, layer in enumerate(LAYERS)}
    orders = []
    for along in (1, -1):
        for down in (1, -1):
            for right in (1, -1):
                order = []
                for layer in LAYERS:
                    first = start[place[layer.picture, along * layer.z_um if layer.z_um else layer.z_um]]
                    square = np.arange(layer.side**2).reshape(layer.side, layer.side) + first
                    order.append(square[::down, ::right].ravel())
                orders.append(np.concatenate(order))
    return np.stack(orders)


def _read(
    picture: Float32[np.ndarray, "z y x"],
    frame: Int[np.ndarray, " k"],
    yx: Int[np.ndarray, "k s 2"],
    outside: float | None,
) -> Float32[np.ndarray, "k s"]:
    """Values at pixels of a frame each; outside of the picture a constant, or (None) what is nearest."""
    frames, rows, columns = picture.shape
    y, x = yx[..., 0], yx[..., 1]
    z = np.clip(frame, 0, frames - 1)[:, None]
    value = picture[z, np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)]
    if outside is None:
        return np.asarray(value)
    there = (y >= 0) & (y < rows) & (x >= 0) & (x < columns) & ((frame >= 0) & (frame < frames))[:, None]
    return np.where(there, value, np.float32(outside))
