"""Voxels and heads that cannot be."""

import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from cender.io import inspect_recording
from cender.io.recordings.inspect.plausible import measure_length_px
from cender.types import Missing, Recording, VoxelSize


def head(voxel_um: VoxelSize | None) -> Recording:
    """A bar of nuclei some 300 px long."""
    random = np.random.default_rng(8)
    spots = np.zeros((160, 400), np.float32)
    spots[random.integers(60, 100, 80), random.integers(50, 350, 80)] = random.uniform(2000, 9000, 80)
    frame = cv2.GaussianBlur(spots, (0, 0), 3)
    data = random.normal(100 + frame, 5, (2, 1, 6, 160, 400)).astype(np.float32)
    missing = () if voxel_um else (Missing("voxel size", "recording.voxel_um=Z,Y,X"),)
    return Recording(
        "head", "memory", data.shape, data.dtype, lambda v, c: data[v][list(c)], voxel_um, 5.0, None, ("red",), missing
    )


@pytest.mark.parametrize(
    ("voxel", "words"),
    [
        (VoxelSize(1.5, 0.3, 0.3), []),
        (VoxelSize(0.3, 0.3, 1.5), ["was 1.5,0.3,0.3 meant"]),
        (VoxelSize(0.6, 0.6, 2.0), ["pixels are 0.6 µm along y and 2 µm along x.*was 2,0.6,0.6 meant"]),
        (VoxelSize(1.5, 0.3, 0.6), ["0.3 µm along y and 0.6 µm along x.*check it"]),
        (VoxelSize(0.2, 0.6, 0.6), [r"z \(0.2 µm\) is finer than a pixel \(0.6 µm\).*check it"]),
        (VoxelSize(2.0, 6.0, 6.0), [r"z \(2 µm\) is finer.*check it", r"spans 1,\d{3} µm, but"]),
        (VoxelSize(3.0, 3.0, 3.0), [r"spans \d+ µm, but the neurons of a head lie within"]),
        (VoxelSize(0.03, 0.03, 0.03), [r"spans \d+ µm, but the neurons of a head lie within"]),
        (None, ["is a rough guess"]),
    ],
)
def test_voxel_sizes(voxel: VoxelSize | None, words: list[str]) -> None:
    warnings = inspect_recording(head(voxel)).warnings
    assert len(warnings) == len(words)
    for warning, expected in zip(warnings, words, strict=True):
        assert re.search(expected, warning), warning


def test_nothing_is_guessed_beside_what_the_file_suggests() -> None:
    suggested = replace(head(None), missing=(Missing("voxel size", "recording.voxel_um=1.5,0.6,0.6", hinted=True),))
    assert inspect_recording(suggested).warnings == ()


def test_length() -> None:
    top = head(None).read(0, (0,))[0].max(axis=0)
    assert measure_length_px(top) == pytest.approx(300, abs=30)
    assert measure_length_px(np.zeros((50, 50))) is None
