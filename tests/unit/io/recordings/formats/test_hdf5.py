"""HDF5 as ZephIR and others write it."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from cender.errors import UnreadableRecording
from cender.io import RecordingParams, open_recording


def test_zephir_layout(tmp_path: Path, movie: np.ndarray) -> None:
    with h5py.File(tmp_path / "data.h5", "w") as file:
        file.create_dataset("data", data=movie, chunks=(1, 1, *movie.shape[2:]), compression="gzip")
        file["times"] = np.arange(6) / 5 + 0.1
    recording = open_recording(tmp_path / "data.h5")
    assert np.array_equal(np.stack([v.data for v in recording]), movie)
    assert recording.rate_hz == pytest.approx(5)
    assert recording.time_s(2) == pytest.approx(0.5)
    assert {m.what for m in recording.missing} == {"voxel size", "channel roles"}


def test_named_dataset(tmp_path: Path, movie: np.ndarray) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["worm/red"] = movie[:, 0]
        file["worm/green"] = movie[:, 1]
    with pytest.raises(UnreadableRecording, match=r"worm/red \(6 × 5 × 12 × 16, uint16\)"):
        open_recording(tmp_path / "a.h5")
    with pytest.raises(UnreadableRecording, match="no dataset 'blue'"):
        open_recording(tmp_path / "a.h5", RecordingParams(dataset="blue"))
    recording = open_recording(tmp_path / "a.h5", RecordingParams(dataset="worm/green"))
    assert np.array_equal(recording.read(4, (0,))[0], movie[4, 1])
    assert recording.missing[0].assumed == "TZYX"


def test_nothing_that_is_a_recording(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["table"] = np.zeros((4, 3))
    with pytest.raises(UnreadableRecording, match=r"table \(4 × 3, float64\)"):
        open_recording(tmp_path / "a.h5")


def test_growing_dataset(tmp_path: Path, movie: np.ndarray) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        shape = (3, *movie.shape[1:])
        data = file.create_dataset(
            "data", shape, "u2", maxshape=(None, *movie.shape[1:]), chunks=(1, 1, *movie.shape[2:])
        )
        data[:2] = movie[:2]
        data[2, 0] = movie[2, 0]
    early = open_recording(path)
    assert len(early) == 2
    assert any("not written yet" in warning for warning in early.warnings)
    with h5py.File(path, "r+") as file:
        file["data"].resize(6, axis=0)
        file["data"][:] = movie
    assert len(open_recording(path)) == 6


def test_truncated_file(tmp_path: Path, movie: np.ndarray) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = movie
    content = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(content[: len(content) // 2])
    with pytest.raises(UnreadableRecording, match="truncated"):
        open_recording(tmp_path / "a.h5")


def test_pixels_that_are_no_numbers(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = np.zeros((2, 3, 4, 5), complex)
    with pytest.raises(UnreadableRecording, match="complex128"):
        open_recording(tmp_path / "a.h5", RecordingParams(dataset="data"))


def test_labels_of_the_dimensions_are_axes(tmp_path: Path, movie: np.ndarray) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["stack"] = movie.transpose(0, 2, 1, 3, 4)
        for dimension, label in zip(file["stack"].dims, "tzcyx", strict=True):
            dimension.label = label
    assert np.array_equal(open_recording(tmp_path / "a.h5").read(1, (0, 1)), movie[1])
