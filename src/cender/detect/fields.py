"""What the paper's network sees of a peak: five concentric fields in one frame."""

import numpy as np
from jaxtyping import Float, Int

SIDE_PX = 41
"""Side of the fields that the network sees."""
WIDE_PX = 81
"""Side of the widest surroundings, which are shrunk to `SIDE_PX`."""
MASKED_PX = (15, 31)
"""Sides of the squares outside of which two of the fields are dark."""


def pad_frames(scaled: Float[np.ndarray, "z h w"]) -> Float[np.ndarray, "z h2 w2"]:
    """Frames with zeros around them, so that every pixel has a whole wide field."""
    edge = WIDE_PX // 2
    return np.pad(scaled, ((0, 0), (edge, edge), (edge, edge)))


def cut_fields(
    padded: Float[np.ndarray, "z h2 w2"], peaks: Int[np.ndarray, "n 3"]
) -> tuple[Float[np.ndarray, "n 41 41"], Float[np.ndarray, "n 41 41"]]:
    """The 41-pixel field around every peak as it is, and the 81-pixel field shrunk to 41."""
    windows = np.lib.stride_tricks.sliding_window_view(padded, (WIDE_PX, WIDE_PX), axis=(1, 2))
    wide = windows[tuple(peaks.T)]
    edge = (WIDE_PX - SIDE_PX) // 2
    near = wide[:, edge : edge + SIDE_PX, edge : edge + SIDE_PX]
    return np.ascontiguousarray(near), _SHRINK @ wide @ _SHRINK.T


def stack_fields(
    near: Float[np.ndarray, "n 41 41"], wide: Float[np.ndarray, "n 41 41"], anchor_px: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "n 5 41 41"]:
    """The network's input: anchor, 15, 31, 41 and 81 pixels wide, zero around the smaller ones."""
    fields = np.empty((len(near), 5, SIDE_PX, SIDE_PX), np.float32)
    distance = np.abs(np.arange(SIDE_PX) - SIDE_PX // 2)
    reach = np.maximum.outer(distance, distance)
    fields[:, 0] = near * (reach <= anchor_px[:, None, None] // 2)
    for channel, size in enumerate(MASKED_PX, 1):
        fields[:, channel] = near * (reach <= size // 2)
    fields[:, 3] = near
    fields[:, 4] = wide
    return fields


def _make_shrink() -> Float[np.ndarray, "41 81"]:
    """Matrix of linear interpolation along one side, with pixel centres at half-integers."""
    place = (np.arange(SIDE_PX) + 0.5) * WIDE_PX / SIDE_PX - 0.5
    weight = np.clip(1 - np.abs(place[:, None] - np.arange(WIDE_PX)), 0, 1)
    return np.asarray(weight, np.float32)


_SHRINK = _make_shrink()
"""Averages `WIDE_PX` pixels into `SIDE_PX`, as a matrix."""
