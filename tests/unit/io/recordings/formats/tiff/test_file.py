"""TIFF files as other software writes them."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import tifffile

from cender.errors import UnreadableRecording
from cender.io import RecordingParams, open_recording


def read_all(recording) -> np.ndarray:
    return np.stack([volume.data for volume in recording])


def cut(path: Path, share: float) -> Path:
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    return path


def test_ome_tiff_says_everything(tmp_path: Path, movie: np.ndarray) -> None:
    metadata = {
        "axes": "TZCYX", "PhysicalSizeX": 300.0, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 0.3, "PhysicalSizeZ": 1.5,
        "TimeIncrement": 200.0, "TimeIncrementUnit": "ms", "Channel": {"Name": ["GCaMP6s", "mNeptune2.5"]},
    }  # fmt: skip
    tifffile.imwrite(tmp_path / "a.ome.tif", movie.transpose(0, 2, 1, 3, 4), metadata=metadata)
    recording = open_recording(tmp_path / "a.ome.tif")
    assert np.array_equal(read_all(recording), movie)
    assert recording.format == "ome-tiff"
    assert recording.voxel_um == pytest.approx((1.5, 0.3, 0.3))
    assert recording.rate_hz == pytest.approx(5)
    assert recording.roles == ("green", "red")
    assert recording.missing == ()
    assert recording.warnings == ()


def test_one_channel_reads_only_its_pages(tmp_path: Path, movie: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, movie, metadata={"axes": "TCZYX"}, ome=True, compression="zlib")
    recording = open_recording(path)
    decoded: list[int] = []
    original = tifffile.TiffPage.asarray
    monkeypatch.setattr(tifffile.TiffPage, "asarray", lambda page, **k: decoded.append(0) or original(page, **k))
    monkeypatch.setattr(tifffile.TiffFrame, "asarray", lambda page, **k: decoded.append(0) or original(page, **k))
    assert np.array_equal(recording.read(3, (1,))[0], movie[3, 1])
    assert len(decoded) == 5


def test_imagej_hyperstack(tmp_path: Path, movie: np.ndarray) -> None:
    metadata = {"axes": "TZCYX", "spacing": 1.5, "unit": "um", "finterval": 0.25}
    stack = movie.transpose(0, 2, 1, 3, 4)
    tifffile.imwrite(tmp_path / "a.tif", stack, imagej=True, metadata=metadata, resolution=(1 / 0.3, 1 / 0.4))
    recording = open_recording(tmp_path / "a.tif")
    assert np.array_equal(read_all(recording), movie)
    assert recording.voxel_um == pytest.approx((1.5, 0.4, 0.3), rel=1e-4)
    assert recording.rate_hz == pytest.approx(4)
    assert [m.what for m in recording.missing] == ["channel roles"]


def test_uncalibrated_imagej_leaves_the_voxel_size_open(tmp_path: Path, movie: np.ndarray) -> None:
    tifffile.imwrite(tmp_path / "a.tif", movie[:, 0], imagej=True, metadata={"axes": "TZYX"})
    missing = {m.what: m for m in open_recording(tmp_path / "a.tif").missing}
    assert missing["voxel size"].setting == "recording.voxel_um=Z,Y,X"


def test_known_pixel_side_is_kept_in_the_advice(tmp_path: Path, movie: np.ndarray) -> None:
    metadata = {"axes": "TZYX", "PhysicalSizeX": 0.3, "PhysicalSizeY": 0.3}
    tifffile.imwrite(tmp_path / "a.ome.tif", movie[:, 0], metadata=metadata)
    missing = {m.what: m.setting for m in open_recording(tmp_path / "a.ome.tif").missing}
    assert missing["voxel size"] == "recording.voxel_um=Z,0.3,0.3"


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_plain_stack_is_a_stream_of_frames(tmp_path: Path, movie: np.ndarray, compression: str | None) -> None:
    path = tmp_path / "a.tif"
    with tifffile.TiffWriter(path) as writer:
        for image in movie[:, 0].reshape(-1, 12, 16):
            writer.write(image, contiguous=False, metadata=None, compression=compression)
    guess = open_recording(path)
    assert [m.assumed for m in guess.missing if m.what == "axes"] == ["ZYX"]
    assert guess.shape == (1, 1, 30, 12, 16)
    recording = open_recording(path, RecordingParams(frames_per_volume=5))
    assert np.array_equal(read_all(recording), movie[:, :1])
    assert "axes" not in [m.what for m in recording.missing]


def test_big_endian_bigtiff(tmp_path: Path, movie: np.ndarray) -> None:
    tifffile.imwrite(tmp_path / "a.tif", movie, bigtiff=True, byteorder=">", metadata={"axes": "TCZYX"}, ome=True)
    recording = open_recording(tmp_path / "a.tif")
    assert recording.dtype.isnative
    assert np.array_equal(read_all(recording), movie)


def test_a_recording_travels_to_other_processes(tmp_path: Path, movie: np.ndarray) -> None:
    tifffile.imwrite(tmp_path / "a.ome.tif", movie, metadata={"axes": "TCZYX"}, compression="zlib")
    recording = open_recording(tmp_path / "a.ome.tif")
    recording.read(0, (0,))
    copy = pickle.loads(pickle.dumps(recording))  # noqa: S301  (what a worker process gets)
    assert np.array_equal(copy.read(2, (0, 1)), movie[2])


@pytest.mark.parametrize("share", [0.4, 0.7, 0.95])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_truncated_stack_gives_its_whole_volumes(
    tmp_path: Path, movie: np.ndarray, share: float, compression: str | None
) -> None:
    path = tmp_path / "a.tif"
    with tifffile.TiffWriter(path) as writer:
        for image in movie[:, 0].reshape(-1, 12, 16):
            writer.write(image, contiguous=False, metadata=None, compression=compression)
    recording = open_recording(cut(path, share), RecordingParams(frames_per_volume=5))
    assert 0 < len(recording) < 6
    assert any("ends early" in warning for warning in recording.warnings)
    assert np.array_equal(read_all(recording), movie[: len(recording), :1])


@pytest.mark.parametrize("kind", ["imagej", "shaped"])
def test_truncated_hyperstack_gives_its_whole_volumes(tmp_path: Path, movie: np.ndarray, kind: str) -> None:
    path = tmp_path / "a.tif"
    big = np.tile(movie, (1, 1, 1, 4, 4))
    stack = big.transpose(0, 2, 1, 3, 4)
    tifffile.imwrite(path, stack, imagej=kind == "imagej", metadata={"axes": "TZCYX"})
    recording = open_recording(cut(path, 0.6))
    assert len(recording) == 3
    assert np.array_equal(read_all(recording), big[:3])
    assert any("3 of 6 volumes" in warning for warning in recording.warnings)


def test_truncated_within_the_first_volume(tmp_path: Path, movie: np.ndarray) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.tile(movie, (1, 1, 1, 4, 4)), metadata={"axes": "TCZYX"})
    with pytest.raises(UnreadableRecording, match="truncated"):
        open_recording(cut(tmp_path / "a.tif", 0.1))


def test_header_only(tmp_path: Path, movie: np.ndarray) -> None:
    tifffile.imwrite(tmp_path / "a.tif", movie)
    path = tmp_path / "a.tif"
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(UnreadableRecording, match=r"a\.tif"):
        open_recording(path)


def test_growing_file_is_longer_when_opened_again(tmp_path: Path, movie: np.ndarray) -> None:
    path = tmp_path / "a.tif"
    params = RecordingParams(frames_per_volume=5)
    lengths = []
    with tifffile.TiffWriter(path) as writer:
        for number, image in enumerate(movie[:, 0].reshape(-1, 12, 16), 1):
            writer.write(image, contiguous=False, metadata=None)
            if number in (12, 30):
                writer._fh.flush()
                lengths.append(len(open_recording(path, params)))
    assert lengths[0] == 2
    assert len(open_recording(path, params)) == 6


def test_one_image_is_no_recording(tmp_path: Path, movie: np.ndarray) -> None:
    tifffile.imwrite(tmp_path / "a.tif", movie[0, 0, 0])
    with pytest.raises(UnreadableRecording, match="single image"):
        open_recording(tmp_path / "a.tif")


def test_colour_pictures_are_refused(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((5, 12, 16, 3), np.uint8), photometric="rgb")
    with pytest.raises(UnreadableRecording, match="RGB"):
        open_recording(tmp_path / "a.tif")


def test_damaged_page_names_the_volume(tmp_path: Path, movie: np.ndarray) -> None:
    path = tmp_path / "a.ome.tif"
    tifffile.imwrite(path, movie, metadata={"axes": "TCZYX"}, compression="zlib")
    with tifffile.TiffFile(path) as tif:
        page = tif.pages[25]
        start, count = page.dataoffsets[0], page.databytecounts[0]
    content = bytearray(path.read_bytes())
    content[start : start + count] = b"\xff" * count
    path.write_bytes(content)
    recording = open_recording(path)
    assert np.array_equal(recording.read(1, (0, 1)), movie[1])
    with pytest.raises(UnreadableRecording, match="volume 2"):
        recording.read(2, (0, 1))
