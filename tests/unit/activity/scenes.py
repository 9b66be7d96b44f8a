"""Small volumes of round neurons in two channels whose light is known."""

from dataclasses import dataclass

import numpy as np

from cender.types import Neurons, Regions, Role, Volume, VoxelSize

VOXEL = VoxelSize(1.5, 0.3, 0.3)
FRAMES = (2, 3, 4)
WIDTH = 8.0


@dataclass(frozen=True, slots=True)
class Scene:
    """Neurons of the same size in frames 2 to 4 over a flat background of 100 counts."""

    centre_yx: np.ndarray
    red: np.ndarray
    green: np.ndarray
    moved: np.ndarray
    noise: float = 0.0

    def draw(self, roles: tuple[Role, ...] = ("red", "green"), seed: int = 0) -> Volume:
        rng = np.random.default_rng(seed)
        y, x = np.mgrid[:160, :160]
        data = np.full((2, 7, 160, 160), 100.0)
        sd = WIDTH / np.sqrt(8 * np.log(2))
        for channel, (light, shift) in enumerate(((self.red, (0, 0)), (self.green, self.moved))):
            for (cy, cx), peak in zip(self.centre_yx + np.array(shift), light, strict=True):
                bell = peak * np.exp(-0.5 * ((y - cy) ** 2 + (x - cx) ** 2) / sd**2)
                for frame in FRAMES:
                    data[channel, frame] += bell * (1.0 if frame == 3 else 0.6)
        data += rng.normal(0, self.noise, data.shape) if self.noise else 0
        counts = np.rint(np.clip(data, 0, 65535)).astype(np.uint16)
        chosen = [("red", "green").index(role) for role in roles if role != "other"]
        return Volume(0, 0.0, counts[chosen], VOXEL, roles)

    def neurons(self) -> Neurons:
        count = len(self.centre_yx)
        neuron = np.repeat(np.arange(count), len(FRAMES))
        centre = self.centre_yx[neuron]
        corner = centre[:, ::-1] - (WIDTH - 1) / 2
        box = np.concatenate([corner, np.full((len(neuron), 2), WIDTH)], axis=1)
        regions = Regions.from_boxes(np.tile(FRAMES, count), box, neuron=neuron)
        place = np.concatenate([np.full((count, 1), 3.0), self.centre_yx], axis=1)
        return Neurons(place, np.full(count, 2), np.full(count, 4), np.ones(count), regions)


def make_scene(count: int = 20, moved: tuple[float, float] = (0.0, 0.0), noise: float = 0.0, seed: int = 0) -> Scene:
    """Neurons on a loose grid, each with its own light."""
    rng = np.random.default_rng(seed)
    place = np.stack(np.meshgrid(np.arange(30, 140, 24), np.arange(30, 140, 24), indexing="ij"), axis=-1).reshape(-1, 2)
    centre = place[rng.permutation(len(place))[:count]] + rng.uniform(-4, 4, (count, 2))
    return Scene(centre, rng.uniform(100, 300, count), rng.uniform(40, 200, count), np.array(moved), noise)
