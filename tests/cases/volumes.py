"""Volumes that a microscope may well deliver and that are not one clean head: each with what must come of it.

``said`` is part of the reason that a volume without a usable head is refused with; where it is None a head may be
found, but must then be right or have a low quality.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from cender.pipeline.volumes.compass import load_compass
from cender.preprocess.compass import Compass
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, VoxelSize

VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)
SIDE = 640


@dataclass(frozen=True, slots=True)
class BadVolume:
    """A named volume, what is wrong with it, and what must be said about it."""

    name: str
    story: str
    red: np.ndarray
    said: str | None = None
    truth: Annotation | None = None
    voxel_um: VoxelSize = VOXEL_UM


@cache
def shipped_compass() -> Compass:
    """The network that finds out how a head lies."""
    return load_compass()


@cache
def good_head(seed: int = 5901, volume: int = 3, side: int = SIDE) -> tuple[np.ndarray, Annotation]:
    """A simulated head in full view and its truth; the array is not to be written to."""
    params = SimulateParams(preset="easy", seed=seed, volumes=6, shape=(18, side, side))
    simulation = simulate_recording(params)
    red = simulation.recording.volume(volume, (0,)).data[0]
    red.flags.writeable = False
    return red, simulation.annotate(volume)


def _noise(shape: tuple[int, int, int] = (18, 400, 400), seed: int = 0) -> np.ndarray:
    """A camera without light: offset, column pattern and read noise."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(0, 1.1, shape[2])
    return np.rint(rng.normal(120, 10, shape) + columns).astype(np.uint16)


def blank() -> BadVolume:
    return BadVolume(
        "blank", "The shutter was closed and the file is zero.", np.zeros((18, 300, 300), np.uint16), "blank"
    )


def constant() -> BadVolume:
    return BadVolume("constant", "Every pixel has the same value.", np.full((18, 300, 300), 137, np.uint16), "137")


def saturated() -> BadVolume:
    red = np.full((18, 300, 300), 65535, np.uint16)
    red[:, :40] = 120
    return BadVolume("saturated", "Most of the field is at the camera's largest count.", red, "saturated")


def not_a_number() -> BadVolume:
    red = good_head()[0].astype(np.float32)
    red[4, 100:140, 200:260] = np.nan
    return BadVolume("NaN", "A block of a float recording is NaN.", red, "NaN")


def infinite() -> BadVolume:
    red = good_head()[0].astype(np.float64)
    red[2, 5, 5] = np.inf
    return BadVolume("infinite", "A pixel of a float recording is infinite.", red, "infinite")


def wrong_dtype() -> BadVolume:
    return BadVolume("wrong dtype", "A mask was given instead of an image.", good_head()[0] > 200, "bool")


def complex_dtype() -> BadVolume:
    return BadVolume("complex", "A Fourier transform was given.", np.ones((3, 200, 200), np.complex64), "complex64")


def empty() -> BadVolume:
    return BadVolume("empty", "A volume without frames.", np.zeros((0, 300, 300), np.uint16), "empty")


def tiny() -> BadVolume:
    return BadVolume("tiny", "8 × 8 pixels.", _noise((18, 8, 8)), "8 × 8")


def no_worm() -> BadVolume:
    return BadVolume("no worm", "The worm has left the field: camera noise only.", _noise(), "spots")


def no_worm_large() -> BadVolume:
    return BadVolume("no worm, large", "Camera noise in a large field.", _noise((6, 1400, 1400), 1), "spots")


def all_noise() -> BadVolume:
    rng = np.random.default_rng(2)
    red = rng.integers(0, 65536, (18, 400, 400), dtype=np.uint16)
    return BadVolume("all noise", "White noise over the whole range of values.", red, "spots")


def hot_pixels_only() -> BadVolume:
    red = _noise(seed=3)
    rng = np.random.default_rng(4)
    y, x = rng.integers(2, 398, (2, 300))
    red[:, y, x] += 1500
    return BadVolume("hot pixels only", "No worm, and 300 pixels stuck far too bright.", red, "spots")


def scattered_dirt() -> BadVolume:
    rng = np.random.default_rng(5)
    dots = np.zeros((640, 640), np.float32)
    y, x = rng.integers(20, 620, (2, 60))
    dots[y, x] = 1
    light = cv2.GaussianBlur(dots, (0, 0), 3.5) * 2 * np.pi * 3.5**2 * 150
    red = (_noise((6, 640, 640), 6) + light).astype(np.uint16)
    return BadVolume("scattered dirt", "Sixty bright spots without order, and no worm.", red)


def one_frame() -> BadVolume:
    red, truth = good_head()
    return BadVolume("one frame", "A single frame through the middle of a head.", red[8:9], truth=truth)


def two_worms() -> BadVolume:
    first, truth = good_head()
    second, _ = good_head(5902)
    red = np.concatenate([first, second], axis=2)
    return BadVolume("two worms", "Two heads in view.", red, truth=truth)


def second_body() -> BadVolume:
    """A head, and beside it a larger, brighter and smoother body."""
    first, truth = good_head()
    glow = np.zeros(first.shape[1:], np.float32)
    cv2.ellipse(glow, (SIDE // 2, SIDE // 2), (300, 60), 20, 0, 360, 250, -1)
    body = np.rint(_noise(first.shape, 7) + cv2.GaussianBlur(glow, (0, 0), 20)).astype(np.uint16)
    return BadVolume(
        "second body", "A larger and brighter body beside the head.", np.concatenate([first, body], 2), truth=truth
    )


def huge() -> BadVolume:
    red, truth = good_head()
    big = np.tile(_noise((1, 640, 640), 8), (3, 4, 4))
    big[:, :SIDE, :SIDE] = red[7:10]
    return BadVolume("huge", "2560 × 2560 pixels, a head in one corner.", big, truth=truth)


def cut_by_border() -> BadVolume:
    red, truth = good_head()
    assert truth.head is not None
    x = round(float(truth.head.origin_yx[1]))
    return BadVolume(
        "cut by the border", "The field ends in the middle of the head.", red[:, :, :x].copy(), truth=truth
    )


def touching_body() -> BadVolume:
    """The same worm's glowing body lies across the field, against the head."""
    red, truth = good_head()
    assert truth.head is not None
    glow = np.zeros(red.shape[1:], np.float32)
    middle = truth.head.origin_yx - truth.head.ventral_yx * 95
    half = truth.head.anterior_yx * 300
    ends = [tuple(np.rint((middle + side * half)[::-1]).astype(int).tolist()) for side in (-1, 1)]
    cv2.line(glow, ends[0], ends[1], 60, 100)
    bent = np.rint(red + cv2.GaussianBlur(glow, (0, 0), 8)).astype(np.uint16)
    return BadVolume("head touching body", "The body lies against the head.", bent, truth=truth)


def dim() -> BadVolume:
    red, truth = good_head()
    weak = (red.astype(np.float32) - 120) * 0.06 + _noise(red.shape, 9)
    return BadVolume(
        "dim", "A head of a few counts under the camera's noise.", np.rint(weak).astype(np.uint16), truth=truth
    )


BUILDERS: tuple[Callable[[], BadVolume], ...] = (
    blank,
    constant,
    saturated,
    not_a_number,
    infinite,
    wrong_dtype,
    complex_dtype,
    empty,
    tiny,
    no_worm,
    no_worm_large,
    all_noise,
    hot_pixels_only,
    scattered_dirt,
    one_frame,
    two_worms,
    second_body,
    huge,
    cut_by_border,
    touching_body,
    dim,
)
