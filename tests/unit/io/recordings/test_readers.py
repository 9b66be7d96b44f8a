"""Opening and saving in general: wrong files, atomic writing, progress."""

from pathlib import Path

import numpy as np
import pytest

from cender.errors import ConfigError, DataError, UnreadableRecording, UnsupportedFormat
from cender.io import FORMATS, RecordingParams, open_recording, repeat_recording, save_recording
from cender.types import Recording

WRITABLE = [one for one in FORMATS if one.save is not None]


def hold(movie: np.ndarray) -> Recording:
    return Recording("held", "memory", movie.shape, movie.dtype, lambda volume, channels: movie[volume][list(channels)])


@pytest.mark.parametrize("name", ["notes.txt", "a.tif", "a.h5", "a.mat", "a.npy", "a.npz"])
def test_text_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("It was a dark and stormy night; the rain fell in torrents. " * 9)
    with pytest.raises(
        UnreadableRecording, match=r"begins with b'It was a dark.*expected one of .*hdf5.*docs/recordings.md"
    ):
        open_recording(tmp_path / name)


@pytest.mark.parametrize("name", ["a.tif", "a.h5", "a.mat", "a.npy", "a.raw", "a"])
def test_empty_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(UnreadableRecording, match="empty file"):
        open_recording(tmp_path / name)


def test_missing_path_and_folders_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRecording, match="no such file"):
        open_recording(tmp_path / "nowhere.tif")
    with pytest.raises(UnreadableRecording, match="empty folder"):
        open_recording(tmp_path)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UnreadableRecording, match="folder of 1 entry"):
        open_recording(tmp_path)


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
def test_writing_streams_and_leaves_nothing_else(tmp_path: Path, movie: np.ndarray, form) -> None:
    order: list[tuple[str, int]] = []

    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        order.append(("read", volume))
        return movie[volume][list(channels)]

    recording = Recording("held", "memory", movie.shape, movie.dtype, read, roles=("red", "green"))
    target = tmp_path / f"a{form.suffix}"
    save_recording(recording, target, form.name, on_volume=lambda index: order.append(("written", index)))
    assert order == [(what, index) for index in range(6) for what in ("read", "written")]
    assert {path.name for path in tmp_path.iterdir()} <= {target.name, "a_green.mat"}


@pytest.mark.parametrize("form", WRITABLE, ids=lambda form: form.name)
def test_failure_while_writing_leaves_what_was_there(tmp_path: Path, movie: np.ndarray, form) -> None:
    target = tmp_path / f"a{form.suffix}"
    if form.suffix and "zarr" not in form.suffix:
        target.write_text("old")

    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        if volume == 3:
            raise UnreadableRecording("volume 3 is broken")
        return movie[volume][list(channels)]

    recording = Recording("held", "memory", movie.shape, movie.dtype, read, roles=("red", "green"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(UnreadableRecording, match="volume 3 is broken"):
        save_recording(recording, target, form.name)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_where_it_cannot_be_written(tmp_path: Path, movie: np.ndarray) -> None:
    recording = hold(movie)
    with pytest.raises(UnsupportedFormat, match=r"suffix '\.avi'"):
        save_recording(recording, tmp_path / "a.avi")
    with pytest.raises(UnsupportedFormat, match="unknown format 'avi'"):
        save_recording(recording, tmp_path / "a", "avi")
    with pytest.raises(DataError, match="there is no folder"):
        save_recording(recording, tmp_path / "no" / "a.npy")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(DataError, match="not empty"):
        save_recording(recording, tmp_path / "full")


def test_green_file_and_other_roles(tmp_path: Path, movie: np.ndarray) -> None:
    save_recording(hold(movie[:, :1]), tmp_path / "a.npy")
    with pytest.raises(ConfigError, match=r"recording\.green"):
        open_recording(tmp_path / "a.npy", RecordingParams(green="b.npy", roles=("green", "red")))


def test_repeated_recording(movie: np.ndarray) -> None:
    long = repeat_recording(hold(movie), 10**6, hold=4)
    assert len(long) == 10**6
    assert np.array_equal(long.read(9, (1,)), movie[1, 1:])
    first = long.read(0, (0, 1))
    first[:] = 0
    assert np.array_equal(long.read(0, (0, 1)), movie[0])
