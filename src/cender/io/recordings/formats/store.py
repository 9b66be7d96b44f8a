"""What a format gives: an array as the file has it, read lazily, and whatever the file says about it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Shaped

from cender.types import Role, VoxelSize

Index = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True)
class VoxelHint:
    """Three numbers that look like a voxel size: where they stand, and how they read as z, y, x."""

    where: str
    voxel_um: VoxelSize


@dataclass(frozen=True, slots=True)
class Store:
    """A lazily read array in the order of its file.

    ``axes`` has one letter per dimension, in any order: T C Z Y X, N for an undivided stream of camera frames,
    ``?`` where the file does not say. ``read`` takes one number or slice for every axis but the last two, and for
    these as well where ``any_index`` says so. ``rate_hz`` and ``times_s`` count along T or N. A NaN in ``voxel_um``
    is a side that the file does not say; ``voxel_hint`` is something in the file that looks like the voxel size
    but does not say so plainly. ``kind`` refines the name of the format.
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
    any_index: bool = False
    voxel_hint: "VoxelHint | None" = None
