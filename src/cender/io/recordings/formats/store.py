"""What a format gives: an array as the file has it, read lazily, and whatever the file says about it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from cender.types import Role, VoxelSize

Index = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """A lazily read array in the order of its file.

    ``axes`` has one letter a dimension: T C Z Y X, N for an undivided stream of camera frames, ``?`` where the
    file does not say; Y and X (in either order) come last. ``read`` takes one number or slice for every axis
    but these two. ``rate_hz`` and ``times_s`` count along T or N. A NaN in ``voxel_um`` is a side that the file
    does not say. ``kind`` refines the name of the format.
    """

    axes: str
    shape: tuple[int, ...]
    dtype: np.dtype
    read: Callable[[Index], Shaped[np.ndarray, "..."]]
    voxel_um: VoxelSize | None = None
    rate_hz: float | None = None
    times_s: Float[np.ndarray, " n"] | None = None
    roles: tuple[Role, ...] | None = None
    warnings: tuple[str, ...] = ()
    kind: str = ""
