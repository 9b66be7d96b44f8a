"""Whatever is written comes back, as far as its format can hold it."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cender.io import FORMATS, RecordingParams, open_recording, save_recording
from cender.types import Recording, VoxelSize

TYPES = {
    "ome-zarr": "uint8 int16 uint16 int32 uint64 float16 float32 float64",
    "ome-tiff": "uint8 int16 uint16 int32 float32 float64",
    "tiff-folder": "uint8 int16 uint16 int32 float32 float64",
    "tiff-slices": "uint8 int16 uint16 int32 float32",
    "matlab": "uint8 int16 uint16 int32 uint64 float32 float64",
    "hdf5": "uint8 int16 uint16 int32 uint64 float16 float32 float64",
    "npy": "uint8 int16 uint16 int32 uint64 float16 float32 float64",
    "npz": "uint8 int16 uint16 int32 uint64 float16 float32 float64",
    "raw": "uint8 int16 uint16 int32 float32 float64",
}
# What a format has no room for; everything else must come back.
LOSES = {
    "tiff-folder": {"times_s"},
    "tiff-slices": {"voxel_um", "rate_hz", "times_s", "roles"},
    "npy": {"voxel_um", "rate_hz", "times_s", "roles"},
    "raw": {"voxel_um", "rate_hz", "times_s", "roles"},
}
ROLES = {1: [("red",), ("green",)], 2: [("red", "green"), ("green", "red")], 3: [("other", "green", "red")]}


@dataclass(frozen=True)
class Held:
    """Volumes in memory."""

    data: np.ndarray

    def __call__(self, volume: int, channels: tuple[int, ...]) -> np.ndarray:
        return self.data[volume][list(channels)]


@st.composite
def draw_content(draw: st.DrawFn, name: str) -> tuple:
    """Pixels, voxel size, rate, time stamps and roles that a recording may have."""
    most = {"matlab": 2, "raw": 2}.get(name, 3)
    shape = draw(
        st.tuples(st.integers(1, 4), st.integers(1, most), st.integers(2, 5), st.integers(2, 9), st.integers(2, 9))
    )
    dtype = np.dtype(draw(st.sampled_from(TYPES[name].split())))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    data = random.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    data = np.nan_to_num(data) if dtype.kind == "f" else data
    sides = st.floats(0.02, 50)
    voxel = draw(st.none() | st.tuples(sides, sides, sides))
    rate = draw(st.none() | st.floats(0.1, 200))
    steps = draw(st.none() | st.lists(st.floats(0.01, 3), min_size=shape[0], max_size=shape[0]))
    times = None if steps is None else np.cumsum(steps)
    roles = draw(st.none() | st.sampled_from(ROLES[shape[1]]))
    if name == "matlab" and shape[1] == 2 and roles is not None:
        roles = ("red", "green")
    return data, voxel, rate, times, roles


def reopen(made: Recording, path: Path, name: str) -> Recording:
    """Open what was written, saying what this format cannot: axes of NPY, everything of raw frames."""
    params = RecordingParams()
    if name == "npy":
        params = RecordingParams(axes="TCZYX")
    if name == "raw":
        two = made.shape[1] == 2
        params = RecordingParams(
            raw_shape=(made.shape[3], made.shape[4] * (2 if two else 1)),
            raw_dtype=made.dtype.name,
            frames_per_volume=made.shape[2],
            split="left-right" if two else "none",
        )
    if name == "matlab" and made.shape[1] == 2:
        other = path.with_name("a_green.mat" if made.roles else "a_1.mat")
        params = RecordingParams(green=str(other))
    return open_recording(path, params)


@pytest.mark.parametrize("form", [one for one in FORMATS if one.save is not None], ids=lambda form: form.name)
@given(data=st.data())
@settings(max_examples=20)
def test_everything_that_fits_comes_back(form, data: st.DataObject) -> None:
    pixels, voxel, rate, times, roles = data.draw(draw_content(form.name))
    sides = None if voxel is None else VoxelSize(*voxel)
    made = Recording("held", "memory", pixels.shape, pixels.dtype, Held(pixels), sides, rate, times, roles)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{form.suffix}"
        save_recording(made, path, form.name)
        found = reopen(made, path, form.name)
        assert found.shape == made.shape
        assert found.dtype == made.dtype
        for index in range(len(made)):
            assert np.array_equal(found.volume(index).data, made.volume(index).data)
    lost = LOSES.get(form.name, set())
    assert found.warnings == ()
    if "voxel_um" not in lost:
        assert found.voxel_um == (None if made.voxel_um is None else pytest.approx(made.voxel_um))
    if "times_s" not in lost:
        assert (found.times_s is None) == (made.times_s is None)
        assert made.times_s is None or np.allclose(found.times_s, made.times_s)
    if "rate_hz" not in lost and (made.rate_hz is not None or made.times_s is None):
        assert found.rate_hz == (None if made.rate_hz is None else pytest.approx(made.rate_hz))
    if "roles" not in lost and made.roles is not None:
        assert found.roles == made.roles
    what = {m.what for m in found.missing}
    assert ("voxel size" in what) == (found.voxel_um is None)
    assert ("rate" in what) == (found.rate_hz is None and len(found) > 1), "one volume has no rate to ask for"
    assert "axes" not in what
