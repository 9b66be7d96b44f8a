"""Heads of real animals; their axes were read off the pictures and the names of their cells."""

from pathlib import Path

import numpy as np
import pytest

from cases.volumes import shipped_compass
from cender.preprocess import PreprocessParams, find_head
from cender.types import VoxelSize

pytestmark = pytest.mark.real

# File, array in it, voxel size, and rough directions of anterior and ventral (y, x).
HEADS = {
    "neuropal_head_2": ((-0.4, -0.9), (0.9, -0.4)),
    "neuropal_head_3": ((-0.2, -1.0), (-1.0, 0.2)),
    "neuropal_head_4": ((-0.4, -0.9), (0.9, -0.4)),
    "neuropal_head_5": ((-0.4, -0.9), (0.9, -0.4)),
    "neuropal_head_rotated_1": ((-0.1, -1.0), (-1.0, 0.1)),
}


@pytest.mark.parametrize("name", HEADS)
def test_real_heads_hold_their_neurons_and_are_right_or_flagged(name: str, real_data: Path) -> None:
    with np.load(real_data / f"{name}.npz") as file:
        red, points = file["volume"], file["points_zyx"]
    head = find_head(red, VoxelSize(1.0, 0.235, 0.235), shipped_compass())
    y, x = points[:, 1], points[:, 2]
    crop = head.crop
    inside = (x >= crop.x) & (x < crop.x + crop.w) & (y >= crop.y) & (y < crop.y + crop.h)
    assert inside.mean() > 0.98
    anterior, ventral = HEADS[name]
    right = head.anterior_yx @ anterior > 0 and head.ventral_yx @ ventral > 0
    assert right or head.quality < PreprocessParams().flag_below


def test_raw_camera_frames(real_data: Path) -> None:
    with np.load(real_data / "camera_frames_raw.npz") as file:
        frames = file["frames"]
    head = find_head(frames, VoxelSize(1.5, 0.3, 0.3), shipped_compass())
    assert 400 < head.origin_yx[1] < 600
    assert 200 < head.origin_yx[0] < 480
    right = head.anterior_yx @ (-0.9, -0.4) > 0 and head.ventral_yx @ (-0.4, 0.9) > 0
    assert right or head.quality < PreprocessParams().flag_below
