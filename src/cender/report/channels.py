"""Both channels of a volume for pictures, green brought to where red has it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Shaped

from cender.activity.align import bring_to_red
from cender.errors import CenderError
from cender.types import Recording


class Seen(NamedTuple):
    """The channel in which neurons were found, and green beside it; or why there is nothing to see."""

    red: Shaped[np.ndarray, "z y x"] | None = None
    green: Shaped[np.ndarray, "z y x"] | None = None
    problem: str | None = None


def read_channels(recording: Recording, volume: int, settings: Mapping[str, Any]) -> Seen:
    """Red and green of a volume; where there is no red, green stands for it and there is no other."""
    red, green = recording.channel("red"), recording.channel("green")
    roles = [channel for channel in (red, green) if channel is not None]
    if not roles:
        return Seen(problem="no channel of it is red or green")
    try:
        data = recording.volume(volume, tuple(roles)).data
    except (CenderError, OSError, IndexError) as error:
        return Seen(problem=str(error))
    return Seen(data[0], bring_to_red(data[1], settings.get("channel_map")) if len(roles) == 2 else None)
