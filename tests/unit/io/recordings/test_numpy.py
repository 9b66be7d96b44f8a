"""NPY, NPZ and raw frames."""

import tracemalloc
from pathlib import Path

import h5py
import numpy as np
import pytest

from cender.errors import CenderError, ConfigError, UnreadableRecording
from cender.io import RecordingParams, open_recording


def test_npy_assumes_and_says_so(tmp_path: Path, movie: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", movie)
    recording = open_recording(tmp_path / "a.npy")
    assert recording.missing[0].assumed == "TCZYX"
    assert np.array_equal(np.stack([v.data for v in recording]), movie)


@pytest.mark.parametrize(
    ("axes", "order"), [("TZCYX", (0, 2, 1, 3, 4)), ("CTZYX", (1, 0, 2, 3, 4)), ("ZCTXY", (2, 1, 0, 4, 3))]
)
def test_axes_in_any_order(tmp_path: Path, movie: np.ndarray, axes: str, order: tuple[int, ...]) -> None:
    np.save(tmp_path / "a.npy", movie.transpose(order))
    recording = open_recording(tmp_path / "a.npy", RecordingParams(axes=axes))
    assert np.array_equal(np.stack([v.data for v in recording]), movie)
    assert np.array_equal(recording.read(2, (1,))[0], movie[2, 1])
    assert recording.read(2, (1, 0)).flags.c_contiguous


def test_fortran_order_and_foreign_bytes(tmp_path: Path, movie: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", np.asfortranarray(movie.astype(">u2")))
    recording = open_recording(tmp_path / "a.npy", RecordingParams(axes="TCZYX"))
    assert np.array_equal(recording.read(4, (0, 1)), movie[4])
    assert recording.read(4, (0,)).dtype.isnative


def test_truncated_npy(tmp_path: Path, movie: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", movie)
    content = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(content[: len(content) // 2 + 400])
    recording = open_recording(tmp_path / "a.npy")
    assert len(recording) == 3
    assert "3 of 6" in recording.warnings[0]
    (tmp_path / "a.npy").write_bytes(content[:300])
    with pytest.raises(UnreadableRecording, match="truncated"):
        open_recording(tmp_path / "a.npy")


def test_objects_are_never_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.full((2, 3, 4, 5), None), allow_pickle=True)
    with pytest.raises(UnreadableRecording, match="Python objects"):
        open_recording(tmp_path / "a.npy")


def test_bool_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3, 4, 5), bool))
    with pytest.raises(UnreadableRecording, match="bool"):
        open_recording(tmp_path / "a.npy")


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_npz_of_others(tmp_path: Path, movie: np.ndarray, write) -> None:
    write(tmp_path / "a.npz", stack=movie, points=np.zeros((4, 3)), rate_hz=5.0, voxel_um=[1.5, 0.3, 0.3], axes="TCZYX")
    recording = open_recording(tmp_path / "a.npz")
    assert np.array_equal(np.stack([v.data for v in recording]), movie)
    assert recording.rate_hz == 5
    assert recording.voxel_um == (1.5, 0.3, 0.3)
    assert [m.what for m in recording.missing] == ["channel roles"]


def test_npz_with_several_arrays(tmp_path: Path, movie: np.ndarray) -> None:
    np.savez(tmp_path / "a.npz", red=movie[:, 0], green=movie[:, 1])
    with pytest.raises(UnreadableRecording, match=r"red \(6 × 5 × 12 × 16\)"):
        open_recording(tmp_path / "a.npz")
    recording = open_recording(tmp_path / "a.npz", RecordingParams(dataset="green"))
    assert np.array_equal(recording.read(1, (0,)), movie[1, 1:])


def test_several_arrays_are_channels(tmp_path: Path, movie: np.ndarray) -> None:
    np.savez(
        tmp_path / "a.npz", red=movie[:, 0], green=movie[:, 1], blue=movie[:, 0].astype(float), small=movie[:, 0, 1:]
    )
    with pytest.raises(UnreadableRecording, match=r"channels, e\.g\. recording\.dataset=red,green,blue"):
        open_recording(tmp_path / "a.npz")
    params = RecordingParams(dataset="green, blue,red", axes="TZYX", roles=("green", "other", "red"))
    recording = open_recording(tmp_path / "a.npz", params)
    assert recording.shape == (6, 3, *movie.shape[2:])
    assert recording.roles == ("green", "other", "red")
    assert np.array_equal(recording.read(1, (0, 2)), movie[1, ::-1])
    unsaid = open_recording(tmp_path / "a.npz", RecordingParams(dataset="red,green", axes="TZYX"))
    assert [one.setting for one in unsaid.missing if one.what == "channel roles"] == ["recording.roles=red,green"]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"dataset": "red,small"}, r"red and small differ.*5 × 12 × 16 and 4 × 12 × 16"),
        ({"dataset": "red,gren"}, r"no array 'gren'"),
        ({"dataset": "red,green", "roles": ("red",)}, "names 1 channel"),
        ({"dataset": "red,green", "green": "b.npz"}, r"recording\.dataset is one name"),
        ({"dataset": "both,red", "axes": None}, "both has 2"),
    ],
)
def test_arrays_that_cannot_be_channels(tmp_path: Path, movie: np.ndarray, params: dict, words: str) -> None:
    np.savez(tmp_path / "a.npz", red=movie[:, 0], green=movie[:, 1], small=movie[:, 0, 1:], both=movie)
    with pytest.raises(CenderError, match=words):
        open_recording(tmp_path / "a.npz", RecordingParams(**({"axes": "TZYX"} | params)))


