"""One z-stack in memory."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Shaped

from cender.errors import UnusableVolume

Role = Literal["red", "green", "other"]


class VoxelSize(NamedTuple):
    """Micrometres between the centres of neighbouring voxels."""

    z_um: float
    y_um: float
    x_um: float


@dataclass(frozen=True, slots=True)
class Stack:
    """The channel of a volume in which neurons are found, with all that must be known of it."""

    image: Shaped[np.ndarray, "z y x"]
    voxel_um: VoxelSize


@dataclass(frozen=True, slots=True)
class Volume:
    """One z-stack of a recording, with all the channels that were read.

    ``red`` is the activity-independent channel in which neurons are found, ``green`` the calcium indicator.
    """

    index: int
    time_s: float
    data: Shaped[np.ndarray, "c z y x"]
    voxel_um: VoxelSize | None = None
    roles: tuple[Role, ...] | None = None

    def _channel(self, role: Role) -> Shaped[np.ndarray, "z y x"] | None:
        return self.data[self.roles.index(role)] if self.roles is not None and role in self.roles else None

    @property
    def scale(self) -> VoxelSize:
        """The voxel size of a volume that has one, which every stage demands.

        Raises
        ------
        UnusableVolume
            The volume has no voxel size.
        """
        if self.voxel_um is None:
            raise UnusableVolume("the volume has no voxel size")
        return self.voxel_um

    @property
    def stack(self) -> Stack:
        """What the stages work on: red, or green where there is no red, with its voxel size.

        Raises
        ------
        UnusableVolume
            The volume has neither channel, or no voxel size.
        """
        image = self.green if self.red is None else self.red
        if image is None:
            raise UnusableVolume("the volume has no red or green channel")
        return Stack(image, self.scale)

    @property
    def red(self) -> Shaped[np.ndarray, "z y x"] | None:
        """The reference channel, None where it was not read or the roles are unknown."""
        return self._channel("red")

    @property
    def green(self) -> Shaped[np.ndarray, "z y x"] | None:
        """The activity channel, None where it was not read or the roles are unknown."""
        return self._channel("green")
