"""Microscopes and animals drawn at random: what other laboratories may record, as widely as it is in use.

`draw_rig` is frozen like the presets: a figure on the family ``rigs`` stays comparable while `name_rigs` gives the
same hash.
"""

import hashlib
import math
from typing import Any

import numpy as np

from cender.simulate.params import SimulateParams

RIG_STREAM = 77
"""Marks the random numbers that draw a rig."""
NAMED = range(9000, 9100)
"""Seeds of the rigs whose settings make the name of the family."""
PIXEL_UM, STEP_UM = (0.15, 0.8), (0.7, 4.0)
"""Smallest and largest pixel size, and distance between frames."""
FRAMES, MOST_PX = (8, 40), 900
"""Fewest and most frames of a volume, and the longest side of a frame."""
NEURONS = (40.0, 250.0)
"""Fewest and most neurons."""


def draw_rig(seed: int, volumes: int = 40) -> SimulateParams:
    """A microscope, an animal and a way of storing images, all random."""
    rng = np.random.default_rng((seed, RIG_STREAM))
    preset = str(rng.choice(["typical", "typical", "hard"]))
    base = SimulateParams.model_validate({"preset": preset})
    pixel_um, step_um = _spread(PIXEL_UM, rng), _spread(STEP_UM, rng)
    frames = int(np.clip(round(rng.uniform(20, 34) / step_um), *FRAMES))
    sides = np.minimum(np.rint(rng.uniform(90, 180, 2) / pixel_um), MOST_PX).astype(int)
    knobs = {
        "preset": preset,
        "seed": seed,
        "volumes": volumes,
        "shape": (frames, int(sides[0]), int(sides[1])),
        "voxel_um": (step_um, pixel_um, pixel_um),
        "rate_hz": _spread((2.0, 12.0), rng),
        "anatomy": _draw_anatomy(base, rng),
        "optics": _draw_optics(base, rng),
        "motion": {"drift_um": rng.uniform(2, 16)},
        "camera": {"offset": rng.uniform(0, 400), "read_noise": base.camera.read_noise * rng.uniform(0.4, 1.2)},
        "storage": draw_storage(rng),
    }
    return SimulateParams.model_validate(knobs)


def _draw_anatomy(base: SimulateParams, rng: np.random.Generator) -> dict[str, Any]:
    count = round(_spread(NEURONS, rng))
    wide, deep = _spread((0.75, 1.5), rng), _spread((0.75, 1.6), rng)
    return {
        "neurons": (count, count),
        "diameter_um": tuple(wide * size for size in base.anatomy.diameter_um),
        "half_depth_um": tuple(deep * size for size in base.anatomy.half_depth_um),
        "flatness": (2.0, rng.uniform(2, 6)),
        "brightness_sd": rng.uniform(0.3, 0.9),
        "invisible": rng.uniform(0, 0.1),
        "closest_um": rng.uniform(1.3, 3.06),
        "packing": rng.uniform(0.85, 1.05),
    }


def _draw_optics(base: SimulateParams, rng: np.random.Generator) -> dict[str, Any]:
    optics = base.optics
    gut, other = rng.random(2)
    return {
        "peak_counts": optics.peak_counts * _spread((0.8, 10.0), rng),
        "haze": optics.haze * _spread((0.4, 4.0), rng),
        "body_glow": optics.body_glow * _spread((0.3, 4.0), rng),
        "neuropil": optics.neuropil * _spread((0.3, 4.0), rng),
        "debris": int(rng.integers(0, 7)),
        "gut": rng.uniform(0.2, 1.0) if gut < 0.4 else 0.0,
        "others": int(rng.integers(10, 60)) if other < 0.15 else 0,
    }


def draw_storage(rng: np.random.Generator) -> dict[str, Any]:
    """How images are kept: as the camera gave them, denoised, sharpened, without background, in 8 to 16 bits."""
    kind = rng.choice(["raw", "denoised", "sharpened", "removed"], p=[0.35, 0.15, 0.1, 0.4])
    storage: dict[str, Any] = {}
    if kind != "raw":
        storage["denoise_um"] = rng.uniform(0.1, 0.5)
    if kind == "sharpened":
        storage["sharpen"] = rng.uniform(0.5, 2.0)
    if kind == "removed":
        storage["remove_background"] = rng.uniform(2.0, 5.0)
    small = kind == "removed" or rng.random() < 0.3
    storage["largest"] = 255 if small else int(rng.choice([4095, 65535]))
    if rng.random() < 0.25:
        storage["saturate"] = rng.uniform(1.2, 3.0)
    if small and rng.random() < 0.3:
        storage["jpeg_quality"] = int(rng.integers(70, 96))
    return storage


def name_rigs() -> str:
    """Twelve hexadecimal digits that name all rigs of the family that are tested on."""
    text = " ".join(draw_rig(seed).hash for seed in NAMED)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _spread(bounds: tuple[float, float], rng: np.random.Generator) -> float:
    # Not numpy's functions: their last digit, and so the name of the family, depends on the processor.
    low, high = bounds
    return math.exp(rng.uniform(math.log(low), math.log(high)))
