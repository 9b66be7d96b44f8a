"""One volume before the camera: where every nucleus is in every frame, and how it looks there."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from cender.simulate.animal import Animal
from cender.simulate.motion import Motion, place_points
from cender.simulate.params import SimulateParams

FAINTEST = 0.01
"""Share of its light below which a neuron is not drawn in a frame."""
WIDENING = 0.25
"""Share by which the squared width of a nucleus grows out of focus, per squared depth in units of its half depth."""


@dataclass(frozen=True, slots=True)
class Spots:
    """Nuclei as they appear in frames, one row per nucleus and frame; pixels of the red camera.

    ``share`` is the brightness in that frame relative to the nucleus' own peak over depth; ``radius_px`` and
    ``angle_rad`` describe an ellipse at half the peak, ``flat`` its profile.
    """

    frame: Int[np.ndarray, " p"]
    neuron: Int[np.ndarray, " p"]
    centre_px: Float[np.ndarray, "p 2"]
    radius_px: Float[np.ndarray, "p 2"]
    angle_rad: Float[np.ndarray, " p"]
    flat: Float[np.ndarray, " p"]
    share: Float[np.ndarray, " p"]

    def select(self, rows: Int[np.ndarray, " q"] | Bool[np.ndarray, " p"]) -> "Spots":
        """These rows (indices or a mask)."""
        return Spots(*(getattr(self, name)[rows] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Placement:
    """Points in every frame of one volume: ``y x`` pixels, and their distance in z from the frame."""

    centre_px: Float[np.ndarray, "z n 2"]
    depth_um: Float[np.ndarray, "z n"]


def place_in_frames(params: SimulateParams, motion: Motion, adl_um: Float[np.ndarray, "n 3"], volume: int) -> Placement:
    """Where points of the body are while each frame of a volume is exposed."""
    frames, rows, columns = params.shape
    voxel = np.array(params.voxel_um)
    first = volume * motion.steps_per_volume
    placed = place_points(motion, adl_um, slice(first, first + frames))
    if params.optics.mirrored:
        placed[..., 2] *= -1
    frame_um = (np.arange(frames) - (frames - 1) / 2) * voxel[0]
    middle = (np.array([rows, columns]) - 1) / 2
    return Placement(placed[..., 1:] / voxel[1:] + middle, frame_um[:, None] - placed[..., 0])


def find_spots(params: SimulateParams, animal: Animal, placement: Placement, blur_um: float) -> Spots:
    """The nuclei that shine into each frame."""
    depth = np.abs(placement.depth_um) / animal.half_depth_um
    share = np.exp(-np.log(2) * depth**animal.flat_z)
    frame, neuron = np.nonzero(share > FAINTEST)
    voxel_um = float(np.mean(params.voxel_um[1:]))
    sharp = animal.radius_um[neuron]
    wide = np.sqrt((1 + WIDENING * depth[frame, neuron] ** 2)[:, None] * sharp**2 + blur_um**2)
    dimmed = np.prod(sharp, axis=1) / np.prod(np.sqrt(sharp**2 + blur_um**2), axis=1)
    return Spots(
        frame,
        neuron,
        placement.centre_px[frame, neuron],
        wide / voxel_um,
        animal.angle_rad[neuron],
        # Blur rounds a flat top off.
        2 + (animal.flat_xy[neuron] - 2) / (1 + (2 * blur_um / sharp.mean(1)) ** 2),
        share[frame, neuron] * dimmed,
    )


def draw_spots(spots: Spots, size: int) -> tuple[Float32[np.ndarray, "p s s"], Int[np.ndarray, "p 2"]]:
    """Every spot at unit peak on a small square of pixels, and the square's upper left corner."""
    corner = np.floor(spots.centre_px).astype(int) - size // 2
    offset = (spots.centre_px - corner).astype(np.float32)
    grid = np.arange(size, dtype=np.float32)
    dy = grid[None, :, None] - offset[:, 0, None, None]
    dx = grid[None, None, :] - offset[:, 1, None, None]
    cos = np.cos(spots.angle_rad).astype(np.float32)[:, None, None]
    sin = np.sin(spots.angle_rad).astype(np.float32)[:, None, None]
    inverse = (1 / spots.radius_px).astype(np.float32)
    along = (dx * cos + dy * sin) * inverse[:, 0, None, None]
    across = (dy * cos - dx * sin) * inverse[:, 1, None, None]
    squared = along**2 + across**2
    power = (spots.flat / 2).astype(np.float32)[:, None, None]
    return np.exp(np.float32(-np.log(2)) * squared**power), corner


def patch_size(params: SimulateParams, animal: Animal) -> int:
    """Pixels across a square that holds the widest spot down to a percent of its peak."""
    widest = animal.radius_um.max() * 1.4 / min(params.voxel_um[1:])
    return 2 * int(np.ceil(2.6 * widest)) + 1
