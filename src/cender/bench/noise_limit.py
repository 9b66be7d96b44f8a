"""The ratio that a perfect measurement would give: only the noise of photons and of the camera's readout is left."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import csr_array

from cender.simulate import Simulation
from cender.simulate.rendering import GREEN, RED, draw_frame, map_points
from cender.simulate.scene import Spots, draw_spots
from cender.simulate.world import World
from cender.types import Annotation

STREAM = 0x11A1
"""Marks the random numbers of this bench, so that they are not those that drew the recording."""
DARK = 1e-9
"""Information about a nucleus that casts no light, which keeps the matrix invertible."""


def draw_limit(simulation: Simulation, known: Annotation) -> dict[int, float]:
    """A ratio for every annotated neuron, with the least noise that all regions together allow, by identity.

    Shape and place of every nucleus and the background are taken as known, the light of all nuclei as unknown: a
    perfect measurement fits them together to the annotated regions, weighing each pixel by its shot noise and read
    noise. The covariance of that fit is the Cramér–Rao bound, in which neighbours that overlap cost what they must.
    Light with that covariance is drawn around the truth in both channels, and divided.
    """
    world = simulation.world
    owner = _find_owners(world, known)
    rng = np.random.default_rng((world.params.seed, STREAM, known.volume))
    light = []
    for channel in (RED, GREEN):
        covariance = np.linalg.inv(measure_information(world, known, channel))
        noise = np.linalg.cholesky(covariance) @ rng.normal(size=len(owner))
        light.append(world.counts(known.volume, channel)[owner] + noise)
    # Bleaching and crosstalk are in the light but not in the true ratio: what noise does to it is relative.
    true = np.array([simulation.ratios(known.volume)[int(identity)] for identity in known.identity])
    clean = world.counts(known.volume, GREEN)[owner] / world.counts(known.volume, RED)[owner]
    noisy = np.divide(light[1], light[0], out=np.full(len(owner), np.nan), where=light[0] > 0)
    return dict(zip(known.identity.tolist(), (true * noisy / clean).tolist(), strict=True))


def measure_information(world: World, known: Annotation, channel: int) -> Float[np.ndarray, "n n"]:
    """Fisher information that the annotated regions hold about the light of all annotated neurons of a volume."""
    columns = world.params.shape[2]
    camera = world.cameras[channel]
    owner = _find_owners(world, known)
    everything, glow = world.see(known.volume)
    row = np.full(int(everything.neuron.max(initial=0)) + 1, -1)
    row[owner] = np.arange(len(owner))
    total = DARK * np.eye(len(owner))
    for frame in np.unique(known.regions.z).tolist():
        seen = everything.select(everything.frame == frame)
        light = draw_frame(world, known.volume, channel, frame, seen, glow)
        weight = 1 / (camera.gain * light + camera.read_variance).ravel()
        mine = seen.select(np.isin(seen.neuron, owner[known.regions.neuron[known.regions.z == frame]]))
        if channel == GREEN:
            mine = replace(mine, centre_px=map_points(mine.centre_px, world.green_map))
        shape, pixel, spot = _cast_light(mine, world)
        cast = csr_array((shape, (pixel, row[mine.neuron[spot]])), (light.shape[0] * columns, len(owner)))
        total += (cast.T @ cast.multiply(weight[:, None]).tocsr()).toarray()
    return total


def _find_owners(world: World, known: Annotation) -> Int[np.ndarray, " n"]:
    """The row in the simulated animal of every annotated neuron."""
    numbers = np.full(int(world.animal.identity.max()) + 1, -1)
    numbers[world.animal.identity] = np.arange(len(world.animal))
    return np.asarray(numbers[known.identity])


def _cast_light(
    spots: Spots, world: World
) -> tuple[Float[np.ndarray, " q"], Int[np.ndarray, " q"], Int[np.ndarray, " q"]]:
    """What each spot casts on pixels of its frame, per unit of its neuron's light: share, pixel, row of the spot."""
    rows, columns = world.params.shape[1:]
    patches, corner = draw_spots(spots, world.patch)
    reach = np.arange(world.patch)
    y, x = np.broadcast_arrays(corner[:, 0, None, None] + reach[:, None], corner[:, 1, None, None] + reach)
    inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
    shape = patches * spots.share[:, None, None]
    return shape[inside], y[inside] * columns + x[inside], np.nonzero(inside)[0]
