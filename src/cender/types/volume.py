"""One z-stack in memory."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Shaped

Role = Literal["red", "green", "other"]


class VoxelSize(NamedTuple):
    """Micrometres between the centres of neighbouring voxels."""

    z_um: float
    y_um: float
    x_um: float


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
    def red(self) -> Shaped[np.ndarray, "z y x"] | None:
        """The reference channel, None where it was not read or the roles are unknown."""
        return self._channel("red")

    @property
    def green(self) -> Shaped[np.ndarray, "z y x"] | None:
        """The activity channel, None where it was not read or the roles are unknown."""
        return self._channel("green")
