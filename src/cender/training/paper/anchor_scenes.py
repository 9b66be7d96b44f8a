"""Simulated volumes to learn from, with the head where the regions are."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Real

from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Crop, Head, Regions, VoxelSize

VOLUMES = 60
"""Volumes of each simulated animal, of which one is drawn at random."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One volume with all its regions."""

    red: Real[np.ndarray, "z y x"]
    head: Head
    voxel_um: VoxelSize
    regions: Regions


def simulate_scenes(seeds: Iterable[int]) -> tuple[list[Scene], str]:
    """One volume of each of these animals, at a random moment, and the hash of the preset."""
    scenes, name = [], ""
    for seed in seeds:
        simulation = simulate_recording(SimulateParams(seed=seed, volumes=VOLUMES))
        rng = np.random.default_rng(seed)
        volume = int(rng.integers(VOLUMES))
        annotation = simulation.annotate(volume)
        red = simulation.recording.volume(volume, (0,)).data[0]
        head = frame_regions(annotation, (red.shape[1], red.shape[2]), int(rng.integers(6, 21)))
        scenes.append(Scene(red, head, VoxelSize(*simulation.world.params.voxel_um), annotation.regions))
        name = simulation.world.params.hash
    return scenes, name


def frame_regions(annotation: Annotation, shape: tuple[int, int], margin_px: int) -> Head:
    """A head whose outline goes through the corners of all true regions and whose crop leaves them a margin."""
    box = annotation.regions.box_px
    size = np.array(shape[::-1])
    low = np.clip(np.floor(box[:, :2].min(axis=0)) - margin_px, 0, size - 1).astype(int)
    high = np.clip(np.ceil((box[:, :2] + box[:, 2:]).max(axis=0)) + margin_px, low + 1, size).astype(int)
    crop = Crop(int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    outline = np.concatenate([box[:, :2] + box[:, 2:] * corner for corner in np.ndindex(2, 2)])[:, ::-1]
    if annotation.head is None:
        middle = np.array([low[1] + high[1], low[0] + high[0]]) / 2
        return Head(crop, outline, middle, np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    known = annotation.head
    return Head(crop, outline, known.origin_yx, known.anterior_yx, known.ventral_yx)
