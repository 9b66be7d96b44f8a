"""The network's own grid."""

import numpy as np
import pytest

from cender.detect.normalise import (
    ANY_GRIDS,
    BRIGHT,
    USUAL_GRIDS,
    compress,
    cut_head,
    cut_strip,
    find_levels,
    lacks_background,
    mend_pixels,
    to_levels,
)
from cender.types import Crop, Head, VoxelSize


def draw_blob(
    shape: tuple[int, int, int], at: tuple[float, float, float], size: tuple[float, float, float]
) -> np.ndarray:
    grids = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    squared = sum(((grid - place) / width) ** 2 for grid, place, width in zip(grids, at, size, strict=True))
    return (100 + 400 * np.exp(-squared)).astype(np.uint16)


@pytest.mark.parametrize("voxel", [(1.5, 0.3, 0.3), (1.0, 0.235, 0.235), (3.0, 0.3, 0.3), (0.75, 0.6, 0.6)])
def test_a_place_on_the_grid_is_the_same_place_in_the_volume(voxel: tuple[float, float, float]) -> None:
    place = (6.0, 33.0, 51.0)
    stack = draw_blob((14, 80, 90), place, (2.5, 6.0, 6.0))
    image, grid = cut_head(stack, Crop(10, 8, 75, 66), VoxelSize(*voxel))
    weight = image.astype(float) ** 4
    index = [float((weight * axis).sum() / weight.sum()) for axis in np.indices(image.shape)]
    np.testing.assert_allclose(np.array(index) * grid.step + grid.first, place, atol=0.35)


def test_a_grid_that_the_network_knows_is_not_resampled() -> None:
    stack = np.arange(5 * 40 * 40, dtype=np.uint16).reshape(5, 40, 40)
    image, grid = cut_head(stack, Crop(0, 0, 40, 40), VoxelSize(1.1, 0.34, 0.24))
    assert image.shape == stack.shape
    np.testing.assert_array_equal(grid.step, 1)


def test_boxes_cover_the_same_area_after_the_way_back() -> None:
    stack = np.zeros((6, 64, 64), np.uint16)
    _, grid = cut_head(stack, Crop(4, 2, 60, 62), VoxelSize(1.5, 0.1125, 0.1125))
    assert grid.step[1] == pytest.approx(2)
    # A box of 10 × 8 grid pixels from the crop's corner covers 20 × 16 pixels from there.
    np.testing.assert_allclose(grid.boxes_to_full(np.array([[0.0, 0.0, 10.0, 8.0]])), [[4, 2, 20, 16]])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.float32, np.float64])
def test_brightness_does_not_depend_on_the_type(dtype: type) -> None:
    stack = draw_blob((3, 20, 20), (1, 10, 10), (2, 4, 4)) // 4
    np.testing.assert_allclose(
        compress(stack.astype(dtype), 25.0, 100.0), compress(stack.astype(np.uint16), 25.0, 100.0), atol=1e-5
    )


def test_one_frame_stays_one_frame() -> None:
    image, _ = cut_head(np.ones((1, 30, 30), np.uint16), Crop(0, 0, 30, 30), VoxelSize(5.0, 0.3, 0.3))
    assert image.shape == (1, 30, 30)


def test_stuck_pixels_are_mended_and_nuclei_are_not() -> None:
    rng = np.random.default_rng(0)
    stack = (draw_blob((12, 60, 60), (6, 30, 30), (2, 4, 4)) + rng.normal(0, 9, (12, 60, 60))).astype(np.uint16)
    np.testing.assert_array_equal(mend_pixels(stack), stack)
    stuck = stack.copy()
    stuck[:, 10, 44] += 700
    stuck[:, 0, 0] += 150
    mended = mend_pixels(stuck)
    assert np.abs(mended[:, 10, 44].astype(int) - 100).max() < 60
    assert np.abs(mended[:, 0, 0].astype(int) - 100).max() < 60
    changed = np.argwhere((mended != stuck).any(0))
    assert {tuple(place) for place in changed.tolist()} == {(10, 44), (0, 0)}


