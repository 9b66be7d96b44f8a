"""Both channels of a volume for pictures, green brought to where red has it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import cv2
import numpy as np
from jaxtyping import Float, Shaped

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


def bring_to_red(green: Shaped[np.ndarray, "z y x"], channel_map: Any) -> Shaped[np.ndarray, "z y x"]:
    """Green as the red camera would see it, by the map that the run kept; as it is where there is none."""
    matrix = _read_matrix(channel_map)
    if matrix is None:
        return green
    shift = int(channel_map.get("shift_z", 0))
    frames = np.clip(np.arange(len(green)) + shift, 0, len(green) - 1)
    # cv2 counts x before y.
    turned = matrix[::-1][:, [1, 0, 2]]
    size = green.shape[2], green.shape[1]
    return np.stack(
        [
            cv2.warpAffine(
                green[z].astype(np.float32), turned, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
            for z in frames
        ]
    )  # fmt: skip


def _read_matrix(channel_map: Any) -> Float[np.ndarray, "2 3"] | None:
    values = channel_map.get("red_to_green") if isinstance(channel_map, dict) else None
    if not isinstance(values, list) or len(values) != 6 or not all(isinstance(one, int | float) for one in values):
        return None
    return np.array(values, float).reshape(2, 3)
