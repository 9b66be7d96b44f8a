"""Volumes that lie alike: two bends in one direction are told apart."""

import numpy as np

from cender.annotate.candidates import SeenNeurons
from cender.annotate.postures import describe_known_postures
from cender.web.alike import rank_alike

BENDS = np.array([0.9, -0.9] * 4)
NAMED = 30


def bend(amount: float, rng: np.random.Generator) -> np.ndarray:
    """Neurons along a body that bends to one side or to the other, while the head points the same way."""
    along = np.linspace(-1.0, 1.0, NAMED)
    points = np.column_stack([np.tile([0.0, 6.0], NAMED // 2), 20 * amount * along**2, 40 * along])
    return points + rng.normal(0, 0.2, points.shape)


def see(named: np.ndarray) -> SeenNeurons:
    """Eight volumes, alternately bent to either side; neurons of the volumes that are not ``named`` have no number."""
    rng = np.random.default_rng(3)
    volume = np.repeat(np.arange(len(BENDS)), NAMED)
    identity = np.where(named[volume], np.tile(np.arange(NAMED), len(BENDS)), -1)
    points = np.concatenate([bend(amount, rng) for amount in BENDS])
    return SeenNeurons(volume, identity, np.full(len(volume), 0.95), points, np.zeros(len(volume), bool))


def rank(named: np.ndarray, reviewed: list[int], here: int, axes: np.ndarray | None = None) -> list[int]:
    rows = np.arange(len(BENDS))
    posture = describe_known_postures(see(named), rows)
    axes = np.tile([0.0, 1.0], (len(BENDS), 1)) if axes is None else axes
    usable = rows != 5
    return rank_alike(posture, axes, usable, np.isin(rows, reviewed), here).tolist()


def test_the_same_bend_comes_before_the_other_one_in_the_same_direction() -> None:
    assert set(rank(np.ones(8, bool), [], 2)[:3]) == {0, 4, 6}
    assert set(rank(np.ones(8, bool), [], 3)[:2]) == {1, 7}, "another bend, other volumes; volume 5 failed"


def test_reviewed_volumes_come_first() -> None:
    assert rank(np.ones(8, bool), [1, 6], 2)[:2] == [6, 1]


def test_direction_decides_where_no_posture_is_known() -> None:
    angle = np.array([0.0, 2.0, 1.0, 0.9, 2.5, 0.0, 3.0, 1.4])
    axes = np.column_stack([np.sin(angle), np.cos(angle)])
    assert rank(np.zeros(8, bool), [], 2, axes)[:2] == [3, 7]
    half = np.arange(8) < 4
    assert rank(half, [], 6, axes)[0] == 4, "its own posture is not known"
    assert set(rank(half, [], 2, axes)[:3]) == {0, 1, 3}, "those of known posture first"
