"""Frames of an animal that moves while it is scanned are laid over each other, and places lead back."""

from itertools import pairwise

import cv2
import numpy as np
import pytest

from cender.detect.still import hold_still, trace_motion
from cender.types import Crop, Head, VoxelSize

VOXEL_UM = VoxelSize(2.0, 0.4, 0.4)
CROP = Crop(20, 15, 160, 120)


def draw_moving(step_px: tuple[float, float], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A stack of round nuclei that move by ``step_px`` (y, x) per frame, and where they are in the first frame."""
    rng = np.random.default_rng(seed)
    place = np.column_stack([rng.uniform(1, 8, 40), rng.uniform(40, 110, 40), rng.uniform(45, 155, 40)])
    ys, xs = np.mgrid[0:150, 0:200]
    stack = rng.normal(100, 4, (10, 150, 200))
    for z in range(len(stack)):
        for depth, y, x in place:
            there = (ys - y - z * step_px[0]) ** 2 + (xs - x - z * step_px[1]) ** 2
            stack[z] += 200 * np.exp(-there / 18 - (z - depth) ** 2 / 1.5)
    return stack.clip(0).astype(np.uint16), place


def measure_likeness(stack: np.ndarray) -> float:
    """Mean correlation of frames with the next ones."""
    soft = [cv2.GaussianBlur(frame.astype(np.float32), (0, 0), 2).ravel() for frame in stack]
    return float(np.mean([np.corrcoef(one, other)[0, 1] for one, other in pairwise(soft[2:8])]))


@pytest.mark.parametrize("step", [(1.5, 0.0), (-1.2, 2.0), (0.0, -2.5)])
def test_movement_is_traced_and_taken_off(step: tuple[float, float]) -> None:
    stack, _ = draw_moving(step)
    path = trace_motion(stack[:, 15:135, 20:180], VOXEL_UM)
    np.testing.assert_allclose(np.median(np.diff(path, axis=0), axis=0), step, atol=0.4)
    still = hold_still(stack, CROP, VOXEL_UM)
    moved = CROP._asdict() | still.move_crop(CROP)._asdict()
    held = still.stack[:, moved["y"] : moved["y"] + CROP.h, moved["x"] : moved["x"] + CROP.w]
    assert measure_likeness(held) > measure_likeness(stack) + 0.015


def test_places_lead_back_to_where_they_were() -> None:
    stack, place = draw_moving((1.5, -1.0))
    still = hold_still(stack, CROP, VOXEL_UM)
    assert np.ptp(still.first, axis=0).min() > 4
    np.testing.assert_allclose(still.points_to_full(still.points_from_full(place)), place, atol=1e-9)
    z, box = np.arange(10), np.tile([50.0, 60.0, 7.0, 8.0], (10, 1))
    np.testing.assert_allclose(still.boxes_to_full(z, still.boxes_from_full(z, box)), box)
    # What is seen at a place of these frames is what the full frame shows there.
    y, x = still.first[6]
    rows, columns = slice(max(y, 0), y + 60), slice(max(x, 0), x + 60)
    np.testing.assert_array_equal(still.stack[6, rows.start - y : 60, columns.start - x : 60], stack[6, rows, columns])


def test_a_head_moves_with_the_frames_that_are_cut() -> None:
    big = np.pad(draw_moving((1.5, 0.0))[0], ((0, 0), (80, 80), (90, 90)), mode="edge")
    crop = Crop(110, 95, 160, 120)
    still = hold_still(big, crop, VOXEL_UM)
    assert still.stack.shape[1] < big.shape[1]
    hull = np.array([[100.0, 120.0], [200.0, 120.0], [200.0, 260.0]])
    head = still.move_head(Head(crop, hull, hull.mean(0), np.array([0.0, 1.0]), np.array([1.0, 0.0]), hull_yx=hull))
    assert head.crop == still.move_crop(crop)
    np.testing.assert_allclose(hull - head.hull_yx, np.tile(still.corner, (3, 1)))


def test_what_hardly_moves_stays_as_it_is() -> None:
    stack, _ = draw_moving((0.2, 0.3))
    assert hold_still(stack, CROP, VOXEL_UM).stack is stack
    assert hold_still(stack[:1], CROP, VOXEL_UM).stack.shape[0] == 1


def test_frames_that_show_nothing_are_not_moved() -> None:
    blank = np.full((6, 100, 100), 100, np.uint16)
    noise = np.random.default_rng(0).normal(100, 8, (6, 100, 100)).astype(np.uint16)
    for stack in (blank, noise):
        assert hold_still(stack, Crop(0, 0, 100, 100), VOXEL_UM).stack is stack
    # Empty frames above and below the head do not move those that show it.
    stack, _ = draw_moving((1.5, 0.0))
    dark = np.random.default_rng(1).normal(100, 4, (3, *stack.shape[1:])).clip(0).astype(np.uint16)
    path = trace_motion(np.concatenate([dark, stack, dark])[:, 15:135, 20:180], VOXEL_UM)
    np.testing.assert_allclose(np.diff(path[5:11], axis=0), np.tile([1.5, 0.0], (5, 1)), atol=0.5)
