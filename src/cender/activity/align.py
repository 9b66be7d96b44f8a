"""Green as the red camera would see it, for pictures of both."""

from typing import Any

import cv2
import numpy as np
from jaxtyping import Float, Shaped

from cender.types import Crop


def bring_to_red(
    green: Shaped[np.ndarray, "z y x"], channel_map: Any, crop: Crop | None = None
) -> Shaped[np.ndarray, "z h w"]:
    """Green as the red camera would see it, by the map that the run kept; as it is where there is none.

    With a crop only that part of red's frame is made; pixels keep their type.
    """
    height, width = green.shape[1:]
    crop = crop or Crop(0, 0, width, height)
    matrix = read_matrix(channel_map)
    if matrix is None:
        return green[:, crop.y : crop.y + crop.h, crop.x : crop.x + crop.w]
    frames = np.clip(np.arange(len(green)) + int(channel_map.get("shift_z", 0)), 0, len(green) - 1)
    moved = matrix.copy()
    moved[:, 2] += matrix[:, :2] @ (crop.y, crop.x)
    # cv2 counts x before y.
    turned = moved[::-1][:, [1, 0, 2]]
    kind = green.dtype if green.dtype in (np.uint8, np.uint16) else np.dtype(np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    whole = [
        cv2.warpAffine(green[z].astype(kind), turned, (crop.w, crop.h), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        for z in frames
    ]
    return np.stack(whole).astype(green.dtype)


def read_matrix(channel_map: Any) -> Float[np.ndarray, "2 3"] | None:
    """The map from red to green that a run kept in its settings, None where there is none."""
    values = channel_map.get("red_to_green") if isinstance(channel_map, dict) else None
    if not isinstance(values, list) or len(values) != 6 or not all(isinstance(one, int | float) for one in values):
        return None
    return np.array(values, float).reshape(2, 3)