@pytest.mark.parametrize("degrees", [20, 45, 70, 110, 160])
@pytest.mark.parametrize("voxel", [(1.5, 0.3, 0.3), (1.0, 0.2, 0.2)])
def test_a_strip_along_a_slanting_worm_spares_the_empty_part_and_keeps_places(
    degrees: float, voxel: tuple[float, float, float]
) -> None:
    way = np.array([np.sin(np.deg2rad(degrees)), np.cos(np.deg2rad(degrees))])
    across = np.array([way[1], -way[0]])
    places = [np.array([150, 160]) + t * way + 5 * np.sign(t) * across for t in (-90.0, -30.0, 40.0, 90.0)]
    stack = sum(draw_blob((10, 300, 320), (4.0, *place), (2.5, 7.0, 7.0)).astype(float) - 100 for place in places) + 100
    hull = np.array(
        [place + s * across + e * way for place, e in ((places[0], -6), (places[-1], 6)) for s in (-12, 12)]
    )
    head = Head(Crop(20, 10, 280, 280), hull, hull.mean(0), way, across, hull_yx=hull)
    image, grid = cut_strip(stack.astype(np.uint16), head, VoxelSize(*voxel))
    straight, _ = cut_head(stack.astype(np.uint16), head.crop, VoxelSize(*voxel))
    assert image.size < 0.75 * straight.size
    tops = np.argwhere((image > 0.9 * image.max()) & (image == image.max((1, 2), keepdims=True)))
    found = grid.points_to_full(tops.astype(float))
    assert len(found)
    for place in found:
        assert min(np.linalg.norm(place[1:] - there) for there in places) < 3
    centre = found[:1]
    index = tops[:1].astype(float)
    box = np.column_stack([index[:, 2] - 4, index[:, 1] - 4, [[9.0]], [[9.0]]])
    full = grid.boxes_to_full(box)
    np.testing.assert_allclose(full[:, :2] + (full[:, 2:] - 1) / 2, centre[:, [2, 1]], atol=1e-6)
    np.testing.assert_allclose(full[:, 2:], 9.0 * grid.step[1], rtol=0.02)


def test_levels_are_rounded_brightness_for_every_type_of_pixel() -> None:
    stack = np.arange(0, 400, dtype=np.uint16).reshape(4, 10, 10)
    lit = compress(stack, 25.0, 100.0)
    levels = to_levels(stack, 25.0, 100.0)
    assert levels.max() == 255
    assert len(np.unique(levels)) > 50
    np.testing.assert_allclose(levels * (2 / 255), lit, atol=1.01 / 255)
    np.testing.assert_array_equal(to_levels(stack.astype(np.float32), 25.0, 100.0), levels)


def test_counting_finds_the_same_levels_as_sorting() -> None:
    stack = np.random.default_rng(5).poisson(90, (5, 60, 60)).astype(np.uint16)
    np.testing.assert_allclose(find_levels(stack), find_levels(stack.astype(np.float32)), atol=1)


def draw_removed(side: int) -> np.ndarray:
    """Bright squares on nothing but a few specks, in a field of this size."""
    rng = np.random.default_rng(1)
    stack = np.zeros((8, side, side), np.uint8)
    stack[rng.random(stack.shape) < 0.02] = 3
    for row in range(6):
        stack[2:5, 10 + 12 * row : 16 + 12 * row, 20:26] = 60 + 10 * row
    return stack


def test_bright_level_of_images_without_background_does_not_depend_on_the_empty_part() -> None:
    near, far = draw_removed(96), draw_removed(320)
    assert np.percentile(near, BRIGHT) > 2 * np.percentile(far, BRIGHT)
    levels = [find_levels(stack) for stack in (near, far)]
    assert [dark for dark, _ in levels] == [0, 0]
    assert levels[0][1] == pytest.approx(levels[1][1], rel=0.15)
    assert 50 < levels[0][1] < 120


def test_background_is_missed_where_it_was_removed() -> None:
    clean = draw_removed(96)
    noisy = np.random.default_rng(2).normal(100, 10, clean.shape).clip(0).astype(np.uint16) + clean
    assert lacks_background(clean)
    assert not lacks_background(noisy)


@pytest.mark.parametrize("voxel", [(0.7, 0.16, 0.16), (2.2, 0.5, 0.5), (4.0, 0.8, 0.8)])
def test_one_network_sees_all_rigs_with_the_same_pixels_and_their_own_frames(voxel: tuple[float, float, float]) -> None:
    crop, stack = Crop(0, 0, 96, 90), np.zeros((12, 90, 96), np.uint8)
    usual, any_ = (
        cut_head(stack, crop, VoxelSize(*voxel), grids)[1].step * voxel for grids in (USUAL_GRIDS, ANY_GRIDS)
    )
    assert any_ == pytest.approx([max(voxel[0], 1.0), 0.25, 0.25], rel=0.06)
    assert usual[1] == pytest.approx(np.clip(voxel[1], 0.225, 0.35), rel=0.06)
