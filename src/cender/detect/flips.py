"""A network that is asked four times, about the same frames turned over: what it says is averaged.

A nucleus is as likely upside down. The network has learnt so, but not perfectly: where it answers differently it is
unsure, and the mean is righter than a single answer.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float32, Shaped

from cender.detect.decode import STRIDE
from cender.types import Maps
from cender.types.maps import CELL

LOOKS = 4
"""Times that a volume is looked at, turned over in different ways."""
# Numbers of the maps that hold offsets in the image, and of the one along z.
_ACROSS, _ALONG = [4, 5], [6]

Score = Callable[[Shaped[np.ndarray, "z y x"]], Maps]


def average_flips(score: Score) -> Score:
    """The same network, asked about frames as they are, half turned, in reverse order, and both."""

    def ask(frames: Shaped[np.ndarray, "z y x"]) -> Maps:
        # Whole cells only: maps of turned frames then lie on the same pixels.
        down, right = (-size % (STRIDE * CELL) for size in frames.shape[1:])
        padded = np.pad(frames, ((0, 0), (0, down), (0, right)), mode="edge")
        total = score(padded).packed.copy()
        total += turn_over(score(np.ascontiguousarray(padded[:, ::-1, ::-1])).packed, half=True)
        total += turn_over(score(np.ascontiguousarray(padded[::-1])).packed, reverse=True)
        total += turn_over(score(np.ascontiguousarray(padded[::-1, ::-1, ::-1])).packed, half=True, reverse=True)
        return Maps(total / np.float32(LOOKS))

    return ask


def turn_over(
    packed: Float32[np.ndarray, "m 2 2 z y x"], half: bool = False, reverse: bool = False
) -> Float32[np.ndarray, "m 2 2 z y x"]:
    """What maps of frames that were half turned, or put in reverse order, say about the frames as they were."""
    sign = np.ones((len(packed), 1, 1, 1, 1, 1), np.float32)
    if half:
        packed = packed[:, ::-1, ::-1, :, ::-1, ::-1]
        sign[_ACROSS] = -1
    if reverse:
        packed = packed[:, :, :, ::-1]
        sign[_ALONG] = -1
    return packed * sign
