"""Nikon ND2 through an object like the library's: nothing writes such files outside of the microscope's software."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import nd2
import numpy as np
import pytest

from cender.errors import DataError, UnreadableRecording
from cender.io import open_recording
from cender.io.recordings.formats import nd2_file

START = b"\xda\xce\xbe\x0a" + b"\0" * 60


class Fake:
    """What `nd2.ND2File` answers for a recording ``t z c y x``."""

    data = np.random.default_rng(0).integers(0, 999, (3, 5, 2, 12, 10), dtype=np.uint16)
    sizes: ClassVar = {"T": 3, "Z": 5, "C": 2, "Y": 12, "X": 10}
    dtype = data.dtype
    metadata = SimpleNamespace(
        channels=[SimpleNamespace(channel=SimpleNamespace(name=name)) for name in ("mNeptune", "GCaMP6s")]
    )
    experiment = (SimpleNamespace(type="TimeLoop", parameters=SimpleNamespace(periodMs=200.0)),)

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> "Fake":
        return self

    def __exit__(self, *problem: object) -> None:
        return None

    def voxel_size(self) -> SimpleNamespace:
        return SimpleNamespace(x=0.3, y=0.31, z=1.5)

    def frame_metadata(self, number: int) -> SimpleNamespace:
        time = SimpleNamespace(relativeTimeMs=40.0 + 50.0 * number)
        return SimpleNamespace(channels=[SimpleNamespace(time=time)])

    def read_frame(self, number: int) -> np.ndarray:
        return self.data.reshape(15, 2, 12, 10)[number].squeeze()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(nd2, "ND2File", Fake)
    (tmp_path / "worm.nd2").write_bytes(START)
    return tmp_path / "worm.nd2"


def test_the_library_has_what_the_fake_has() -> None:
    for name in ("sizes", "dtype", "metadata", "experiment", "voxel_size", "frame_metadata", "read_frame", "__enter__"):
        assert hasattr(nd2.ND2File, name)


def test_a_recording(path: Path) -> None:
    recording = open_recording(path)
    assert recording.format == "nd2"
    assert recording.shape == (3, 2, 5, 12, 10)
    assert recording.voxel_um == (1.5, 0.31, 0.3)
    assert recording.rate_hz == 5
    assert recording.roles == ("red", "green")
    assert recording.missing == ()
    assert np.array_equal(recording.read(2, (0, 1)), Fake.data[2].transpose(1, 0, 2, 3))
    assert np.array_equal(recording.read(1, (1,)), Fake.data[1, :, 1][None])


def test_volumes_as_fast_as_possible_have_the_rate_of_their_frames(path: Path, monkeypatch) -> None:
    loop = SimpleNamespace(type="TimeLoop", parameters=SimpleNamespace(periodMs=0.0))
    monkeypatch.setattr(Fake, "experiment", (loop,))
    # Five frames of 50 ms each.
    assert open_recording(path).rate_hz == pytest.approx(4)


SAMPLE = Path(os.environ.get("CENDER_ND2", ""))


@pytest.mark.real
@pytest.mark.skipif(not SAMPLE.is_file(), reason="CENDER_ND2 names no ND2 file of a microscope")
def test_a_file_of_a_microscope() -> None:
    recording = open_recording(SAMPLE)
    with nd2.ND2File(SAMPLE) as file:
        whole = file.asarray()
        sizes = dict(file.sizes)
    order = [list(sizes).index(axis) for axis in "TCZYX"]
    assert np.array_equal(np.stack([volume.data for volume in recording]), whole.transpose(order))
    assert recording.voxel_um is not None
    assert recording.rate_hz is not None


def test_several_positions_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fake, "sizes", {"P": 4, **Fake.sizes})
    with pytest.raises(UnreadableRecording, match="P = 4"):
        open_recording(path)


def test_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "worm.nd2").write_bytes(START)
    with pytest.raises(UnreadableRecording, match="cannot be opened"):
        open_recording(tmp_path / "worm.nd2")


def test_without_the_library(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(nd2_file, "import_module", fail)
    with pytest.raises(DataError, match=r"pip install 'cender\[nd2\]'"):
        open_recording(path)
