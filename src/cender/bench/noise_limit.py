"""The ratio that a perfect measurement would give: only the noise of photons and of the camera's readout is left."""

import numpy as np
from jaxtyping import Float

from cender.simulate import Simulation
from cender.simulate.background import COARSE_PX, draw_background
from cender.simulate.rendering import GREEN, RED, map_points
from cender.simulate.scene import Spots, draw_spots
from cender.types import Annotation

STREAM = 0x11A1


def draw_limit(simulation: Simulation, known: Annotation) -> dict[int, float]:
    """A ratio for every annotated neuron, with the least noise that its own regions allow, by identity.

    Every nucleus is taken to be known in shape, place and background; its light is then fitted by weighted least
    squares, whose variance follows from shot noise and read noise alone (the Cramér–Rao bound). A value with that
    variance is drawn around the truth in both channels, and divided.
    """
    world = simulation.world
    spots, glow = world.see(known.volume)
    numbers = np.full(int(world.animal.identity.max()) + 1, -1)
    numbers[world.animal.identity] = np.arange(len(world.animal))
    owner = numbers[known.identity]
    used = _find_used(spots, known, owner)
    spots = spots.select(used)
    rng = np.random.default_rng((world.params.seed, STREAM, known.volume))
    light = []
    for channel in (RED, GREEN):
        counts = world.counts(known.volume, channel)
        behind = np.zeros(len(spots.frame))
        centre = spots.centre_px if channel == RED else map_points(spots.centre_px, world.green_map)
        for frame in np.unique(spots.frame).tolist():
            mine = spots.frame == frame
            soft = draw_background(world.params, glow, world.tissue, counts[: len(world.animal)], frame)
            at = np.clip(np.rint(centre[mine] / COARSE_PX).astype(int), 0, np.array(soft.shape) - 1)
            behind[mine] = soft[tuple(at.T)]
        variance = 1 / np.maximum(_inform(spots, counts, behind, simulation)[owner], 1e-12)
        light.append(counts[owner] + rng.normal(0, np.sqrt(variance)))
    # Bleaching and crosstalk are in the light but not in the true ratio: what noise does to it is relative.
    true = np.array([simulation.ratios(known.volume)[int(identity)] for identity in known.identity])
    clean = world.counts(known.volume, GREEN)[owner] / world.counts(known.volume, RED)[owner]
    noisy = np.divide(light[1], light[0], out=np.full(len(owner), np.nan), where=light[0] > 0)
    return dict(zip(known.identity.tolist(), (true * noisy / clean).tolist(), strict=True))


def _find_used(spots: Spots, known: Annotation, owner: np.ndarray) -> np.ndarray:
    """Which spots are annotated regions."""
    regions = known.regions
    frames = int(max(spots.frame.max(initial=0), regions.z.max(initial=0))) + 1
    return np.isin(spots.neuron * frames + spots.frame, owner[regions.neuron] * frames + regions.z)


def _inform(
    spots: Spots, counts: Float[np.ndarray, " n"], behind: Float[np.ndarray, " p"], simulation: Simulation
) -> Float[np.ndarray, " n"]:
    """Fisher information about the light of every nucleus, over all of its spots."""
    camera = simulation.world.params.camera
    patches, _ = draw_spots(spots, simulation.world.patch)
    shape = patches * spots.share.astype(np.float32)[:, None, None]
    light = shape * counts[spots.neuron].astype(np.float32)[:, None, None] + behind.astype(np.float32)[:, None, None]
    read = camera.read_noise**2 * np.exp(2 * camera.noise_spread**2)
    information = (shape**2 / (camera.gain * light + read)).sum(axis=(1, 2))
    return np.bincount(spots.neuron, information, len(counts))
