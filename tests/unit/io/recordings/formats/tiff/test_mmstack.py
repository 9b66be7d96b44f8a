"""Micro-Manager's image stacks, in its own layout and beside what tifffile reads of the same files."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import tifffile

from cases.micromanager import write_mmstack
from cender.errors import UnreadableRecording
from cender.io import open_recording


def test_one_file(tmp_path: Path, movie: np.ndarray) -> None:
    (path,) = write_mmstack(tmp_path / "worm", movie)
    recording = open_recording(path)
    assert (recording.format, recording.shape) == ("mm-stack", movie.shape)
    assert recording.voxel_um == pytest.approx((1.5, 0.3, 0.3))
    assert recording.rate_hz == pytest.approx(4)
    assert (recording.roles, recording.missing, recording.warnings) == (("green", "red"), (), ())
    assert np.array_equal(recording.read(2, (0, 1)), movie[2])
    assert np.array_equal(recording.read(3, (1,)), movie[3, 1:])
    with tifffile.TiffFile(path) as tif:
        assert tif.series[0].kind == "mmstack"
        assert np.array_equal(tif.series[0].asarray(), movie)


@pytest.mark.parametrize("given", ["folder", "first", "last"])
def test_several_files_of_one_acquisition(tmp_path: Path, movie: np.ndarray, given: str) -> None:
    paths = write_mmstack(tmp_path / "worm", movie, volumes_per_file=4)
    assert len(paths) > 1
    write_mmstack(tmp_path / "worm", movie[:1], prefix="other") if given != "folder" else None
    recording = open_recording({"folder": tmp_path / "worm", "first": paths[0], "last": paths[-1]}[given])
    assert recording.shape == movie.shape
    assert all(np.array_equal(recording.read(volume, (0, 1)), movie[volume]) for volume in range(len(movie)))
    assert np.array_equal(tifffile.imread(paths[0]), movie), "another library joins them alike"


def test_a_file_that_is_missing_or_was_not_closed_gives_what_is_whole(tmp_path: Path, movie: np.ndarray) -> None:
    paths = write_mmstack(tmp_path / "worm", movie, volumes_per_file=4)
    for path in paths[1:]:
        path.unlink()
    recording = open_recording(tmp_path / "worm")
    assert len(recording) == 4
    assert f"4 of {len(movie)} volumes are whole" in recording.warnings[0]
    images = 2 * int(np.prod(movie.shape[1:3])) + 1
    (path,) = write_mmstack(tmp_path / "stopped", movie, closed=False, images=images)
    recording = open_recording(path)
    assert len(recording) == 2
    assert np.array_equal(recording.read(1, (0, 1)), movie[1])


def test_a_file_without_its_name_is_still_known(tmp_path: Path, movie: np.ndarray) -> None:
    (path,) = write_mmstack(tmp_path / "worm", movie)
    shutil.copy(path, tmp_path / "renamed.tif")
    recording = open_recording(tmp_path / "renamed.tif")
    assert (recording.format, recording.shape) == ("mm-stack", movie.shape)


def test_positions_are_not_mixed(tmp_path: Path, movie: np.ndarray) -> None:
    (first,) = write_mmstack(tmp_path / "worm", movie)
    (second,) = write_mmstack(tmp_path / "worm", movie[::-1].copy(), position=1)
    assert np.array_equal(open_recording(first).read(0, (0, 1)), movie[0])
    assert np.array_equal(open_recording(second).read(0, (0, 1)), movie[-1])
    with pytest.raises(UnreadableRecording, match=rf"2 stage positions.*{second.name}"):
        open_recording(tmp_path / "worm")


def test_acquisitions_are_not_mixed(tmp_path: Path, movie: np.ndarray) -> None:
    (path,) = write_mmstack(tmp_path / "worm", movie)
    write_mmstack(tmp_path / "worm", movie, prefix="worm_2")
    assert open_recording(path).shape == movie.shape
    with pytest.raises(UnreadableRecording, match="2 acquisitions"):
        open_recording(tmp_path / "worm")


def test_a_stack_without_images(tmp_path: Path, movie: np.ndarray) -> None:
    (path,) = write_mmstack(tmp_path / "worm", movie, images=1)
    with pytest.raises(UnreadableRecording, match="not one volume is whole"):
        open_recording(path)
