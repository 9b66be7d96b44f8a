"""Zeiss CZI and Micro-Manager's ND-TIFF, written by the libraries of their makers."""

from pathlib import Path

import numpy as np
import pytest

from cases.written import write_czi, write_ndtiff
from cender.errors import DataError, UnreadableRecording
from cender.io import open_recording
from cender.io.recordings.formats import czi as czi_format
from cender.io.recordings.formats import ndtiff_folder


def test_czi(tmp_path: Path, movie: np.ndarray) -> None:
    recording = open_recording(write_czi(tmp_path / "worm.czi", movie))
    assert (recording.format, recording.shape) == ("czi", movie.shape)
    assert recording.voxel_um == pytest.approx((1.5, 0.31, 0.3))
    assert recording.roles == ("green", "red")
    assert [one.what for one in recording.missing] == ["rate"]
    for volume in (0, 5):
        assert np.array_equal(recording.read(volume, (0, 1)), movie[volume])
    assert np.array_equal(recording.read(2, (1,)), movie[2, 1:])


def test_czi_metadata_give_the_rate() -> None:
    text = (
        "<ImageDocument><Metadata><Information><Image><Dimensions><T><Positions><Interval><Increment>0.2</Increment>"
        "</Interval></Positions></T></Dimensions></Image></Information></Metadata></ImageDocument>"
    )
    assert czi_format.read_facts(text)["rate_hz"] == pytest.approx(5)


@pytest.mark.parametrize("keep", [20, 400, 3000])
def test_a_czi_file_that_was_cut_off(tmp_path: Path, movie: np.ndarray, keep: int) -> None:
    path = write_czi(tmp_path / "worm.czi", movie)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(UnreadableRecording, match="cannot be opened"):
        open_recording(path)


def test_ndtiff(tmp_path: Path, movie: np.ndarray, capsys: pytest.CaptureFixture[str]) -> None:
    recording = open_recording(write_ndtiff(tmp_path / "worm", movie))
    assert (recording.format, recording.shape) == ("nd-tiff", movie.shape)
    assert recording.voxel_um == pytest.approx((1.5, 0.3, 0.3))
    assert (recording.rate_hz, recording.roles, recording.missing) == (5.0, ("green", "red"), ())
    assert np.array_equal(recording.read(3, (0, 1)), movie[3])
    assert np.array_equal(recording.read(3, (1,)), movie[3, 1:])
    assert capsys.readouterr().out == ""


def test_ndtiff_that_is_still_written(tmp_path: Path, movie: np.ndarray) -> None:
    recording = open_recording(write_ndtiff(tmp_path / "worm", movie, images=37))
    assert len(recording) == 3
    assert any("not whole" in words for words in recording.warnings)


def test_ndtiff_with_a_damaged_index(tmp_path: Path, movie: np.ndarray) -> None:
    path = write_ndtiff(tmp_path / "worm", movie)
    (path / "NDTiff.index").write_bytes(b"\xff" * 100)
    with pytest.raises(UnreadableRecording):
        open_recording(path)


@pytest.mark.parametrize(
    ("module", "name", "extra"), [(czi_format, "worm.czi", "czi"), (ndtiff_folder, "worm", "ndtiff")]
)
def test_without_the_library(tmp_path: Path, monkeypatch, module, name: str, extra: str) -> None:
    if extra == "czi":
        (tmp_path / name).write_bytes(b"ZISRAWFILE" + bytes(50))
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / "NDTiff.index").write_bytes(b"x")

    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(module, "import_module", fail)
    with pytest.raises(DataError, match=rf"cender\[{extra}\]"):
        open_recording(tmp_path / name)
