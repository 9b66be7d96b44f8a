"""Which arithmetic the default detector's int8 network gets on this CPU: its figures depend on it."""

from functools import cache
from typing import Literal

import numpy as np

from cender.nets.graph import FINEST, quantise, quantise_filters
from cender.nets.runtime import ops, ov

Int8 = Literal["int8", "int8 with filters of 7 bits"]
# Channels and side of the convolution that is tried, and its filters' side.
CHANNELS, SIDE, FILTER = 16, 8, 3


@cache
def name_int8() -> Int8:
    """What int8 means on this CPU."""
    return "int8" if find_finest() == FINEST else "int8 with filters of 7 bits"


@cache
def find_finest() -> int:
    """The largest number that filters may have in int8 here.

    CPUs without instructions for it (VNNI) add pairs of products in 16 bits, and cut what does not fit: a convolution
    of nothing but the largest numbers shows it. Two products of a byte and half of the largest number do fit.
    """
    exact = CHANNELS * FILTER**2
    return FINEST if _convolve_largest() > exact - 1 else FINEST // 2


def _convolve_largest() -> float:
    """A value in the middle of a convolution of ones with ones, the largest numbers that its int8 has."""
    frames = ops.parameter([1, CHANNELS, 1, SIDE, SIDE], np.float32, name="frames")
    filters = quantise_filters(np.ones((CHANNELS, CHANNELS, 1, FILTER, FILTER), np.float32))
    reach = [0, FILTER // 2, FILTER // 2]
    out = ops.convolution(quantise(frames, 1.0), filters, [1, 1, 1], reach, reach, [1, 1, 1])
    # A convolution without a bias may be computed in another way.
    out = ops.relu(ops.add(out, ops.constant(np.zeros((1, CHANNELS, 1, 1, 1), np.float32))))
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}
    model = ov.Core().compile_model(ov.Model([out], [frames], "largest"), "CPU", settings)
    found = model(np.ones((1, CHANNELS, 1, SIDE, SIDE), np.float32))[0]
    return float(found[0, 0, 0, SIDE // 2, SIDE // 2])
