"""A camera without light reads its offset, its pattern and its noise, as the knobs say."""

import numpy as np
import pytest

from cender.simulate.camera import expose, make_camera
from cender.simulate.params import CameraParams

ROWS, COLUMNS = 200, 300


def read_frames(params: CameraParams, light: float = 0.0, count: int = 40) -> np.ndarray:
    rng = np.random.default_rng(1)
    camera = make_camera(params, ROWS, COLUMNS, np.random.default_rng(2))
    frames = [expose(camera, np.full((ROWS, COLUMNS), light, np.float32), rng) for _ in range(count)]
    return np.stack(frames).astype(float)


def test_offset_halves_and_noise_are_those_of_the_knobs() -> None:
    plain = {"shading": 0.0, "column_sd": 0.0, "row_sd": 0.0, "pixel_sd": 0.0, "hot_pixels": 0.0}
    frames = read_frames(CameraParams(offset=110, half_step=5.0, read_noise=6.0, noise_spread=0.0, **plain))
    assert frames[:, : ROWS // 2].mean() == pytest.approx(110, abs=0.1)
    assert frames[:, ROWS // 2 :].mean() == pytest.approx(115, abs=0.1)
    # Rounding to whole counts adds a twelfth to the variance.
    assert frames.std(0, ddof=1).mean() == pytest.approx(np.sqrt(36 + 1 / 12), rel=0.02)


def test_light_brings_shot_noise() -> None:
    params = CameraParams(read_noise=5.0, noise_spread=0.0, gain=2.0)
    dark, bright = (read_frames(params, light).var(0, ddof=1).mean() for light in (0.0, 200.0))
    assert bright - dark == pytest.approx(400, rel=0.05)


def test_halves_have_columns_of_their_own() -> None:
    frames = read_frames(CameraParams(column_sd=4.0, row_sd=0.0, pixel_sd=0.0, shading=0.0, hot_pixels=0.0))
    upper, lower = (half.mean((0, 1)) for half in np.split(frames, 2, axis=1))
    assert upper.std() == pytest.approx(4, rel=0.2)
    assert abs(np.corrcoef(upper, lower)[0, 1]) < 0.3


def test_counts_stay_below_the_full_well() -> None:
    assert read_frames(CameraParams(full_well=400), 1000.0, count=1).max() == 400
