"""The five fields around a peak."""

import numpy as np
import pytest

from cender.detect.fields import cut_fields, pad_frames, stack_fields


def cut(image: np.ndarray, peaks: list[list[int]], anchor: int = 9) -> np.ndarray:
    near, wide = cut_fields(pad_frames(image), np.array(peaks))
    return stack_fields(near, wide, np.full(len(peaks), anchor))


def test_fields_are_concentric_squares_of_the_papers_sizes() -> None:
    fields = cut(np.ones((1, 200, 200), np.float32), [[0, 100, 100]])
    assert fields.shape == (1, 5, 41, 41)
    assert fields[0].sum(axis=(1, 2)) == pytest.approx([81, 225, 961, 1681, 1681])
    assert [np.argwhere(field).mean(axis=0).tolist() for field in fields[0]] == [[20, 20]] * 5
    assert cut(np.ones((1, 99, 99), np.float32), [[0, 50, 50]], 11)[0, 0].sum() == 121


def test_the_peak_is_in_the_middle_of_its_own_frame() -> None:
    image = np.zeros((2, 90, 90), np.float32)
    image[1, 40, 50] = 1
    fields = cut(image, [[1, 40, 50], [0, 40, 50], [1, 41, 52]])
    assert fields[0, :4, 20, 20].tolist() == [1, 1, 1, 1]
    assert not fields[1].any(), "no other frame is seen"
    assert fields[2, :4, 19, 18].tolist() == [1, 1, 1, 1]


def test_outside_of_the_crop_is_zero() -> None:
    fields = cut(np.ones((1, 90, 90), np.float32), [[0, 0, 0]])
    assert not fields[0, 3, :20].any()
    assert fields[0, 3, 20:, 20:].all()


def test_wide_field_is_shrunk_without_shift() -> None:
    ramp = np.tile(np.arange(200, dtype=np.float32), (200, 1))[None]
    wide = cut(ramp, [[0, 100, 100]])[0, 4]
    assert wide[20, 20] == pytest.approx(100)
    assert np.diff(wide[20]) == pytest.approx(81 / 41, abs=1e-3)
