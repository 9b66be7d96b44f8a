"""What in a simulated recording does not depend on the volume: animal, path, light, cameras."""

from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float

from cender.simulate.activity import Light, make_light
from cender.simulate.animal import Animal, make_animal
from cender.simulate.background import Glow, Tissue, make_tissue
from cender.simulate.camera import Camera, make_camera
from cender.simulate.motion import Motion, make_motion
from cender.simulate.params import SimulateParams
from cender.simulate.processes import draw_events
from cender.simulate.scene import Spots, find_spots, patch_size, place_in_frames


@dataclass(frozen=True, slots=True)
class World:
    """One simulated recording before any volume of it is drawn.

    ``shining`` are the animal's neurons followed by spots that are none. ``green_map`` takes ``y x`` pixels
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
    shining = _join(animal, _make_debris(params, dirt))
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


def _join(first: Animal, second: Animal) -> Animal:
    return Animal(*(np.concatenate([getattr(first, f.name), getattr(second, f.name)]) for f in fields(Animal)))
