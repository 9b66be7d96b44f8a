"""One animal: the average animal, varied by a seed."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.simulate.ganglia import Species, make_species
from cender.simulate.params import AnatomyParams

INVISIBLE = 0.02
"""Brightness of a neuron that does not express the marker, as a share of what it would have."""
BESIDE_UM = 3.0
"""Standard deviation of the distance, along each axis, between a cell and the one that it lies beside."""
# Packing neurons closer leaves the middle of the head where it is.
MIDDLE_ADL = np.array([70.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True)
class Animal:
    """The neurons of one animal in body coordinates (see `ganglia`), one row per neuron.

    ``identity`` is the neuron's number in the average animal. ``radius_um`` is half the lateral width at half
    the peak along the two axes of an ellipse turned by ``angle_rad``, ``half_depth_um`` the same along z;
    ``flat_xy`` and ``flat_z`` are the exponents of the profiles. ``brightness`` is relative to the median
    neuron.
    """

    identity: Int[np.ndarray, " n"]
    adl_um: Float[np.ndarray, "n 3"]
    radius_um: Float[np.ndarray, "n 2"]
    angle_rad: Float[np.ndarray, " n"]
    half_depth_um: Float[np.ndarray, " n"]
    flat_xy: Float[np.ndarray, " n"]
    flat_z: Float[np.ndarray, " n"]
    brightness: Float[np.ndarray, " n"]
    cord: Bool[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.identity)


def make_animal(params: AnatomyParams, rng: np.random.Generator) -> Animal:
    """A new animal: some neurons of the average one, moved, sized and lit by chance."""
    species = make_species()
    wanted = int(rng.integers(params.neurons[0], params.neurons[1] + 1))
    chosen = np.sort(rng.permutation(len(species))[:wanted])
    placed = _vary(species, params, rng)[chosen]
    ganglion = species.ganglion[chosen]
    if wanted > len(species):
        # Labelling that shows more than the usual neurons shows them among these.
        beside = rng.integers(0, len(species), wanted - len(species))
        placed = np.concatenate([placed, placed[beside] + rng.normal(0, BESIDE_UM, (len(beside), 3))])
        ganglion = np.concatenate([ganglion, ganglion[beside]])
        chosen = np.arange(wanted)
    if params.packing != 1:
        placed = params.packing * (placed - MIDDLE_ADL) + MIDDLE_ADL
    adl_um = spread_apart(placed, params.closest_um)
    count = len(chosen)
    diameter = _between(params.diameter_um, count, rng)
    stretch = np.exp(rng.normal(0, params.elongation, count))
    size = (diameter - np.mean(params.diameter_um)) / np.ptp(params.diameter_um)
    depth = _between(params.half_depth_um, count, rng)
    # Nuclei that are wide are deep as well (paper, Stage 3): half of the depth follows the width.
    depth = 0.5 * depth + 0.5 * (np.mean(params.half_depth_um) + size * np.ptp(params.half_depth_um))
    brightness = np.exp(rng.normal(0, params.brightness_sd, count))
    brightness[rng.random(count) < params.invisible] *= INVISIBLE
    return Animal(
        identity=chosen,
        adl_um=adl_um,
        radius_um=0.5 * diameter[:, None] * np.stack([stretch, 1 / stretch], axis=1),
        angle_rad=rng.uniform(0, np.pi, count),
        half_depth_um=np.clip(depth, 0.7 * params.half_depth_um[0], None),
        # The lateral point spread function is comparable to a nucleus, so a flat top shows mostly along z.
        flat_xy=2 + 0.4 * (rng.uniform(*params.flatness, count) - 2),
        flat_z=rng.uniform(*params.flatness, count),
        brightness=brightness,
        cord=ganglion < 0,
    )


def _vary(species: Species, params: AnatomyParams, rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """Positions of all neurons in a new animal: its size, a smooth deformation, every neuron's own way."""
    size = 1 + rng.normal(0, params.scale_sd, 3)
    waves = (
        rng.uniform(0.02, 0.06, (3, 3)),
        rng.uniform(0, 2 * np.pi, 3),
        rng.normal(0, params.variation_um, (3, 3)),
    )
    smooth = np.sin(species.adl_um @ waves[0].T + waves[1]) @ waves[2] / np.sqrt(3)
    own = rng.normal(0, params.variation_um, species.adl_um.shape)
    return np.asarray(species.adl_um * size + smooth + own)


def spread_apart(points: Float[np.ndarray, "n 3"], closest: float) -> Float[np.ndarray, "n 3"]:
    """Push points that are nearer than ``closest`` away from each other, as solid nuclei do."""
    moved = points.copy()
    for _ in range(20):
        apart = moved[:, None] - moved[None]
        distance = np.linalg.norm(apart, axis=2) + np.eye(len(moved)) * 1e9
        push = np.clip(closest - distance, 0, None) / 2
        if not push.any():
            break
        moved += (apart / distance[..., None] * push[..., None]).sum(1)
    return moved


def _between(bounds: tuple[float, float], count: int, rng: np.random.Generator) -> Float[np.ndarray, " n"]:
    """Normal around the middle with the bounds at ±1.6 sd, so that a few go beyond them."""
    low, high = bounds
    return np.clip(rng.normal((low + high) / 2, (high - low) / 3.2, count), 0.7 * low, 1.3 * high)
