"""No volume, however bad, ends a run or gets wrong axes with high confidence."""

import numpy as np
import pytest

from cases.volumes import BUILDERS, VOXEL_UM, BadVolume, good_head, shipped_compass
from cender.errors import UnusableVolume
from cender.preprocess import PreprocessParams, find_head
from cender.types import Head, VoxelSize

BUILDERS_BY_NAME = {builder.__name__: builder for builder in BUILDERS}


def is_right(head: Head, case: BadVolume) -> bool:
    assert case.truth is not None
    true = case.truth.head
    assert true is not None
    return bool(head.anterior_yx @ true.anterior_yx > 0 and head.ventral_yx @ true.ventral_yx > 0)


@pytest.mark.parametrize("method", ["default", "paper"])
@pytest.mark.parametrize("name", BUILDERS_BY_NAME)
def test_is_refused_with_a_reason_or_gets_a_sound_head(name: str, method: str) -> None:
    case = BUILDERS_BY_NAME[name]()
    before = case.red.copy()
    try:
        head = find_head(case.red, case.voxel_um, shipped_compass(), PreprocessParams(method=method))
    except UnusableVolume:
        head = None
    assert np.array_equal(before, case.red, equal_nan=case.red.dtype.kind == "f"), "the input is not changed"
    if head is None:
        return
    rows, columns = case.red.shape[1:]
    assert 0 <= head.crop.x < head.crop.x + head.crop.w <= columns
    assert 0 <= head.crop.y < head.crop.y + head.crop.h <= rows
    assert np.linalg.norm(head.anterior_yx) == pytest.approx(1)
    assert head.anterior_yx @ head.ventral_yx == pytest.approx(0, abs=1e-9)
    assert 0 <= head.confidence <= 1
    assert 0 <= head.quality <= 1


@pytest.mark.parametrize("name", BUILDERS_BY_NAME)
def test_is_never_wrong_and_trusted(name: str) -> None:
    case = BUILDERS_BY_NAME[name]()
    params = PreprocessParams()
    if case.said is not None:
        with pytest.raises(UnusableVolume, match=case.said):
            find_head(case.red, case.voxel_um, shipped_compass(), params)
        return
    try:
        head = find_head(case.red, case.voxel_um, shipped_compass(), params)
    except UnusableVolume:
        return
    if case.truth is None or not is_right(head, case):
        assert head.quality < params.flag_below


@pytest.mark.parametrize("name", ["one_frame", "two_worms", "second_body", "huge", "touching_body"])
def test_head_is_found_all_the_same(name: str) -> None:
    case = BUILDERS_BY_NAME[name]()
    head = find_head(case.red, case.voxel_um, shipped_compass())
    assert head.quality >= PreprocessParams().flag_below
    assert case.truth is not None
    assert case.truth.head is not None
    far = np.linalg.norm(head.origin_yx - case.truth.head.origin_yx) * VOXEL_UM.y_um
    if name != "two_worms":
        assert far < 20
        assert is_right(head, case)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint32, np.int64, np.float32, np.float64, ">u2"])
def test_any_number_type_gives_the_same_axes(dtype: str) -> None:
    red, _ = good_head()
    known = find_head(red, VOXEL_UM, shipped_compass())
    values = np.clip((red.astype(float) - 100) / 4, 0, 255) if dtype == np.uint8 else red
    head = find_head(values.astype(dtype), VOXEL_UM, shipped_compass())
    assert head.anterior_yx @ known.anterior_yx > 0.98
    assert head.ventral_yx @ known.ventral_yx > 0.98


def test_bright_values_do_not_overflow() -> None:
    red, _ = good_head()
    known = find_head(red, VOXEL_UM, shipped_compass())
    bright = np.minimum(red.astype(np.int64) * 40, 65535).astype(np.uint16)
    assert bright.sum(dtype=np.uint16) != bright.sum(), "sums in the image's own type would overflow"
    for method in ("default", "paper"):
        head = find_head(bright, VOXEL_UM, shipped_compass(), PreprocessParams(method=method))
        assert np.isfinite(head.origin_yx).all()
    assert find_head(bright, VOXEL_UM, shipped_compass()).anterior_yx @ known.anterior_yx > 0.9


@pytest.mark.parametrize(
    "voxel", [VoxelSize(1.5, 0.0, 0.3), VoxelSize(1.5, float("nan"), 0.3), VoxelSize(1.5, 0.3, -1)]
)
def test_impossible_voxel_size_is_refused(voxel: VoxelSize) -> None:
    with pytest.raises(UnusableVolume, match=r"recording\.voxel_um"):
        find_head(good_head()[0], voxel, shipped_compass())
