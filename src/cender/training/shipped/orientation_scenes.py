"""Simulated heads of many kinds, sketched on the small grid in which `preprocess` looks for them.

Postures and anatomy are the simulator's; nuclei are drawn straight onto the grid, without frames and cameras, so that
thousands of scenes take a minute. Ganglia are moved, resized, thinned and lit anew in every scene: real animals and
other strains differ from the simulator's average animal, and the compass must not rely on its details.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from cender.preprocess.projection import GRID_UM
from cender.simulate import SimulateParams, simulate_recording
from cender.simulate.ganglia import CORD_DEPTH_UM, GANGLIA, make_species
from cender.simulate.motion import bend_centre_line, place_points
from cender.simulate.world import World

FIELD_UM = 264.0
"""Side of a simulated field of view."""
BLUR_UM = 0.6
"""Standard deviation of the microscope's blur."""
PATCH = 4
"""Half the side, in grid steps, of the square that a nucleus is drawn in."""
NOSE_UM, NECK_UM = 20.0, 100.0
"""Points of the centre line between which the anterior direction is measured."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Small picture of one volume with its true head: origin in grid steps, unit vectors ``y x``."""

    counts: Float32[np.ndarray, "h w"]
    origin: Float[np.ndarray, " 2"]
    anterior: Float[np.ndarray, " 2"]
    ventral: Float[np.ndarray, " 2"]
    seed: int
    events: tuple[str, ...]


def draw_scenes(seed: int, volumes: int) -> Iterator[Scene]:
    """Moments of one simulated animal in its posture, each with an anatomy of its own."""
    rng = np.random.default_rng((seed, 31))
    simulation = simulate_recording(_draw_params(seed, rng))
    for volume in np.sort(rng.permutation(len(simulation.recording))[:volumes]):
        yield _sketch(simulation.world, int(volume), simulation.events(int(volume)), rng)


def _draw_params(seed: int, rng: np.random.Generator) -> SimulateParams:
    fewest = int(rng.integers(90, 185))
    values: dict[str, Any] = {
        "seed": seed,
        "preset": str(rng.choice(("typical", "hard"))),
        "volumes": 60,
        "shape": (18, 64, 64),
        "anatomy": {"neurons": (fewest, fewest + 10), "variation_um": float(rng.uniform(0.8, 2.0))},
        "motion": {
            "omega_turns_per_min": 1.5,
            "twists_per_min": 1.5,
            "roll_rad": float(rng.uniform(0.05, 0.3)),
            "drift_um": 8.0,
        },
    }
    return SimulateParams(**values)


def _sketch(world: World, volume: int, events: tuple[str, ...], rng: np.random.Generator) -> Scene:
    motion, animal = world.motion, world.animal
    step = volume * motion.steps_per_volume + world.params.shape[0] // 2
    now = slice(step, step + 1)
    adl_um = animal.adl_um
    if rng.random() < 0.75:
        adl_um = vary_anatomy(adl_um, animal.identity, rng)
    brightness = np.exp(rng.normal(0, rng.uniform(0.3, 0.8), len(animal)))
    seen = place_points(motion, adl_um, now)[0]
    mirror = np.array([1, rng.choice((-1.0, 1.0))])
    place = seen[:, 1:] * mirror / GRID_UM + FIELD_UM / GRID_UM / 2
    depth_um = rng.uniform(5, 16) if rng.random() < 0.3 else 16.0
    light = brightness * np.exp(-((np.abs(seen[:, 0]) / depth_um) ** 6))
    size_um = np.sqrt((animal.radius_um.mean(1) / 1.18) ** 2 + BLUR_UM**2)
    line, _ = bend_centre_line(motion, now)
    spine = line[0] * mirror
    anterior = spine[int(NOSE_UM / 2)] - spine[int(NECK_UM / 2)]
    anterior /= np.linalg.norm(anterior)
    back, belly = place_points(motion, np.array([[72.0, 8.0, 0.0], [72.0, -8.0, 0.0]]), now)[0, :, 1:] * mirror
    ventral = np.array([anterior[1], -anterior[0]])
    ventral *= np.sign((belly - back) @ ventral) or 1.0
    counts = _draw_nuclei(place, light, size_um / GRID_UM, rng)
    # The ganglion that most crowded places are: behind the nerve ring, in front of the cord.
    dense = (adl_um[:, 0] > 25) & (adl_um[:, 0] < 115)
    return Scene(counts, place[dense].mean(0), anterior, ventral, world.params.seed, events)


