"""A frame of its own for every cloud of neurons, so that where the head lies and points to matters little."""

import numpy as np
from jaxtyping import Float

UNIT_UM = 84.0
"""Length of one unit of the frame, about that of a head's neurons."""

POSES = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]])
"""Signs of ``z y x`` for a cloud as it is, seen from the other end, rolled onto its other side, and both."""


def place_points(position_um: Float[np.ndarray, "m 3"]) -> Float[np.ndarray, "m 3"]:
    """Points ``z y x`` in units of 84 µm about their median, x along the longest direction of the image plane.

    The denser end (third moment) lies at negative x. Only rotation in the plane and translation: left stays left.
    """
    if len(position_um) == 0:
        return np.zeros((0, 3))
    centred = (position_um - np.median(position_um, axis=0)) / UNIT_UM
    plane = centred[:, 1:]
    # A stray point far away must not turn the frame: what lies beyond three typical distances is pulled in.
    distance = np.linalg.norm(plane, axis=1)
    reach = 3 * np.median(distance) + 1e-9
    held = plane * np.minimum(1.0, reach / np.maximum(distance, 1e-12))[:, None]
    _, directions = np.linalg.eigh(held.T @ held)
    along = directions[:, 1]  # y x of the longest direction
    if np.sum((held @ along) ** 3) < 0:
        along = -along
    # Turning (y x) so that `along` becomes +x, without a reflection.
    turn = np.array([[along[1], along[0]], [-along[0], along[1]]])
    return np.concatenate([centred[:, :1], plane @ turn], axis=1)
