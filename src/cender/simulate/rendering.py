"""From a scene to what the two cameras read."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import cpu_count

import numpy as np
from jaxtyping import Float, Float32, Shaped

from cender.simulate.background import Glow, draw_background, enlarge
from cender.simulate.camera import expose
from cender.simulate.scene import Placement, Spots, draw_spots
from cender.simulate.storage import store_frame, stored_type
from cender.simulate.world import World

RED, GREEN = 0, 1
"""Channels of a simulated recording."""
PIXEL_STREAM = 7
"""Marks the random numbers of pixel noise, so that they are independent of all others."""


def render_volume(world: World, volume: int, channels: tuple[int, ...]) -> Shaped[np.ndarray, "c z y x"]:
    """Camera frames of one volume, the same whoever asks, in whatever order and with however many threads."""
    params = world.params
    spots, glow = world.see(volume)
    out = np.empty((len(channels), *params.shape), stored_type(params.storage))
    jobs = [(row, channel, frame) for row, channel in enumerate(channels) for frame in range(params.shape[0])]

    def render(job: tuple[int, int, int]) -> None:
        row, channel, frame = job
        seen = spots.select(spots.frame == frame)
        light = draw_frame(world, volume, channel, frame, seen, glow)
        seed = (params.seed, PIXEL_STREAM, volume, channel, frame)
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed)))
        out[row, frame] = store_frame(expose(world.cameras[channel], light, rng), params)

    with ThreadPoolExecutor(min(len(jobs), cpu_count() or 1)) as pool:
        _finish(pool.map(render, jobs))
    return out


def draw_frame(
    world: World, volume: int, channel: int, frame: int, spots: Spots, glow: Glow
) -> Float32[np.ndarray, "y x"]:
    """Noise-free light of one frame in one channel, in counts; ``spots`` are those of this frame."""
    rows, columns = world.params.shape[1:]
    counts = world.counts(volume, channel)
    if channel == GREEN:
        glow = Glow(*(_moved(placement, world.green_map) for placement in (glow.neurons, glow.neuropil, glow.outline)))
        spots = replace(spots, centre_px=map_points(spots.centre_px, world.green_map))
    coarse = draw_background(world.params, glow, world.tissue, counts[: len(world.animal)], frame)
    image = enlarge(coarse, rows, columns)
    patches, corners = draw_spots(spots, world.patch)
    patches *= (counts[spots.neuron] * spots.share).astype(np.float32)[:, None, None]
    for patch, (top, left) in zip(patches, corners, strict=True):
        y0, y1 = max(top, 0), min(top + world.patch, rows)
        x0, x1 = max(left, 0), min(left + world.patch, columns)
        if y0 < y1 and x0 < x1:
            image[y0:y1, x0:x1] += patch[y0 - top : y1 - top, x0 - left : x1 - left]
    return image


def map_points(points_yx: Float[np.ndarray, "*n 2"], affine: Float[np.ndarray, "2 3"]) -> Float[np.ndarray, "*n 2"]:
    """Points of the red camera as the green one sees them."""
    return np.asarray(points_yx @ affine[:, :2].T + affine[:, 2])


def _moved(placement: Placement, affine: Float[np.ndarray, "2 3"]) -> Placement:
    return Placement(map_points(placement.centre_px, affine), placement.depth_um)


def _finish(results: Iterable[None]) -> None:
    for _ in results:
        pass