def vary_anatomy(
    adl_um: Float[np.ndarray, "n 3"], identity: Int[np.ndarray, " n"], rng: np.random.Generator
) -> Float[np.ndarray, "n 3"]:
    """Neurons of an animal with every ganglion moved and resized, and some cells turned into cells of the cord."""
    varied = adl_um * np.exp(rng.normal((0, 0.1, 0), (0, 0.2, 0.1)))
    ganglion = _ganglia()[identity]
    for index in range(len(GANGLIA)):
        mine = ganglion == index
        if mine.any():
            middle = varied[mine].mean(0)
            size = np.exp(rng.normal(0.1, 0.35, 3))
            moved = middle + rng.normal(0, (6.0, 2.0, 1.0))
            varied[mine] = moved + (varied[mine] - middle) * size
            # A strain may label only part of a ganglion: the others are moved far out of focus.
            lost = mine & (rng.random(len(mine)) < rng.uniform(0, 0.6) * (rng.random() < 0.4))
            varied[lost, 2] += 200
    _lengthen_cord(varied, ganglion < 0, rng)
    return varied


@cache
def _ganglia() -> Int[np.ndarray, " n"]:
    return make_species().ganglion


def _lengthen_cord(adl_um: np.ndarray, cord: Bool[np.ndarray, " n"], rng: np.random.Generator) -> None:
    """A cord of any density, beginning where the retrovesicular ganglion ends or well behind it, sometimes none."""
    extra = rng.permutation(len(adl_um))[: int(rng.integers(0, 25))]
    chosen = cord.copy()
    chosen[extra] = True
    if rng.random() < 0.1:
        adl_um[chosen, 2] += 200
        return
    first = rng.uniform(88, 125)
    along = np.sort(first + rng.uniform(0, rng.uniform(40, 110), int(chosen.sum())))
    adl_um[chosen] = np.stack(
        [along, rng.normal(CORD_DEPTH_UM, 1.0, len(along)), rng.normal(0, 1.0, len(along))], axis=1
    )


def _draw_nuclei(
    place: Float[np.ndarray, "n 2"],
    light: Float[np.ndarray, " n"],
    size: Float[np.ndarray, " n"],
    rng: np.random.Generator,
) -> Float32[np.ndarray, "h w"]:
    """Nuclei as Gaussians, the brightest where they overlap, with haze and noise."""
    side = int(FIELD_UM / GRID_UM)
    counts = np.zeros((side + 2 * PATCH, side + 2 * PATCH), np.float32)
    corner = np.floor(place).astype(int) - PATCH
    offset = np.arange(2 * PATCH + 2)
    inside = ((corner >= -PATCH) & (corner < side - PATCH - 1)).all(1)
    corner, place, light, size = corner[inside], place[inside], light[inside], size[inside]
    dy = corner[:, :1] + offset - place[:, :1]
    dx = corner[:, 1:] + offset - place[:, 1:]
    bell = light[:, None, None] * np.exp(-0.5 * (dy[:, :, None] ** 2 + dx[:, None] ** 2) / size[:, None, None] ** 2)
    rows = (corner[:, :1] + offset + PATCH)[:, :, None]
    columns = (corner[:, 1:] + offset + PATCH)[:, None]
    np.maximum.at(counts, (rows, columns), bell.astype(np.float32))
    counts = counts[PATCH:-PATCH, PATCH:-PATCH]
    haze = cv2.GaussianBlur(counts, (0, 0), 4.5 / GRID_UM)
    counts = counts + np.float32(rng.uniform(0, 1.5)) * haze
    noise = np.exp(rng.uniform(np.log(0.01), np.log(0.09)))
    return np.asarray(counts + rng.normal(0, noise, counts.shape), np.float32)
