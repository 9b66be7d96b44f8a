"""Colours of neurons, read from the channels of an image at their places."""

import numpy as np
from jaxtyping import Float, Real

RADIUS_UM = 1.5
"""Most of a nucleus of the head lies within this distance of its centre."""


def sample_colours(
    channels: Real[np.ndarray, "c z y x"],
    centre_px: Float[np.ndarray, "n 3"],
    voxel_um: tuple[float, float, float],
) -> Float[np.ndarray, "n c"]:
    """Mean of every channel within 1.5 µm of each centre; NaN for a centre outside the image."""
    reach = [int(np.ceil(RADIUS_UM / side)) for side in voxel_um]
    grid = np.stack(np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij"), axis=-1).reshape(-1, 3)
    ball = grid[((grid * np.array(voxel_um)) ** 2).sum(axis=1) <= RADIUS_UM**2]
    size = np.array(channels.shape[1:])
    colour = np.full((len(centre_px), len(channels)), np.nan)
    for row, centre in enumerate(np.round(centre_px).astype(int)):
        if (centre < 0).any() or (centre >= size).any():
            continue
        at = centre + ball
        z, y, x = at[((at >= 0) & (at < size)).all(axis=1)].T
        colour[row] = channels[:, z, y, x].mean(axis=1)
    return colour
