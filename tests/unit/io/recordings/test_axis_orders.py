"""Every order of axes in every format that holds arrays, one dataset per volume, voxel sizes beside the data."""

from itertools import permutations
from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile

from cender.errors import ConfigError, UnreadableRecording
from cender.io import RecordingParams, inspect_recording, open_recording
from cender.io.recordings.arrange.axes import guess_layout
from cender.io.recordings.formats.own import read_voxel_size
from cender.io.recordings.formats.store import VoxelHint
from cender.types import VoxelSize

ORDERS = ["".join(order) for order in permutations("TCZYX")]
SHAPE = (3, 2, 4, 6, 5)


@pytest.fixture(scope="module")
def small() -> np.ndarray:
    return np.random.default_rng(5).permutation(720).astype(np.uint16).reshape(SHAPE)


def write(path: Path, data: np.ndarray) -> None:
    if path.suffix == ".npy":
        np.save(path, data)
    elif path.suffix == ".npz":
        np.savez(path, images=data)
    elif path.suffix == ".h5":
        with h5py.File(path, "w") as file:
            file["images"] = data
    else:
        tifffile.imwrite(path, data, photometric="minisblack")


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.h5", "a.tif"])
def test_every_order(tmp_path: Path, small: np.ndarray, name: str) -> None:
    for order in ORDERS:
        if name == "a.tif" and order[-1] in "CTX" and SHAPE["TCZYX".index(order[-1])] in (3, 4):
            continue  # tifffile takes three or four values at the end for colours
        write(tmp_path / name, np.ascontiguousarray(small.transpose(["TCZYX".index(letter) for letter in order])))
        recording = open_recording(tmp_path / name, RecordingParams(axes=order))
        assert recording.shape == SHAPE
        assert np.array_equal(recording.read(1, (0, 1)), small[1]), order
        assert np.array_equal(recording.read(2, (1,)), small[2, 1:]), order
        assert any("touches the whole file" in text for text in recording.warnings) == ("T" in order[-2:])


def test_part_of_the_frames_when_z_is_last(tmp_path: Path, small: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", small.transpose(0, 1, 4, 3, 2))
    recording = open_recording(tmp_path / "a.npy", RecordingParams(axes="TCXYZ", keep_frames=(1, 3)))
    assert np.array_equal(recording.read(0, (1,)), small[0, 1:, 1:3])


def test_fortran_order_with_time_last_is_quick_and_not_warned_of(tmp_path: Path, small: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", np.asfortranarray(small.transpose(3, 4, 2, 1, 0)))
    recording = open_recording(tmp_path / "a.npy", RecordingParams(axes="YXZCT"))
    assert np.array_equal(recording.read(1, (0, 1)), small[1])
    assert recording.warnings == ()


def test_axes_must_have_y_and_x() -> None:
    with pytest.raises(ConfigError, match="Y, X and letters"):
        RecordingParams(axes="TCZY")


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((4, 2, 256, 160, 16), "TCXYZ"),
        ((300, 256, 160, 16), "TXYZ"),
        ((2, 256, 160, 16), "CXYZ"),
        ((300, 256, 160, 16, 2), "TXYZC"),
        ((512, 400, 18, 300), "YXZT"),
        ((512, 400, 18, 2, 300), "YXZCT"),
        ((300, 2, 18, 512, 512), "TCZYX"),
        ((300, 18, 512, 512), "TZYX"),
        ((6000, 512, 512), "TYX"),
        ((31, 408, 565), "ZYX"),
        ((256, 160, 16), "XYZ"),
    ],
)
def test_layouts_that_shapes_give_away(shape: tuple[int, ...], axes: str) -> None:
    assert guess_layout(shape) == axes


def test_z_last_is_guessed_and_asked_about(tmp_path: Path) -> None:
    data = np.random.default_rng(1).integers(0, 200, (3, 2, 96, 60, 8), dtype=np.uint8)
    np.savez(tmp_path / "rig.npz", volumes=data, points_xyz=np.zeros((3, 85, 3), np.float32))
    recording = open_recording(tmp_path / "rig.npz")
    assert recording.shape == (3, 2, 8, 60, 96)
    assert np.array_equal(recording.read(1, (0, 1)), data[1].transpose(0, 3, 2, 1))
    assert "recording.axes=TCXYZ" in [missing.setting for missing in recording.missing]
    assert "points_xyz" in recording.warnings[0]
    wrong = open_recording(tmp_path / "rig.npz", RecordingParams(axes="TCZYX"))
    assert any("96 frames of 60 × 8 px" in text and "TCXYZ" in text for text in inspect_recording(wrong).warnings)


