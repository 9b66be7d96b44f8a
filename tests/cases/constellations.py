"""A head of made-up neurons, and sights of it: bent, turned, with neurons missed and added."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cender.config import Config, load_config
from cender.types import Annotation, Identities

SIZE_UM = (9.0, 14.0, 40.0)


def make_head(neurons: int = 50, seed: int = 0) -> np.ndarray:
    """Places of neurons that keep apart, denser towards one end, z y x in µm."""
    rng = np.random.default_rng(seed)
    places: list[np.ndarray] = []
    while len(places) < neurons:
        place = rng.uniform(-1, 1, 3) * SIZE_UM
        place[2] = SIZE_UM[2] * (2 * rng.random() ** 1.6 - 1)
        if all(np.linalg.norm(place - other) > 4 for other in places):
            places.append(place)
    return np.array(places)


def see_head(
    head: np.ndarray,
    volume: int,
    *,
    bend: float = 0.0,
    turn: float = 0.0,
    dropped: float = 0.0,
    spurious: int = 0,
    noise_um: float = 0.3,
) -> Annotation:
    """One sight of a head: bent (radians a head), turned in the image plane, some neurons missed, some made up."""
    rng = np.random.default_rng(1000 + volume)
    z, y, x = (head + rng.normal(0, noise_um, head.shape)).T
    angle = bend * x / (2 * SIZE_UM[2])
    bent = np.stack([y + 0.5 * angle * x, x - angle * y])
    cos, sin = np.cos(turn), np.sin(turn)
    turned = np.stack([z, cos * bent[0] - sin * bent[1], sin * bent[0] + cos * bent[1]], axis=1)
    points = turned + np.array([20, 60, 80])
    kept = rng.random(len(head)) >= dropped
    false = np.array([20, 60, 80]) + rng.uniform(-1, 1, (spurious, 3)) * SIZE_UM
    identity = np.concatenate([np.flatnonzero(kept) + 10, np.full(spurious, -1)])
    order = rng.permutation(len(identity))
    return Annotation.from_points(volume, np.concatenate([points[kept], false])[order], identity[order])


def film_head(head: np.ndarray, volumes: int, seed: int = 0, **more: float) -> list[Annotation]:
    """Sights of a head that bends and turns at random."""
    rng = np.random.default_rng(seed)
    return [
        see_head(head, volume, bend=rng.uniform(-0.5, 0.5), turn=rng.uniform(-3, 3), dropped=0.08, spurious=3, **more)
        for volume in range(volumes)
    ]


def brief(**steps: int) -> Config:
    """Settings of a training that takes a second."""
    chosen = {"steps": 20, "self_steps": 10, "self_rounds": 1, "self_volumes": 8, "warped": 4, "threads": 1} | steps
    return load_config(None, [f"train_recognizer.{name}={value}" for name, value in chosen.items()])


def measure_accuracy(answers: Sequence[Identities], truth: Sequence[Annotation]) -> float:
    """Share of the neurons with an identity that were given theirs."""
    right = [answer.identity == one.identity for answer, one in zip(answers, truth, strict=True)]
    return float(np.concatenate([r[o.identity >= 0] for r, o in zip(right, truth, strict=True)]).mean())


def move(annotation: Annotation, factors: Sequence[float]) -> Annotation:
    """The volume with its coordinates multiplied."""
    return replace(annotation, centre_um=annotation.centre_um * np.array(factors, float))