def test_datasets_of_hdf5_are_channels(tmp_path: Path, movie: np.ndarray) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["w/red"], file["w/green"] = movie[:, 0], movie[:, 1]
    recording = open_recording(tmp_path / "a.h5", RecordingParams(dataset="w/red,w/green", axes="TZYX"))
    assert np.array_equal(np.stack([volume.data for volume in recording]), movie)


def test_truncated_npz(tmp_path: Path, movie: np.ndarray) -> None:
    np.savez(tmp_path / "a.npz", data=movie)
    content = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(UnreadableRecording, match="truncated"):
        open_recording(tmp_path / "a.npz")


def test_raw_needs_its_shape(tmp_path: Path, movie: np.ndarray) -> None:
    movie.tofile(tmp_path / "a.raw")
    with pytest.raises(ConfigError, match=r"recording\.raw_shape=HEIGHT,WIDTH"):
        open_recording(tmp_path / "a.raw")
    with pytest.raises(UnreadableRecording, match="less than one frame"):
        open_recording(tmp_path / "a.raw", RecordingParams(raw_shape=(1000, 1000)))


def test_raw_with_header_and_half_a_frame(tmp_path: Path, movie: np.ndarray) -> None:
    frames = movie[:, 0].astype(">u2")
    (tmp_path / "a.dat").write_bytes(b"h" * 100 + frames.tobytes() + b"half a frame")
    params = RecordingParams(raw_shape=(12, 16), raw_dtype=">u2", raw_header=100, frames_per_volume=5)
    recording = open_recording(tmp_path / "a.dat", params)
    assert np.array_equal(np.stack([v.data for v in recording]), movie[:, :1])
    assert "12 bytes are left" in recording.warnings[0]


@pytest.mark.parametrize("suffix", ["npy", "raw"])
def test_twenty_gigabytes_cost_no_memory(tmp_path: Path, suffix: str) -> None:
    path, shape = tmp_path / f"big.{suffix}", (600, 2, 16, 720, 720)
    with path.open("wb") as file:
        if suffix == "npy":
            np.lib.format.write_array_header_1_0(file, {"descr": "<u2", "fortran_order": False, "shape": shape})
        begin = file.tell()
        file.truncate(begin + 2 * int(np.prod(shape, dtype=np.int64)))
        last = begin + 2 * (int(np.prod(shape, dtype=np.int64)) - 1)
        file.seek(last)
        file.write(b"\x07\x00")
    assert path.stat().st_size > 19e9
    raw = RecordingParams(raw_shape=(720, 720), frames_per_volume=32)
    tracemalloc.start()
    try:
        recording = open_recording(path, RecordingParams(axes="TCZYX") if suffix == "npy" else raw)
        assert tracemalloc.get_traced_memory()[1] < 5e6
        volume = recording.volume(-1)
        assert tracemalloc.get_traced_memory()[1] < 3 * recording.volume_bytes
    finally:
        tracemalloc.stop()
    assert len(recording) == 600
    assert volume.data.ravel()[-1] == 7
    assert volume.data.sum() == 7


def test_other_arrays_are_named_until_one_is_chosen(tmp_path: Path, movie: np.ndarray) -> None:
    np.savez(tmp_path / "a.npz", volumes=movie, points_xyz=np.zeros((2, 5, 3)))
    assert any("there is also points_xyz" in words for words in open_recording(tmp_path / "a.npz").warnings)
    chosen = open_recording(tmp_path / "a.npz", RecordingParams(dataset="volumes"))
    assert not any("there is also" in words for words in chosen.warnings)
