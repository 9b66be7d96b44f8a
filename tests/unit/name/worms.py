"""Small animals with names and colours, drawn from one average animal."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from cender.training.namer.train import train_namer
from cender.training.params import TrainNamerParams
from cender.types import Cells, Weights

PAIRS = tuple(f"{letter}{number}" for letter in "ABCD" for number in range(5))
NAMES = (*(f"{pair}{side}" for pair in PAIRS for side in "LR"), "MID1", "MID2", "MID3")


def make_worms(count: int, seed: int = 0, mirrored: Sequence[int] = ()) -> list[Cells]:
    """Animals in poses of their own; those listed are shown as mirror images."""
    rng = np.random.default_rng(seed)
    places, looks = draw_average()
    worms = []
    for number in range(count):
        points = places + rng.normal(size=places.shape) * 0.8
        if number in mirrored:
            points = points * [-1, 1, 1]
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
        colour = looks * rng.uniform(50, 200) + rng.uniform(0, 30) + rng.normal(size=looks.shape) * 2
        order = rng.permutation(len(NAMES))
        lab = "odd" if number in mirrored else "even"
        worms.append(
            Cells(
                points[order] @ turn.T,
                colour[order],
                tuple(NAMES[row] for row in order),
                f"worm{number}",
                lab,
                str(number % 2),
            )
        )
    return worms


@cache
def train_small() -> Weights:
    """A namer of a few of these animals, trained once for all tests."""
    return train_namer(make_worms(8), TrainNamerParams(networks=1, steps=100, batch=4, hold_back=4), seed=1)


def draw_average() -> tuple[np.ndarray, np.ndarray]:
    """Places in µm (z from right to left) and colours of the average animal."""
    rng = np.random.default_rng(5)
    half = rng.uniform((4, -8, -45), (11, 10, 45), (len(PAIRS), 3))
    # A head is not symmetric along the body or from back to belly.
    half[:, 1] += 0.002 * half[:, 2] ** 2
    places = np.concatenate(
        [np.stack([half, half * [-1, 1, 1]], axis=1).reshape(-1, 3), [[0, 9, 40], [0, -9, 20], [0, 8, 30]]]
    )
    pair_looks = rng.uniform(0.1, 1, (len(PAIRS), 4))
    return places, np.concatenate([np.repeat(pair_looks, 2, axis=0), rng.uniform(0.1, 1, (3, 4))])
