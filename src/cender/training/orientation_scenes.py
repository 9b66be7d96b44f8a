"""Simulated heads of many kinds, as the small pictures in which `preprocess` looks for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from jaxtyping import Float, Float32

from cender.preprocess.projection import take_picture
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.types import Head, VoxelSize

SECONDS = 24.0


@dataclass(frozen=True, slots=True)
class Scene:
    """Small picture of one volume with its true head: origin in grid steps, unit vectors ``y x``."""

    counts: Float32[np.ndarray, "h w"]
    origin: Float[np.ndarray, " 2"]
    anterior: Float[np.ndarray, " 2"]
    ventral: Float[np.ndarray, " 2"]
    seed: int
    events: tuple[str, ...]


def draw_scenes(seed: int, volumes: int = 6) -> Iterator[Scene]:
    """A few volumes of one simulated animal, microscope and posture drawn from the seed."""
    rng = np.random.default_rng((seed, 31))
    simulation = simulate_recording(_draw_params(seed, rng))
    for volume in np.sort(rng.permutation(len(simulation.recording))[:volumes]):
        yield _see(simulation, int(volume), rng)


def _see(simulation: Simulation, volume: int, rng: np.random.Generator) -> Scene:
    params = simulation.world.params
    voxel = VoxelSize(*params.voxel_um)
    red = simulation.recording.volume(volume, (0,)).data[0]
    if rng.random() < 0.1:
        # Another rig's thin stack, down to a single frame near the middle.
        kept = int(rng.integers(1, 8))
        first = int(rng.integers(4, max(5, len(red) - 4 - kept)))
        red = red[first : first + kept]
    picture = take_picture(red, voxel)
    head = cast(Head, simulation.annotate(volume).head)
    origin = (head.origin_yx + 0.5) / np.array(picture.step_px) - 0.5
    return Scene(picture.counts, origin, head.anterior_yx, head.ventral_yx, params.seed, simulation.events(volume))


def _draw_params(seed: int, rng: np.random.Generator) -> SimulateParams:
    """The presets as they are for half of the animals, every knob turned for the others."""
    pixel = rng.uniform(0.45, 0.65)
    rows, columns = (rng.uniform(190, 300, 2) / pixel).astype(int)
    values: dict[str, Any] = {
        "seed": seed,
        "preset": str(rng.choice(("easy", "typical", "hard"), p=(0.1, 0.45, 0.45))),
        "volumes": int(5 * SECONDS),
        "shape": (18, int(rows), int(columns)),
        "voxel_um": (1.5, float(pixel), float(pixel)),
        "optics": {"mirrored": bool(rng.random() < 0.5)},
        "motion": {"omega_turns_per_min": 1.5, "twists_per_min": 1.5},
    }
    if rng.random() < 0.5:
        _turn_knobs(values, rng)
    return SimulateParams(**values)


def _turn_knobs(values: dict[str, Any], rng: np.random.Generator) -> None:
    fewest = int(rng.integers(80, 180))
    values["anatomy"] = {
        "neurons": (fewest, fewest + 10),
        "invisible": float(rng.uniform(0, 0.25)),
        "variation_um": float(rng.uniform(0.8, 3.0)),
        "scale_sd": float(rng.uniform(0.03, 0.12)),
        "brightness_sd": float(rng.uniform(0.3, 0.9)),
    }
    values["optics"] |= {
        "peak_counts": float(np.exp(rng.uniform(np.log(35), np.log(600)))),
        "haze": float(rng.uniform(0.003, 0.03)),
        "body_glow": float(rng.uniform(0, 0.15)),
        "neuropil": float(rng.uniform(0, 0.12)),
        "debris": int(rng.integers(0, 25)),
        "defocus_per_min": 6.0,
    }
    values["motion"] |= {"roll_rad": float(rng.uniform(0.05, 0.35)), "swing_rad": float(rng.uniform(0.2, 0.7))}
    values["camera"] = {"hot_pixels": float(10 ** rng.uniform(-6, -3.3))}
