"""Sizes that the detector's networks have, in torch as in OpenVINO."""

from collections.abc import Mapping
from typing import Any

import numpy as np

PACKED = 4
"""Side of the squares of pixels that become channels."""
TOP = 2.0
"""Brightness of the highest level where frames are given as 256 levels."""
SCALES = 3
"""Scales that the deep network computes at, each half as fine as the one before."""
BLOCKS = 2
"""Its pairs of layers at every scale, on the way down and, but for the coarsest, on the way up."""


def is_deep(arrays: Mapping[str, Any]) -> bool:
    """Whether these are the weights of the deep network."""
    return np.ndim(arrays["enter.weight"]) == 5


def find_multiple(arrays: Mapping[str, Any]) -> int:
    """What the sides of frames must be multiples of for the network of these weights."""
    return PACKED * 2 ** (SCALES - 1) if is_deep(arrays) else PACKED
