"""Named animals as they might also have been: bent, turned, partly seen, mirrored, in other colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

# How far an animal may differ, in the frame of the atlas. Largest curvature, and height of smooth waves.
BEND, WAVE = 0.35, 0.03
# Twice the spread of angles (rad), and the spread of places.
ROLL, TILT, SHIFT = 0.5, 0.15, 0.08
# Largest change of size, of size along each axis, and shear, as shares.
SCALE, STRETCH, SHEAR = 0.08, 0.06, 0.05
# Largest spread of places of single neurons.
JITTER = 0.035
# Largest share of neurons that are missed; how often an end is missing.
DROP, CROP = 0.5, 0.2
# How often an animal has no colours, a cell has those of another animal, and (at most) a neuron has none.
COLOURLESS, TRANSPLANT, BLOT = 0.6, 0.3, 0.1
# Spread of a channel's gain, twice that of its offset, and largest spread of single colours.
GAIN, BIAS, NOISE = 0.15, 0.2, 0.3
# How often an animal lies as no head of the atlas does.
WRONG_POSE = 0.12
MIRROR = np.array([-1.0, 1.0, 1.0])
"""Left becomes right in the frame of the atlas."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """An animal in the frame of the atlas, as it is and unbent by its names; ``label`` is a row of the atlas or -1."""

    position: Float[np.ndarray, "n 3"]
    unbent: Float[np.ndarray, "n 3"]
    colour: Float[np.ndarray, "n f"]
    label: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.position)


class Sighting(NamedTuple):
    """What a network is shown of an animal, and what it should say."""

    position: Float[np.ndarray, "n 3"]
    colour: Float[np.ndarray, "n f"]
    label: Int[np.ndarray, " n"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of every cell in all animals, to be transplanted, and each cell's partner on the other side."""

    colours: Sequence[Float[np.ndarray, "_ f"]]
    partner: Int[np.ndarray, " k"]


def collect_palette(specimens: Sequence[Specimen], partner: Int[np.ndarray, " k"]) -> Palette:
    """The colours of each cell over all animals that have colours."""
    looks: list[list[np.ndarray]] = [[] for _ in partner]
    for one in specimens:
        for label, colour in zip(one.label, one.colour, strict=True):
            if label >= 0 and colour[-2] > 0:
                looks[label].append(colour)
    width = specimens[0].colour.shape[1]
    return Palette([np.array(found).reshape(-1, width) for found in looks], partner)


def vary_specimen(one: Specimen, palette: Palette, rng: np.random.Generator) -> tuple[Sighting, bool]:
    """Another sight of the animal, and whether it still lies as the atlas does.

    Naming unbends an animal step by step, so that the network meets all degrees of it.
    """
    label, colour = one.label, one.colour
    position = one.position + rng.random() * (one.unbent - one.position)
    if rng.random() < 0.5:
        position = position * MIRROR
        label = np.where(label >= 0, palette.partner[label], -1)
    kept = _choose(position, rng)
    position, label, colour = position[kept], label[kept], colour[kept]
    position = _deform(position, rng)
    upright = rng.random() >= WRONG_POSE
    if not upright:
        position = _turn_away(position, rng)
    position = position + rng.normal(size=position.shape) * rng.uniform(0, JITTER)
    return Sighting(position, _recolour(colour, label, palette, rng), label), upright


def _choose(position: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Int[np.ndarray, " m"]:
    """Neurons that are seen: a share of all, and at times without one end."""
    kept = rng.random(len(position)) >= rng.uniform(0, DROP) * rng.random()
    if rng.random() < CROP:
        along = position[:, 2] * rng.choice((-1, 1))
        kept &= along <= np.quantile(along, rng.uniform(0.6, 1))
    return np.flatnonzero(kept) if kept.sum() >= 5 else np.arange(len(position))


def _deform(position: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """Bent, waved, rolled, tilted, scaled and shifted, as animals and rigs differ."""
    z, y, x = position.T
    bend_y, bend_z = rng.uniform(-BEND, BEND, 2) * (1, 0.4)
    position = np.stack([z + bend_z * x**2 / 2, y + bend_y * x**2 / 2, x * (1 - bend_y * y)], axis=1)
    moved = position.copy()
    for _ in range(3):
        direction = rng.normal(size=3) * rng.uniform(1, 4) / np.sqrt(3)
        moved += np.sin(position @ direction + rng.uniform(0, 2 * np.pi))[:, None] * rng.normal(size=3) * WAVE
    roll = rng.normal() * ROLL / 2
    tilt = rng.normal(size=2) * TILT / 2
    scale = (1 + rng.uniform(-SCALE, SCALE)) * (1 + rng.uniform(-STRETCH, STRETCH, 3))
    matrix = np.diag(scale) @ (np.eye(3) + rng.uniform(-SHEAR, SHEAR, (3, 3)) * (1 - np.eye(3)))
    for first, second, angle in ((0, 1, roll), (1, 2, tilt[0]), (0, 2, tilt[1])):
        rotation = np.eye(3)
        rotation[first, first] = rotation[second, second] = np.cos(angle)
        rotation[first, second], rotation[second, first] = -np.sin(angle), np.sin(angle)
        matrix = rotation @ matrix
    return np.asarray(moved @ matrix.T + rng.normal(size=3) * SHIFT)


def _turn_away(position: Float[np.ndarray, "n 3"], rng: np.random.Generator) -> Float[np.ndarray, "n 3"]:
    """A pose that no head of the atlas has: back to front, upside down, or rolled far."""
    flip = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1], [1, 1, 1]], float)[rng.integers(4)]
    roll = rng.uniform(1.2, 2 * np.pi - 1.2) if (flip == 1).all() else rng.normal() * 0.4
    cos, sin = np.cos(roll), np.sin(roll)
    return np.asarray(position * flip @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]).T)


def _recolour(
    colour: Float[np.ndarray, "n f"], label: Int[np.ndarray, " n"], palette: Palette, rng: np.random.Generator
) -> Float[np.ndarray, "n f"]:
    """Colours of other animals for some cells, gains and noise for all, and at times no colour at all."""
    if rng.random() < COLOURLESS or colour[:, -2].max(initial=0) == 0:
        return np.zeros_like(colour)
    varied = colour.copy()
    for row in np.flatnonzero((label >= 0) & (rng.random(len(label)) < TRANSPLANT)):
        looks = palette.colours[label[row]]
        if len(looks):
            varied[row] = looks[rng.integers(len(looks))]
    known = colour[0, -1]
    varied[:, :-2] = varied[:, :-2] * (1 + rng.normal(size=varied.shape[1] - 2) * GAIN)
    varied[:, :-2] += rng.normal(size=varied.shape[1] - 2) * BIAS * 0.5
    varied[:, :-2] += rng.normal(size=(len(varied), varied.shape[1] - 2)) * rng.uniform(0, NOISE)
    varied[rng.random(len(varied)) < BLOT * rng.random()] = 0.0
    fourth = [3, 7, 11, 12, 13]
    if known == 0 or rng.random() < 0.15:
        varied[:, fourth] = 0.0
        varied[:, -1] = 0.0
    return varied
