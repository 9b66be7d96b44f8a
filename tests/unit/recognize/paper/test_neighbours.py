"""The feature of nearest neighbours: cylindrical coordinates, nearest first, rows that never shift."""

import numpy as np
import pytest

from cender.recognize.paper.neighbours import NOWHERE, describe_neighbours
from cender.recognize.paper.posture import Posture


def make_posture(objects: np.ndarray, regions: np.ndarray | None = None, owner: np.ndarray | None = None) -> Posture:
    regions = np.zeros((0, 3)) if regions is None else regions
    points = np.concatenate([objects, regions])
    span = np.ptp(points, axis=0) if len(points) else np.zeros(3)
    return Posture(objects, regions, np.zeros(0, int) if owner is None else owner, span)


def scatter(count: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, (6, 30, 8), (count, 3))


def test_coordinates_of_known_neighbours() -> None:
    # Left, anterior, ventral: one neighbour 3 to the ventral side, one 4 in front and 2 to the left.
    objects = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [2.0, 4.0, 0.0]])
    rho, phi, z = describe_neighbours(make_posture(objects), 2, "objects")[0].reshape(2, 3).T
    assert rho == pytest.approx([2 * 3 / 5 - 1, 2 * 4 / 5 - 1])
    assert phi == pytest.approx([0, 0.5])
    assert z == pytest.approx([0, 1])


def test_neighbours_are_those_of_a_plain_search() -> None:
    objects = scatter(60)
    features = describe_neighbours(make_posture(objects), 25, "objects").reshape(60, 25, 3)
    span = np.ptp(objects, axis=0)
    for row in (0, 17, 59):
        away = np.delete(objects, row, axis=0) - objects[row]
        near = away[np.argsort(np.linalg.norm(away, axis=1))[:25]]
        assert features[row, :, 0] == pytest.approx(2 * np.hypot(near[:, 1], near[:, 2]) / np.hypot(*span[1:]) - 1)
        assert features[row, :, 2] == pytest.approx(near[:, 0] / span[0])


def test_rows_follow_their_neurons() -> None:
    objects = scatter(30)
    order = np.random.default_rng(0).permutation(30)
    first, second = (describe_neighbours(make_posture(points), 25, "objects") for points in (objects, objects[order]))
    assert not np.allclose(first, second)
    assert np.allclose(first[order], second)


def test_lacking_neighbours_fill_the_end_and_shift_nothing() -> None:
    objects = scatter(9)
    few, many = (describe_neighbours(make_posture(objects), k, "objects") for k in (8, 25))
    assert many.shape == (9, 75)
    assert np.array_equal(many[:, :24], few)
    assert np.array_equal(many[:, 24:], np.tile(NOWHERE, (9, 17)))


def test_own_regions_are_no_neighbours() -> None:
    objects = scatter(10)
    owner = np.repeat(np.arange(10), 2)
    regions = objects[owner] + np.tile([[1.0, 0, 0], [-1.0, 0, 0]], (10, 1))
    own = describe_neighbours(make_posture(objects, regions, owner), 20, "regions")
    assert np.array_equal(own[:, 54:], np.tile(NOWHERE, (10, 2))), "18 of the 20 regions belong to others"
    nobody = describe_neighbours(make_posture(objects, regions, np.full(20, -1)), 20, "regions")
    assert np.allclose(nobody[:, [0, 3]], -1), "regions of nobody are neighbours"
    assert (own[:, 0] > -1).all()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_any_neuron(count: int) -> None:
    features = describe_neighbours(make_posture(scatter(count)), 25, "objects")
    assert features.shape == (count, 75)
    assert np.isfinite(features).all()


def test_all_in_one_frame_or_one_place() -> None:
    flat = scatter(12) * (0, 1, 1)
    assert np.isfinite(describe_neighbours(make_posture(flat), 25, "objects")).all()
    assert np.isfinite(describe_neighbours(make_posture(np.zeros((12, 3))), 25, "objects")).all()
