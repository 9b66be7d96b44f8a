"""The average animal: head ganglia and the neurons in them.

Body coordinates in micrometres: ``a`` from the tip of the nose backwards along the body, ``d`` towards
dorsal, ``l`` towards the animal's left. Most neurons come in left/right pairs. The average animal is the same
for every seed, so that a neuron keeps its number (its identity) across simulated animals, as a cell keeps its
name across real ones.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

SPECIES_SEED = 302
"""Seed of the average animal, which all animals are variations of."""
CLOSEST_UM = 3.4
"""Smallest distance between two cells of the average animal."""


class Ganglion(NamedTuple):
    """A cloud of nuclei: centre, half extents and number.

    ``pairs`` lie on both sides, ``hollow`` clouds around the pharynx.
    """

    name: str
    centre_adl: tuple[float, float, float]
    half_adl: tuple[float, float, float]
    pairs: int
    singles: int = 0
    hollow: bool = False


GANGLIA = (
    Ganglion("nose", (18.0, 0.0, 2.5), (12.0, 5.0, 3.0), 4),
    Ganglion("anterior", (40.0, 0.0, 0.0), (10.5, 9.5, 8.0), 15, 4, hollow=True),
    Ganglion("dorsal", (67.0, 12.0, 0.0), (6.0, 3.0, 4.0), 2, 3),
    Ganglion("lateral", (74.0, 1.5, 7.6), (14.0, 10.0, 4.2), 33),
    Ganglion("ventral", (73.0, -11.0, 4.4), (14.0, 4.2, 4.4), 16, 2),
    Ganglion("pharynx", (97.0, 2.5, 0.0), (9.0, 5.0, 4.5), 4, 3),
    Ganglion("posterior lateral", (101.0, 0.0, 9.0), (12.0, 5.0, 2.0), 4),
    Ganglion("retrovesicular", (103.0, -11.5, 0.0), (11.0, 2.6, 3.4), 5, 10),
)
"""Where the cells of the average animal lie, cloud by cloud."""
CORD_CELLS = 9
"""Cells of the ventral cord that are in view."""
CORD_SPACING_UM = (3.6, 6.0)
"""Smallest and largest distance between neighbours of the cord."""
CORD_FIRST_UM = 119.0
"""Where along the body the cord begins, from the nose."""
CORD_DEPTH_UM = -11.5
"""Where the cord lies between ventral (negative) and dorsal."""
NERVE_RING_UM = (54.0, 59.0)
"""Where along the body the nerve ring lies, from the nose."""


@dataclass(frozen=True, slots=True)
class Species:
    """The average animal; one row per neuron. ``ganglion`` is the row of `GANGLIA`, -1 for the ventral cord."""

    adl_um: Float[np.ndarray, "n 3"]
    ganglion: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.adl_um)


@cache
def make_species() -> Species:
    """The average animal, the same at every call and not to be changed."""
    rng = np.random.default_rng(SPECIES_SEED)
    placed = np.zeros((0, 3))
    ganglion: list[int] = []
    for index, cloud in enumerate(GANGLIA):
        for paired, count in ((True, cloud.pairs), (False, cloud.singles)):
            for _ in range(count):
                spots = _place(cloud, paired, placed, rng)
                placed = np.concatenate([placed, spots])
                ganglion += [index] * len(spots)
    cord_a = CORD_FIRST_UM + np.cumsum(rng.uniform(*CORD_SPACING_UM, CORD_CELLS))
    cord = np.stack([cord_a, rng.normal(CORD_DEPTH_UM, 0.5, CORD_CELLS), rng.normal(0, 1.0, CORD_CELLS)], axis=1)
    species = Species(np.concatenate([placed, cord]), np.array(ganglion + [-1] * CORD_CELLS))
    for array in (species.adl_um, species.ganglion):
        array.setflags(write=False)
    return species


def _place(
    cloud: Ganglion, paired: bool, placed: Float[np.ndarray, "n 3"], rng: np.random.Generator
) -> Float[np.ndarray, "k 3"]:
    """One new nucleus, or a left/right pair, as far from the others as there is room for."""
    best, best_gap = np.zeros((0, 3)), -1.0
    for _ in range(60):
        spot = _draw(cloud, paired, rng)
        spots = np.stack([spot, spot * (1, 1, -1) + rng.normal(0, 0.5, 3)]) if paired else spot[None]
        others = np.concatenate([placed, spots[1:]])
        gap = np.linalg.norm(others - spot, axis=1).min() if len(others) else np.inf
        if gap >= CLOSEST_UM:
            return spots
        if gap > best_gap:
            best, best_gap = spots, float(gap)
    return best


def _draw(cloud: Ganglion, paired: bool, rng: np.random.Generator) -> Float[np.ndarray, " 3"]:
    while True:
        inside = rng.uniform(-1, 1, 3)
        reach = float(np.hypot(inside[1], inside[2]))
        if np.linalg.norm(inside) <= 1 and (not cloud.hollow or reach > 0.55):
            break
    spot = np.array(cloud.centre_adl) + np.array(cloud.half_adl) * inside
    if not paired:
        spot[2] = rng.normal(0, 1.5)
    elif abs(spot[2]) < CLOSEST_UM / 2:
        spot[2] = np.copysign(CLOSEST_UM / 2 + rng.uniform(0, 1), spot[2])
    return spot
