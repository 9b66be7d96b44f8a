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
    """A volume as the stages take it, with all that they need: `Volume.stack` makes it or says what is missing.

    ``image`` is the channel in which neurons are found: red, or green where there is no red. Of ``red`` and ``green``
    one may be None, because a microscope may have a single channel.
    """

    image: Shaped[np.ndarray, "z y x"]
    voxel_um: VoxelSize
    red: Shaped[np.ndarray, "z y x"] | None
    green: Shaped[np.ndarray, "z y x"] | None


@dataclass(frozen=True, slots=True)
class Volume:
    """One z-stack of a recording as it was read, with all the channels that were asked for.

    ``red`` is the activity-independent channel in which neurons are found, ``green`` the calcium indicator. A file that
    says neither its voxel size nor which channel is which can still be looked at; the stages take `stack`.
    """

    index: int
    time_s: float
    data: Shaped[np.ndarray, "c z y x"]
    voxel_um: VoxelSize | None = None
    roles: tuple[Role, ...] | None = None

    def _channel(self, role: Role) -> Shaped[np.ndarray, "z y x"] | None:
        return self.data[self.roles.index(role)] if self.roles is not None and role in self.roles else None

    @property
    def stack(self) -> Stack:
        """The same volume as the stages take it.

        Raises
        ------
        UnusableVolume
            The volume has neither channel, or no voxel size.
        """
        red, green = self.red, self.green
        image = green if red is None else red
        if image is None:
            raise UnusableVolume("the volume has no red or green channel", "incomplete")
        if self.voxel_um is None:
            raise UnusableVolume("the volume has no voxel size", "incomplete")
        return Stack(image, self.voxel_um, red, green)

    @property
    def red(self) -> Shaped[np.ndarray, "z y x"] | None:
        """The reference channel, None where it was not read or the roles are unknown."""
        return self._channel("red")

    @property
    def green(self) -> Shaped[np.ndarray, "z y x"] | None:
        """The activity channel, None where it was not read or the roles are unknown."""
        return self._channel("green")
