"""Where the head is in one volume, and how the worm lies."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

HeadDoubt = Literal["two animals", "part of a head"]
"""What may be wrong with the view of a head."""


class Crop(NamedTuple):
    """A rectangle of whole pixels in the full frame: ``x:x+w``, ``y:y+h``."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class Head:
    """Head region of one volume and the worm's own axes, in full-frame pixels.

    ``anterior_yx`` and ``ventral_yx`` are unit vectors in the image. ``confidence`` is the probability that both point
    the right way, ``quality`` (0 to 1) how far the volume can be trusted at all: it is low in twists, Ω-turns and dim
    volumes.
    ``hull_yx`` is the convex hull of all bright spots that hang together with the head; empty where it is not known.
    ``doubts`` say what is wrong with the view, if anything.
    """

    crop: Crop
    outline_yx: Float[np.ndarray, "n 2"]
    origin_yx: Float[np.ndarray, " 2"]
    anterior_yx: Float[np.ndarray, " 2"]
    ventral_yx: Float[np.ndarray, " 2"]
    quality: float = 1.0
    confidence: float = 1.0
    hull_yx: Float[np.ndarray, "k 2"] = field(default_factory=lambda: np.zeros((0, 2)))
    doubts: tuple[HeadDoubt, ...] = ()
