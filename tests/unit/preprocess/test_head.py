"""The head and its axes: right on simulated animals, and turned with the picture."""

from functools import cache

import cv2
import numpy as np
import pytest

from cases.volumes import VOXEL_UM, good_head, shipped_compass
from cender.preprocess import PreprocessParams, find_head
from cender.preprocess.compass import ANGLE_RAD, SIZES, Reading, anterior_of, ventral_of
from cender.preprocess.head import choose_pose
from cender.preprocess.projection import remove_hot_pixels
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Annotation, Head, VoxelSize


@cache
def typical(seed: int, volume: int) -> tuple[np.ndarray, Annotation]:
    params = SimulateParams(preset="typical", seed=seed, volumes=40, shape=(18, 720, 720))
    simulation = simulate_recording(params)
    return simulation.recording.volume(volume, (0,)).data[0], simulation.annotate(volume)


def is_right(head: Head, truth: Annotation) -> bool:
    assert truth.head is not None
    return bool(head.anterior_yx @ truth.head.anterior_yx > 0 and head.ventral_yx @ truth.head.ventral_yx > 0)


@pytest.mark.parametrize("seed", [5911, 5912, 5913, 5914, 5915, 5916])
def test_typical_heads_are_right_or_flagged(seed: int) -> None:
    red, truth = typical(seed, 20)
    head = find_head(red, VOXEL_UM, shipped_compass())
    assert is_right(head, truth) or head.quality < PreprocessParams().flag_below
    assert truth.head is not None
    assert np.linalg.norm(head.origin_yx - truth.head.origin_yx) * VOXEL_UM.y_um < 12
    x, y, w, h = truth.regions.box_px.T
    crop = head.crop
    held = (x >= crop.x) & (y >= crop.y) & (x + w <= crop.x + crop.w) & (y + h <= crop.y + crop.h)
    assert held.mean() > 0.97


def test_crop_is_a_small_part_of_the_frame() -> None:
    head = find_head(typical(5911, 20)[0], VOXEL_UM, shipped_compass())
    assert head.crop.w * head.crop.h < 0.6 * 720 * 720


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turning_the_volume_turns_the_axes(quarters: int) -> None:
    red, _ = good_head()
    before = find_head(red, VOXEL_UM, shipped_compass())
    after = find_head(np.rot90(red, quarters, axes=(1, 2)), VOXEL_UM, shipped_compass())
    turn = np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), quarters)
    assert not np.allclose(after.anterior_yx, before.anterior_yx, atol=0.3), "it moved at all"
    assert np.allclose(after.anterior_yx, turn @ before.anterior_yx, atol=0.02)
    assert np.allclose(after.ventral_yx, turn @ before.ventral_yx, atol=0.02)


@pytest.mark.parametrize(("axis", "signs"), [(1, (-1, 1)), (2, (1, -1))])
def test_mirroring_the_volume_mirrors_the_axes(axis: int, signs: tuple[int, int]) -> None:
    red, _ = good_head()
    before = find_head(red, VOXEL_UM, shipped_compass())
    after = find_head(np.flip(red, axis), VOXEL_UM, shipped_compass())
    assert np.allclose(after.anterior_yx, before.anterior_yx * signs, atol=0.02)
    assert np.allclose(after.ventral_yx, before.ventral_yx * signs, atol=0.02)


def test_depth_may_be_turned_over() -> None:
    red, _ = good_head()
    before, after = find_head(red, VOXEL_UM, shipped_compass()), find_head(red[::-1], VOXEL_UM, shipped_compass())
    assert before.crop == after.crop
    assert np.array_equal(before.ventral_yx, after.ventral_yx)


def test_moving_the_head_moves_only_its_place() -> None:
    red, _ = good_head()
    before = find_head(red, VOXEL_UM, shipped_compass())
    after = find_head(np.roll(red, (40, -24), axis=(1, 2)), VOXEL_UM, shipped_compass())
    assert np.allclose(after.origin_yx - before.origin_yx, (40, -24), atol=1.5)
    assert after.anterior_yx @ before.anterior_yx > 0.99
    assert after.ventral_yx @ before.ventral_yx > 0.99


@pytest.mark.parametrize(("gain", "offset"), [(0.5, 300.0), (3.0, 0.0), (1e-4, -7.0), (1e6, 1e7)])
def test_gain_and_offset_do_not_matter(gain: float, offset: float) -> None:
    red, _ = good_head()
    before = find_head(red, VOXEL_UM, shipped_compass())
    after = find_head(red.astype(np.float64) * gain + offset, VOXEL_UM, shipped_compass())
    assert after.anterior_yx @ before.anterior_yx > 0.999
    assert after.confidence == pytest.approx(before.confidence, abs=0.01)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_pixel_size_is_taken_into_account(factor: float) -> None:
    red, truth = good_head()
    size = (int(red.shape[2] * factor), int(red.shape[1] * factor))
    other = np.stack([cv2.resize(frame, size, interpolation=cv2.INTER_AREA) for frame in red])
    head = find_head(other, VoxelSize(1.5, 0.3 / factor, 0.3 / factor), shipped_compass())
    assert is_right(head, truth)
    assert truth.head is not None
    assert np.linalg.norm(head.origin_yx / factor - truth.head.origin_yx) * 0.3 < 12


def test_hot_pixels_are_removed_and_nuclei_are_not() -> None:
    image = np.full((40, 40), 100, np.uint16)
    image[5, 5] = 5000
    image[18:22, 18:22] = 900
    clean = remove_hot_pixels(image)
    assert image[5, 5] == 5000
    assert clean[5, 5] == 100
    assert (clean[18:22, 18:22] == 900).all()


def test_pose_lies_between_the_hypotheses_it_is_near_to() -> None:
    probability = np.full((2, len(ANGLE_RAD)), 1e-9)
    probability[1, 3] = probability[1, 4] = 0.5
    pose = choose_pose(Reading(np.log(probability / probability.sum()), 5.0, 0.0))
    assert pose.row == 1
    assert pose.angle_rad == pytest.approx((ANGLE_RAD[3] + ANGLE_RAD[4]) / 2)
    assert pose.log_flips[0] == pytest.approx(0, abs=1e-6)


def test_pose_names_the_flip_that_competes_with_it() -> None:
    probability = np.full((2, len(ANGLE_RAD)), 1e-9)
    probability[0, 2], probability[1, 10] = 0.7, 0.3
    pose = choose_pose(Reading(np.log(probability / probability.sum()), 5.0, 0.0))
    assert np.allclose(np.exp(pose.log_flips), (0.7, 0.3, 0, 0), atol=1e-6)
    rival_anterior, rival_ventral = anterior_of(ANGLE_RAD[10]), ventral_of(ANGLE_RAD[10], 1)
    assert rival_anterior @ pose.anterior == pytest.approx(-1)
    assert rival_ventral @ pose.ventral == pytest.approx(1)


@pytest.mark.parametrize(("sure", "looks"), [(True, 1), (False, 1 + len(SIZES))])
def test_only_a_doubtful_pose_is_looked_at_again(sure: bool, looks: int) -> None:
    seen: list[int] = []

    def compass(patches: np.ndarray) -> np.ndarray:
        seen.append(len(patches))
        out = np.zeros((len(patches), 2), np.float32)
        out[0, 0] = 12.0
        # Belly on either side.
        out[len(patches) // 2, 0] = 0.0 if sure else 12.0
        return out

    head = find_head(typical(5911, 20)[0], VOXEL_UM, compass)
    assert len(seen) == looks
    assert (head.confidence > 0.9) is sure
