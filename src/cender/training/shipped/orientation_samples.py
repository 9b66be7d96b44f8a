"""Training samples of the compass: patches of varied simulated heads, and of things that are none."""

from dataclasses import dataclass

import cv2
import numpy as np
from jaxtyping import Float, Float32

from cender.preprocess.compass import cut_patches, make_grid, soften
from cender.preprocess.projection import GRID_UM, Picture
from cender.preprocess.spots import find_crowds, find_spots
from cender.training.shipped.orientation_scenes import Scene

NEAR_UM, FAR_UM = 36.0, 48.0
"""A patch nearer than the first to the middle of the head shows it; patches elsewhere lie further than the second."""
# How narrowly the wanted answer is concentrated on the true angle (von Mises).
SHARPNESS = 9.0
# Share of samples well away from the head.
OTHERS = 0.2
# A quarter of the angles that are looked at later: where the first one points is drawn anew for every sample.
ANGLES = 4


@dataclass(frozen=True, slots=True)
class View:
    """A scene as the compass sees it: its map of spots, where spots crowd, and the truth in grid steps."""

    map: Float32[np.ndarray, "h w"]
    crowds: Float[np.ndarray, "k 2"]
    scene: Scene

    @property
    def bent(self) -> bool:
        """Whether the worm is twisted or in an Ω-turn."""
        return bool({"twist", "omega turn"} & set(self.scene.events))


@dataclass(frozen=True, slots=True)
class Sample:
    """Patches of all hypotheses, the probability that each is right (none of them: no head), and whether it is bent."""

    patches: Float32[np.ndarray, "h s s"]
    target: Float32[np.ndarray, " h"]
    bent: float


def view_scene(scene: Scene) -> View:
    """A scene with its spots found."""
    spots = find_spots(Picture(scene.counts, (1.0, 1.0), scene.counts.shape))
    return View(spots.map, find_crowds(spots), scene)


def draw_sample(view: View, rng: np.random.Generator) -> Sample:
    """A varied sample of a scene: turned, stretched, cut, with spots lost and added; sometimes of no head at all."""
    scene = view.scene
    place, map_ = _choose_place(view, rng), view.map.copy()
    if rng.random() < 0.5:
        _add_granules(map_, scene, rng)
    _lose_spots(map_, rng)
    if rng.random() < 0.25:
        _cut_field(map_, scene, rng)
    if rng.random() < 0.06:
        map_, place = _scatter_spots(map_.shape, rng), np.array(map_.shape) / 2
        is_head = False
    else:
        is_head = float(np.linalg.norm(place - scene.origin)) * GRID_UM < NEAR_UM
    if rng.random() < 0.5:
        map_ = map_ ** np.float32(np.exp(rng.normal(0, 0.3)))
    angle = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(ANGLES) / ANGLES
    size = rng.uniform(0.78, 1.25)
    patches = cut_patches(soften(map_), place, make_grid(angle, (size * rng.uniform(0.93, 1.07), size)))
    return Sample(patches, _aim(scene, angle) * np.float32(is_head), float(view.bent and is_head))


def _choose_place(view: View, rng: np.random.Generator) -> Float[np.ndarray, " 2"]:
    """Where the compass is put: mostly where spots crowd near the head, else well away from it."""
    origin = view.scene.origin
    if rng.random() < OTHERS:
        away = rng.uniform(FAR_UM, 140) / GRID_UM
        angle = rng.uniform(0, 2 * np.pi)
        behind = -view.scene.anterior if rng.random() < 0.5 else np.array([np.sin(angle), np.cos(angle)])
        return origin + away * behind + rng.normal(0, 3, 2)
    distance = np.linalg.norm(view.crowds - origin, axis=1) * GRID_UM
    near = view.crowds[distance < NEAR_UM]
    start = near[0] if len(near) else origin
    return np.asarray(start + rng.normal(0, 3.5 / GRID_UM, 2))


def _aim(scene: Scene, angle_rad: Float[np.ndarray, " k"]) -> Float32[np.ndarray, " h"]:
    angle = np.arctan2(scene.anterior[0], scene.anterior[1])
    near = np.exp(SHARPNESS * (np.cos(angle_rad - angle) - 1))
    target = np.zeros(2 * ANGLES)
    # In row 0 ventral is (cos, -sin) of the angle, see `ventral_of`.
    row = int(scene.ventral @ (np.cos(angle), -np.sin(angle)) < 0)
    target[row * ANGLES : (row + 1) * ANGLES] = near / near.sum()
    return target.astype(np.float32)


def _add_granules(map_: np.ndarray, scene: Scene, rng: np.random.Generator) -> None:
    """Spots of the gut behind the head, where real animals have them, or dirt anywhere."""
    count = int(rng.integers(3, 50))
    if rng.random() < 0.7:
        middle = scene.origin - scene.anterior * rng.uniform(55, 130) / GRID_UM
        place = middle + rng.normal(0, rng.uniform(6, 18) / GRID_UM, (count, 2))
    else:
        place = scene.origin + rng.uniform(-100, 100, (count // 4 + 1, 2)) / GRID_UM
    _draw_spots(map_, place, rng)


def _scatter_spots(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Spots without order: a cloud, or all over the picture."""
    map_ = np.zeros(shape, np.float32)
    count = int(rng.integers(5, 150))
    spread = rng.uniform(10, 60) / GRID_UM * np.array([1, rng.uniform(0.3, 1)])
    _draw_spots(map_, np.array(shape) / 2 + rng.normal(0, 1, (count, 2)) * spread, rng)
    return map_


def _draw_spots(map_: np.ndarray, place: np.ndarray, rng: np.random.Generator) -> None:
    dots = np.zeros(map_.shape, np.float32)
    index = np.rint(place).astype(int)
    inside = ((index >= 0) & (index < map_.shape)).all(1)
    dots[tuple(index[inside].T)] = rng.uniform(0.1, 1, int(inside.sum()))
    sigma = rng.uniform(0.8, 1.3)
    np.maximum(map_, cv2.GaussianBlur(dots, (0, 0), sigma) * np.float32(2 * np.pi * sigma**2), out=map_)
    np.minimum(map_, 1, out=map_)


def _lose_spots(map_: np.ndarray, rng: np.random.Generator) -> None:
    """Cells that another strain does not label, and light that falls off across the field."""
    bright = np.argwhere(map_ > 0.2)
    for y, x in bright[rng.integers(max(len(bright), 1), size=int(rng.integers(0, 14)))] if len(bright) else ():
        cv2.circle(map_, (int(x), int(y)), int(rng.integers(1, 5)), 0.0, -1)
    for axis, size in enumerate(map_.shape):
        light = np.exp(rng.normal(0, 0.004) * (np.arange(size) - size / 2)).astype(np.float32)
        map_ *= light[:, None] if axis == 0 else light
    np.minimum(map_, 1, out=map_)


def _cut_field(map_: np.ndarray, scene: Scene, rng: np.random.Generator) -> None:
    """An edge of the field near the head, often just behind it: many rigs do not see the cord."""
    angle = rng.uniform(0, 2 * np.pi)
    behind = rng.random() < 0.6
    normal = -scene.anterior if behind else np.array([np.sin(angle), np.cos(angle)])
    reach = rng.uniform(25, 90) / GRID_UM
    y, x = np.ogrid[: map_.shape[0], : map_.shape[1]]
    map_[(y - scene.origin[0]) * normal[0] + (x - scene.origin[1]) * normal[1] > reach] = 0
