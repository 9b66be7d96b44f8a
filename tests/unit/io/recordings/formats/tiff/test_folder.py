"""Folders of TIFF files."""

from pathlib import Path

import numpy as np
import pytest
import tifffile

from cases.written import write_slices
from cender.errors import UnreadableRecording
from cender.io import RecordingParams, open_recording


def read_all(recording) -> np.ndarray:
    return np.stack([volume.data for volume in recording])


@pytest.mark.parametrize(
    "name", ["t{t:04}_c{c}_z{z:02}.tif", "worm2_time{t}_ch{c}_slice{z}.TIF", "Z{z}-C{c}-T{t}.tiff"]
)
def test_numbered_slices(tmp_path: Path, movie: np.ndarray, name: str) -> None:
    write_slices(tmp_path, movie, name)
    recording = open_recording(tmp_path)
    assert np.array_equal(read_all(recording), movie)
    assert "axes" not in [m.what for m in recording.missing]


def test_slices_of_one_stack(tmp_path: Path, movie: np.ndarray) -> None:
    write_slices(tmp_path, movie[:1, :1], "z{z:03}.tif")
    assert np.array_equal(read_all(open_recording(tmp_path)), movie[:1, :1])


def test_one_running_number_is_a_stream(tmp_path: Path, movie: np.ndarray) -> None:
    for number, image in enumerate(movie[:, 0].reshape(-1, 12, 16)):
        tifffile.imwrite(tmp_path / f"img_{number:05}.tif", image, metadata=None)
    undivided = open_recording(tmp_path)
    assert undivided.missing[0].setting == "recording.frames_per_volume=NUMBER"
    assert np.array_equal(read_all(open_recording(tmp_path, RecordingParams(frames_per_volume=5))), movie[:, :1])


def test_missing_slice_is_named(tmp_path: Path, movie: np.ndarray) -> None:
    write_slices(tmp_path, movie, "t{t:04}_c{c}_z{z:02}.tif")
    (tmp_path / "t0003_c1_z02.tif").unlink()
    with pytest.raises(UnreadableRecording, match="t3, c1, z2 is missing"):
        open_recording(tmp_path)


def test_missing_number_of_a_stream_is_named(tmp_path: Path, movie: np.ndarray) -> None:
    for number in (1, 2, 4, 5):
        tifffile.imwrite(tmp_path / f"img_{number}.tif", movie[0, 0, 0], metadata=None)
    with pytest.raises(UnreadableRecording, match="number 3 is missing"):
        open_recording(tmp_path)


def test_unfinished_last_volume_is_left_out(tmp_path: Path, movie: np.ndarray) -> None:
    write_slices(tmp_path, movie, "t{t:04}_c{c}_z{z:02}.tif")
    for z in (3, 4):
        (tmp_path / f"t0006_c1_z{z:02}.tif").unlink()
    recording = open_recording(tmp_path)
    assert len(recording) == 5
    assert any("unfinished" in warning for warning in recording.warnings)


def test_one_plain_file_a_volume(tmp_path: Path, movie: np.ndarray) -> None:
    for t, volume in enumerate(movie):
        tifffile.imwrite(tmp_path / f"stack{t + 8}.tif", volume[0], metadata=None)
    recording = open_recording(tmp_path)
    assert np.array_equal(read_all(recording), movie[:, :1])
    assert "axes" not in [m.what for m in recording.missing]


def test_one_ome_file_a_volume(tmp_path: Path, movie: np.ndarray) -> None:
    for t, volume in enumerate(movie):
        metadata = {"axes": "CZYX", "PhysicalSizeX": 0.3, "PhysicalSizeY": 0.3, "PhysicalSizeZ": 1.5}
        tifffile.imwrite(tmp_path / f"worm_{t:03}.ome.tif", volume, metadata=metadata)
    recording = open_recording(tmp_path)
    assert np.array_equal(read_all(recording), movie)
    assert recording.voxel_um == (1.5, 0.3, 0.3)


def test_half_written_last_volume_is_left_out(tmp_path: Path, movie: np.ndarray) -> None:
    for t, volume in enumerate(movie):
        tifffile.imwrite(tmp_path / f"v{t}.tif", volume[0], metadata=None)
    last = tmp_path / "v5.tif"
    last.write_bytes(last.read_bytes()[:700])
    recording = open_recording(tmp_path)
    assert len(recording) == 5
    assert any("last volume" in warning for warning in recording.warnings)


def test_a_volume_of_another_size_is_named(tmp_path: Path, movie: np.ndarray) -> None:
    for t, volume in enumerate(movie):
        stack = volume[0, : 4 if t == 2 else 5]
        tifffile.imwrite(tmp_path / f"v{t}.tif", stack, photometric="minisblack", metadata=None)
    recording = open_recording(tmp_path)
    with pytest.raises(UnreadableRecording, match="volume 2"):
        recording.read(2, (0,))


def test_two_sequences_are_refused(tmp_path: Path, movie: np.ndarray) -> None:
    for name in ("a_1.tif", "b_1.tif", "a_2.tif", "b_2.tif"):
        tifffile.imwrite(tmp_path / name, movie[0, 0], metadata=None)
    with pytest.raises(UnreadableRecording, match=r"a_1\.tif and b_1\.tif"):
        open_recording(tmp_path)


@pytest.mark.parametrize(
    "name", ["img_{t:09}_{channel}_{z:03}.tif", "img_channel{c:03}_position000_time{t:09}_z{z:03}.tif"]
)
def test_single_images_of_micro_manager(tmp_path: Path, movie: np.ndarray, name: str) -> None:
    for t, c, z in np.ndindex(*movie.shape[:3]):
        place = tmp_path / name.format(t=t, c=c, z=z, channel=("GCaMP6s", "mNeptune")[c])
        tifffile.imwrite(place, movie[t, c, z], metadata=None)
    (tmp_path / "metadata.txt").write_text("{}")
    recording = open_recording(tmp_path)
    assert (recording.shape, recording.roles) == (movie.shape, ("green", "red") if "channel}" in name else None)
    assert np.array_equal(recording.read(4, (0, 1)), movie[4])
