"""What in a simulated recording does not depend on the volume: animal, path, light, cameras."""

from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float

from cender.simulate.activity import Light, make_light
from cender.simulate.animal import Animal, make_animal
from cender.simulate.background import Glow, Tissue, make_tissue
from cender.simulate.camera import Camera, make_camera
from cender.simulate.ganglia import make_species
from cender.simulate.motion import Motion, make_motion
from cender.simulate.params import SimulateParams
from cender.simulate.processes import draw_events
from cender.simulate.scene import Spots, find_spots, patch_size, place_in_frames

GRANULES = 60
"""Bright granules in the gut, where there are any."""
OTHER = -2
"""Number of every nucleus of another animal; other spots that are no neurons have -1."""
OTHER_UM = (50.0, 85.0)
"""Smallest and largest distance of another animal from this one."""


@dataclass(frozen=True, slots=True)
class World:
    """One simulated recording before any volume of it is drawn.

    ``shining`` are the animal's neurons followed by spots that are none of them. ``green_map`` takes ``y x`` pixels
    of the red camera to the green one's. ``blur_um`` is the loss of focus in every volume.
    """

    params: SimulateParams
    animal: Animal
    shining: Animal
    motion: Motion
    light: Light
    tissue: Tissue
    cameras: tuple[Camera, Camera]
    green_map: Float[np.ndarray, "2 3"]
    blur_um: Float[np.ndarray, " t"]
    patch: int

    def see(self, volume: int) -> tuple[Spots, Glow]:
        """Nuclei and soft light in the frames of one volume."""
        placed = place_in_frames(self.params, self.motion, self.shining.adl_um, volume)
        neuropil = place_in_frames(self.params, self.motion, self.tissue.neuropil_adl, volume)
        outline = place_in_frames(self.params, self.motion, self.tissue.outline_adl, volume)
        spots = find_spots(self.params, self.shining, placed, float(self.blur_um[volume]))
        count = len(self.animal)
        placed = type(placed)(placed.centre_px[:, :count], placed.depth_um[:, :count])
        return spots, Glow(placed, neuropil, outline)

    def counts(self, volume: int, channel: int) -> Float[np.ndarray, " n"]:
        """Light of every shining spot in one volume: 0 red, 1 green."""
        neurons = (self.light.red, self.light.green)[channel][volume]
        spots = self.shining.brightness[len(self.animal) :] * self.params.optics.peak_counts
        return np.concatenate([neurons, spots * (1.0, 0.4)[channel]])


def make_world(params: SimulateParams) -> World:
    """Draw an animal, its path and its microscope from the seed."""
    root = np.random.default_rng(np.random.SeedSequence((params.seed, 1)))
    body, path, shine, tissue, optics, red, green, dirt = root.spawn(8)
    animal = make_animal(params.anatomy, body)
    gut, beside = dirt.spawn(2)
    shining = _join(
        _join(animal, _make_debris(params, dirt)), _join(_make_gut(params, gut), _make_other(params, beside))
    )
    rows, columns = params.shape[1:]
    blur = optics.spawn(1)[0]
    times_s = (np.arange(params.volumes) + 0.5) / params.rate_hz
    events = draw_events(params.optics.defocus_per_min, params.volumes / params.rate_hz, (0.6, 2.0), (0.7, 2.0), blur)
    return World(
        params,
        animal,
        shining,
        make_motion(params, path),
        make_light(params, animal, shine),
        make_tissue(tissue),
        (make_camera(params.camera, rows, columns, red), make_camera(params.camera, rows, columns, green)),
        _make_green_map(params, optics),
        params.optics.defocus_um * np.abs(events.envelope(times_s)),
        patch_size(params, shining),
    )


def _make_green_map(params: SimulateParams, rng: np.random.Generator) -> Float[np.ndarray, "2 3"]:
    optics = params.optics
    angle = np.deg2rad(rng.normal(0, optics.camera_rotation_deg))
    scale = 1 + rng.normal(0, optics.camera_scale)
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = (np.array(params.shape[1:]) - 1) / 2
    shift = rng.normal(0, optics.camera_shift_px, 2)
    return np.concatenate([turn, (middle - turn @ middle + shift)[:, None]], axis=1)


def _make_debris(params: SimulateParams, rng: np.random.Generator) -> Animal:
    """Spots that are no neurons: granules behind the head and dirt beside it."""
    count = params.optics.debris
    place = np.stack([rng.uniform(125, 310, count), rng.normal(0, 14, count), rng.normal(0, 6, count)], axis=1)
    beside = rng.random(count) < 0.4
    place[beside, 0] = rng.uniform(-40, 160, int(beside.sum()))
    place[beside, 1] = rng.choice((-1, 1), int(beside.sum())) * rng.uniform(28, 70, int(beside.sum()))
    radius = rng.uniform(0.9, 2.4, (count, 2))
    return Animal(
        np.full(count, -1),
        place,
        radius,
        rng.uniform(0, np.pi, count),
        radius.mean(1) * 1.3,
        np.full(count, 2.0),
        np.full(count, 2.0),
        np.exp(rng.normal(-0.2, 0.5, count)),
        np.zeros(count, bool),
    )


def _make_gut(params: SimulateParams, rng: np.random.Generator) -> Animal:
    """Granules of the gut, which begins behind the head."""
    count = GRANULES if params.optics.gut else 0
    place = np.stack([rng.uniform(128, 310, count), rng.normal(0, 6, count), rng.normal(0, 5, count)], axis=1)
    radius = rng.uniform(1.2, 3.0, (count, 2))
    light = params.optics.gut * np.exp(rng.normal(0, 0.6, count))
    return _make_spots(place, radius, 1.2 * radius.mean(1), light, -1, rng)


def _make_other(params: SimulateParams, rng: np.random.Generator) -> Animal:
    """Nuclei of a part of another animal, which lies beside the first and moves with it."""
    count = params.optics.others
    cells = make_species().adl_um
    cells = cells[np.argsort(cells[:, 0])]
    first = int(rng.integers(0, max(len(cells) - count, 0) + 1))
    part = cells[first : first + count] - cells[first : first + count].mean(0) if count else np.zeros((0, 3))
    angle = rng.uniform(0, 2 * np.pi)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = np.stack([cos * part[:, 0] - sin * part[:, 1], sin * part[:, 0] + cos * part[:, 1], part[:, 2]], axis=1)
    turned += np.array([rng.uniform(20, 120), rng.choice((-1, 1)) * rng.uniform(*OTHER_UM), rng.normal(0, 3)])
    diameter = rng.uniform(*params.anatomy.diameter_um, len(part))
    light = np.exp(rng.normal(0, params.anatomy.brightness_sd, len(part)))
    depth = rng.uniform(*params.anatomy.half_depth_um, len(part))
    return _make_spots(turned, np.stack([diameter, diameter], axis=1) / 2, depth, light, OTHER, rng)


def _make_spots(
    place: Float[np.ndarray, "n 3"],
    radius: Float[np.ndarray, "n 2"],
    half_depth: Float[np.ndarray, " n"],
    light: Float[np.ndarray, " n"],
    identity: int,
    rng: np.random.Generator,
) -> Animal:
    """Bell-shaped spots that are none of the animal's neurons."""
    count = len(place)
    bell = np.full(count, 2.0)
    angle = rng.uniform(0, np.pi, count)
    return Animal(np.full(count, identity), place, radius, angle, half_depth, bell, bell, light, np.zeros(count, bool))


def _join(first: Animal, second: Animal) -> Animal:
    return Animal(*(np.concatenate([getattr(first, f.name), getattr(second, f.name)]) for f in fields(Animal)))
