"""The density feature: shells between cylinders, four territories."""

import numpy as np
import pytest

from cender.recognize.paper.density import describe_density
from cender.recognize.paper.posture import Posture


def make_posture(objects: np.ndarray, regions: np.ndarray | None = None, owner: np.ndarray | None = None) -> Posture:
    regions = np.zeros((0, 3)) if regions is None else regions
    points = np.concatenate([objects, regions])
    span = np.ptp(points, axis=0) if len(points) else np.zeros(3)
    return Posture(objects, regions, np.zeros(0, int) if owner is None else owner, span)


def scatter(count: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, (6, 30, 8), (count, 3))


def count_inside(away: np.ndarray, radius: float, height: float, ventral: bool, left: bool) -> int:
    """Points of one territory in a cylinder: the set that the paper calls C."""
    z, y, x = away.T
    inside = np.hypot(x, y) <= radius
    inside &= (x > 0) == ventral
    inside &= (z > 0) == left
    return int((inside & (np.abs(z) <= height / 2)).sum())


def test_counts_are_differences_of_cylinders() -> None:
    objects, q = scatter(70), 10
    posture = make_posture(objects)
    features = describe_density(posture, q, "objects").reshape(70, 2, 2, q) * 69
    radius, height = np.hypot(*posture.span_um[1:]) / q, 2 * posture.span_um[0] / q
    for row in (0, 33, 69):
        away = np.delete(objects, row, axis=0) - objects[row]
        for dorsal in (0, 1):
            for right in (0, 1):
                inside = [count_inside(away, j * radius, j * height, not dorsal, not right) for j in range(q + 1)]
                assert features[row, dorsal, right] == pytest.approx(np.diff(inside))


@pytest.mark.parametrize(("away", "territory"), [((1, 9, 1), 0), ((-1, -9, 1), 1), ((1, 9, -1), 2), ((-1, -9, -1), 3)])
def test_territories(away: tuple[int, int, int], territory: int) -> None:
    objects = np.array([(0, 0, 0), away], float)
    assert describe_density(make_posture(objects), 5, "objects")[0].reshape(4, 5).sum(1).argmax() == territory


def test_rows_sum_to_one_and_follow_their_neurons() -> None:
    objects = scatter(40)
    order = np.random.default_rng(0).permutation(40)
    first, second = (describe_density(make_posture(points), 20, "objects") for points in (objects, objects[order]))
    assert first.sum(axis=1) == pytest.approx(np.ones(40))
    assert not np.allclose(first, second)
    assert np.allclose(first[order], second)


def test_own_regions_are_not_counted() -> None:
    objects = scatter(10)
    owner = np.repeat(np.arange(10), 2)
    regions = objects[owner] + np.tile([[0.01, 0, 0.01], [-0.01, 0, 0.01]], (10, 1))
    own = describe_density(make_posture(objects, regions, owner), 20, "regions").reshape(10, 4, 20)
    nobody = describe_density(make_posture(objects, regions, np.full(20, -1)), 20, "regions").reshape(10, 4, 20)
    assert (nobody[:, :2, 0] >= 1 / 20 - 1e-12).all()
    assert own.sum((1, 2)) == pytest.approx(np.ones(10))
    assert np.allclose(own * 18, nobody * 20 - np.eye(20)[0] * np.array([1, 1, 0, 0])[:, None])


def test_rounding_does_not_move_points_on_an_edge() -> None:
    # Frames 0.1 apart lie on the edges of ten shells; 0.1 + 0.2 is not 0.3.
    objects = np.zeros((11, 3))
    objects[:, 0] = np.cumsum(np.r_[0, np.full(10, 0.1)])
    first = describe_density(make_posture(objects), 10, "objects")[0].reshape(4, 10)
    assert first[2] == pytest.approx(np.full(10, 0.1))


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_any_neuron(count: int) -> None:
    features = describe_density(make_posture(scatter(count)), 20, "objects")
    assert features.shape == (count, 80)
    assert (features == 0).all()


def test_all_in_one_frame_or_one_place() -> None:
    for objects in (scatter(12) * (0, 1, 1), np.zeros((12, 3))):
        assert describe_density(make_posture(objects), 20, "objects").sum(1) == pytest.approx(np.ones(12))
