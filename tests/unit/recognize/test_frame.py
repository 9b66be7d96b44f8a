"""The frame of a cloud: the same wherever the head lies and whichever way it points in the image."""

import numpy as np
import pytest

from cases.constellations import make_head, see_head
from cender.recognize.frame import POSES, UNIT_UM, place_points

POINTS = see_head(make_head(), 0, noise_um=0.0).centre_um


@pytest.mark.parametrize("turn", [0.4, 1.6, 3.1, -2.0])
def test_turning_and_moving_in_the_plane_changes_nothing(turn: float) -> None:
    cos, sin = np.cos(turn), np.sin(turn)
    rotation = np.array([[1, 0, 0], [0, cos, sin], [0, -sin, cos]])
    moved = (POINTS - POINTS.mean(axis=0)) @ rotation + (3, -40, 500)
    assert not np.allclose(moved - np.median(moved, axis=0), POINTS - np.median(POINTS, axis=0), atol=1)
    placed, expected = place_points(moved), place_points(POINTS)
    # The median is taken coordinate by coordinate: turned, it lies a little elsewhere.
    offsets = [placed * pose - expected for pose in POSES[:2]]
    assert min(np.ptp(offset, axis=0).max() for offset in offsets) < 0.02
    assert min(np.abs(offset).max() for offset in offsets) < 0.1


def test_a_mirror_image_stays_one() -> None:
    placed, mirrored = place_points(POINTS), place_points(POINTS * (-1, 1, 1))
    assert min(np.abs(mirrored * pose - placed).max() for pose in POSES) > 0.05


def test_poses_are_rotations() -> None:
    assert (POSES.prod(axis=1) == 1).all()


def test_a_far_stray_point_hardly_turns_the_frame() -> None:
    stray = np.concatenate([POINTS, POINTS.mean(axis=0, keepdims=True) + np.array([0, 2000, 0])])
    placed = place_points(stray)[:-1]
    spread = placed.std(axis=0)
    assert spread[2] > 1.5 * spread[1], "x is still the long side"


def test_empty_and_single_clouds_have_a_frame() -> None:
    assert place_points(np.zeros((0, 3))).shape == (0, 3)
    assert (place_points(np.array([[5.0, 6.0, 7.0]])) == 0).all()


def test_units_are_those_of_a_head() -> None:
    placed = place_points(POINTS)
    a, b = POINTS[0] - POINTS[1], placed[0] - placed[1]
    assert np.linalg.norm(b) * UNIT_UM == pytest.approx(np.linalg.norm(a))
