"""What drawings of found neurons share: colours, frames worth showing, and the part of an image in a crop."""

import numpy as np
from jaxtyping import Float, Shaped
from matplotlib import colormaps

from cender.types import Crop, Regions


def cut(image: Shaped[np.ndarray, "y x"], crop: Crop) -> Shaped[np.ndarray, "h w"]:
    """The part of an image inside a rectangle."""
    return image[crop.y : crop.y + crop.h, crop.x : crop.x + crop.w]


def choose_colours(count: int) -> Float[np.ndarray, "m 4"]:
    """A colour for each neuron; numbers that follow each other are far apart in hue."""
    return np.asarray(colormaps["hsv"]((np.arange(count) * 0.61803) % 1)).reshape(-1, 4)


def choose_frames(regions: Regions, count: int) -> list[int]:
    """Frames with boxes, spread evenly."""
    present = np.unique(regions.z)
    if not len(present):
        return []
    return [int(z) for z in present[np.unique(np.linspace(0, len(present) - 1, count).round().astype(int))]]
