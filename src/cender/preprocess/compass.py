"""A small network that knows how a head lies: it scores every direction of the nose with the belly on either side.

One network looks at the same head turned and mirrored into each hypothesis, as if the nose pointed right and the belly
down, and says how well that fits. So it cannot prefer a direction of the image or a side of the animal: turning or
mirroring the volume turns and mirrors the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from jaxtyping import Float, Float32
from scipy.special import logsumexp

from cender.preprocess.projection import GRID_UM
from cender.preprocess.spots import Spots

ANGLES = 16
"""Directions of the nose that are compared, evenly around the circle."""
ANGLE_RAD = 2 * np.pi * np.arange(ANGLES) / ANGLES
"""Directions in which the compass looks."""
PITCH_UM = 3.8
"""Side of a pixel of the patches that the network sees."""
SIDE = 40
"""Pixels along a side of a patch."""
REACH_UM = 76.0
"""Radius of the circle that the network sees."""
# Training varies anatomy more than simulated animals do, so raw scores are timid (seeds 5000 to 5149 ask for 0.55);
# real heads of other labs are less alike, and ask for caution.
TEMPERATURE = 0.75
SIZES = (0.85, 1.0, 1.18)
"""Sizes in which a head is looked at again where one look leaves doubt: animals and strains differ in length."""
# The mean of several looks is more timid than a single one (rigs drawn at random, seeds 4100 to 4163 and 6000 to 6059).
AGAIN_TEMPERATURE = 0.65

Compass = Callable[[Float32[np.ndarray, "n s s"]], Float32[np.ndarray, "n 2"]]
"""The network: score and bend of every patch."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the compass says about one place.

    ``log_probability`` of every hypothesis: row 0 has ventral a quarter turn from anterior in the sense from x to y,
    row 1 in the other; column k has anterior at k × 22.5° from x towards y. ``head`` is the log-odds that a head is
    here, ``bent`` the probability that it is twisted or in an Ω-turn.
    """

    log_probability: Float[np.ndarray, "2 angles"]
    head: float
    bent: float


def anterior_of(angle_rad: float | Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n 2"]:
    """Unit vector ``y x`` of an angle from x towards y."""
    return np.stack([np.sin(angle_rad), np.cos(angle_rad)], axis=-1)


def ventral_of(angle_rad: float | Float[np.ndarray, "*n"], row: int) -> Float[np.ndarray, "*n 2"]:
    """Unit vector ``y x`` of the ventral side under a hypothesis of this row."""
    return (1 - 2 * row) * np.stack([np.cos(angle_rad), -np.sin(angle_rad)], axis=-1)


def make_grid(
    angle_rad: Float[np.ndarray, " k"], stretch: tuple[float, float] = (1.0, 1.0)
) -> Float32[np.ndarray, "h s s 2"]:
    """Where the pixels of every hypothesis' patch lie around a place, in grid steps (``y x``); row 0 comes first."""
    along = ((np.arange(SIDE) - (SIDE - 1) / 2) * PITCH_UM / GRID_UM).astype(np.float32)
    anterior = anterior_of(angle_rad).astype(np.float32)
    grids = [
        along[None, None, :, None] * np.float32(stretch[0]) * anterior[:, None, None]
        + along[None, :, None, None]
        * (np.float32(stretch[1]) * ventral_of(angle_rad, row).astype(np.float32))[:, None, None]
        for row in (0, 1)
    ]
    return np.concatenate(grids)


def make_window() -> Float32[np.ndarray, "s s"]:
    """One inside a circle, falling to zero at its edge: what is seen must not depend on the hypothesis."""
    along = (np.arange(SIDE) - (SIDE - 1) / 2) * PITCH_UM
    distance = np.hypot(along[:, None], along[None])
    return np.asarray(np.clip((REACH_UM - distance) / 8, 0, 1), np.float32)


def cut_patches(
    map_: Float32[np.ndarray, "y x"], place: Float[np.ndarray, " 2"], grid: Float32[np.ndarray, "h s s 2"]
) -> Float32[np.ndarray, "h s s"]:
    """The map around a place as seen under every hypothesis."""
    at = grid.reshape(-1, SIDE, 2) + np.asarray(place, np.float32)
    seen = cv2.remap(
        map_,
        np.ascontiguousarray(at[..., 1]),
        np.ascontiguousarray(at[..., 0]),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
    )
    return np.asarray(np.asarray(seen).reshape(-1, SIDE, SIDE) * _WINDOW)


def soften(map_: Float32[np.ndarray, "y x"]) -> Float32[np.ndarray, "y x"]:
    """The map without details finer than the pixels of a patch."""
    return np.asarray(cv2.GaussianBlur(map_, (0, 0), 1.2 / GRID_UM))


def read_compass(spots: Spots, place: Float[np.ndarray, " 2"], compass: Compass) -> Reading:
    """How the head at a place (grid coordinates) lies, if there is one."""
    return _interpret(_look(spots, place, compass, 1.0), TEMPERATURE)


def read_again(spots: Spots, place: Float[np.ndarray, " 2"], compass: Compass) -> Reading:
    """The same from looks at the head in several sizes, whose scores are averaged."""
    return _interpret(np.mean([_look(spots, place, compass, size) for size in SIZES], axis=0), AGAIN_TEMPERATURE)


def _look(spots: Spots, place: Float[np.ndarray, " 2"], compass: Compass, size: float) -> Float[np.ndarray, "n 2"]:
    return compass(cut_patches(soften(spots.map), place, _make_grid(size))).astype(float)


def _interpret(out: Float[np.ndarray, "n 2"], temperature: float) -> Reading:
    score, bend = out.T
    sharp = score / temperature
    log_probability = sharp - logsumexp(sharp)
    bent = 1 / (1 + np.exp(-float(np.exp(log_probability) @ bend)))
    return Reading(log_probability.reshape(2, ANGLES), float(logsumexp(score)), float(bent))


@cache
def _make_grid(size: float) -> Float32[np.ndarray, "h s s 2"]:
    return make_grid(ANGLE_RAD, (size, size))


_WINDOW = make_window()
"""Weights of the pixels of a patch."""