def test_one_dataset_per_volume(tmp_path: Path) -> None:
    data = np.random.default_rng(2).integers(0, 99, (12, 2, 50, 60, 8), dtype=np.uint8)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for t, volume in enumerate(data):
            file[f"{t}/frame"] = volume
            file[f"{t}/mask"] = volume[0]
        file["points"] = np.zeros((12, 9, 3))
        file.attrs["voxel_um_xyz"] = [0.5, 0.5, 2.2]
    recording = open_recording(tmp_path / "a.h5")
    assert recording.format == "hdf5-volumes"
    assert recording.shape == (12, 2, 8, 60, 50)
    assert recording.voxel_um == (2.2, 0.5, 0.5)
    assert np.array_equal(recording.read(10, (1,)), data[10, 1:].transpose(0, 3, 2, 1))
    mask = open_recording(tmp_path / "a.h5", RecordingParams(dataset="*/mask", axes="TYXZ"))
    assert mask.shape == (12, 1, 8, 50, 60)
    with h5py.File(tmp_path / "a.h5", "a") as file:
        del file["7/frame"]
    with pytest.raises(UnreadableRecording, match="t7 is missing"):
        open_recording(tmp_path / "a.h5")


def test_one_dataset_per_volume_and_channel(tmp_path: Path) -> None:
    data = np.random.default_rng(2).integers(0, 99, (4, 2, 5, 20, 30), dtype=np.uint8)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for t, c in np.ndindex(4, 2):
            file[f"t{t}/c{c}"] = data[t, c]
    recording = open_recording(tmp_path / "a.h5")
    assert recording.shape == data.shape
    assert np.array_equal(recording.read(3, (0, 1)), data[3])


def test_slices_named_without_separators(tmp_path: Path) -> None:
    data = np.random.default_rng(2).integers(0, 99, (3, 2, 4, 12, 10), dtype=np.uint16)
    for t, c, z in np.ndindex(3, 2, 4):
        tifffile.imwrite(tmp_path / f"T{t + 1:05}C{c + 1:02}Z{z + 1:03}.tif", data[t, c, z], metadata=None)
    recording = open_recording(tmp_path)
    assert recording.shape == data.shape
    assert np.array_equal(recording.read(2, (0, 1)), data[2])


@pytest.mark.parametrize(
    ("name", "numbers", "found"),
    [
        ("voxel_um_zyx", [0.75, 0.3, 0.3], VoxelSize(0.75, 0.3, 0.3)),
        ("voxel_size_um_xyz", [0.3, 0.31, 1.5], VoxelSize(1.5, 0.31, 0.3)),
        ("voxel_size_um", [0.3, 0.3, 1.5], VoxelSize(1.5, 0.3, 0.3)),
        ("spacing", [0.3, 0.3, 1.5], VoxelHint("spacing = 0.3, 0.3, 1.5", VoxelSize(1.5, 0.3, 0.3))),
        ("points", [0.3, 0.3, 1.5], None),
        ("voxel_um", [0.3, 0.3], None),
        ("voxel_um", [0, 0, 0], None),
    ],
)
def test_numbers_called_as_voxel_sizes(name: str, numbers: list[float], found: VoxelSize | VoxelHint | None) -> None:
    assert read_voxel_size(name, np.array(numbers)) == found


def test_a_voxel_size_without_unit_is_asked_about(tmp_path: Path) -> None:
    data = np.zeros((3, 2, 4, 60, 50), np.uint8)
    np.savez(tmp_path / "a.npz", data=data, spacing=np.array([0.3, 0.3, 1.5]))
    recording = open_recording(tmp_path / "a.npz")
    assert recording.voxel_um is None
    assert "recording.voxel_um=1.5,0.3,0.3" in [missing.setting for missing in recording.missing]
    assert "spacing = 0.3, 0.3, 1.5 looks like" in recording.warnings[-1]
    np.savez(tmp_path / "a.npz", data=data, voxel_um_zyx=np.array([1.5, 0.3, 0.3]))
    assert open_recording(tmp_path / "a.npz").voxel_um == (1.5, 0.3, 0.3)


def test_stream_with_z_and_time_in_one_axis_needs_n(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((20, 2, 12, 10), np.uint8))
    assert open_recording(tmp_path / "a.npy", RecordingParams(axes="NCYX", frames_per_volume=5)).shape[:3] == (4, 2, 5)
    with pytest.raises(ConfigError, match="stands for both"):
        open_recording(tmp_path / "a.npy", RecordingParams(axes="NZYX"))
