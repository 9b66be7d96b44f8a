"""MATLAB files in CeNDeR's layout."""

import pickle
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io

from cases.written import write_v73
from cender.errors import ShapeMismatch, UnreadableRecording, UnsupportedFormat
from cender.io import RecordingParams, open_recording, save_recording
from cender.io.recordings.formats.matlab import file as matlab
from cender.types import Recording


def make_cells(movie: np.ndarray, channel: int) -> np.ndarray:
    cells = np.empty((len(movie), 1), object)
    for t, volume in enumerate(movie):
        cells[t, 0] = volume[channel].transpose(1, 2, 0)
    return cells


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", ["image_stack", "ImgStk", "IMAGES"])
def test_cells_of_v5_and_v7(tmp_path: Path, movie: np.ndarray, compressed: bool, name: str) -> None:
    content = {"note": "worm 6", name: make_cells(movie, 0), "zoom": np.arange(12.0)}
    scipy.io.savemat(tmp_path / "any name.mat", content, do_compression=compressed)
    recording = open_recording(tmp_path / "any name.mat")
    assert np.array_equal(np.stack([v.data for v in recording]), movie[:, :1])
    assert recording.roles == ("red",)
    assert {m.what: m.assumed for m in recording.missing}["channel roles"] == "red"
    copy = pickle.loads(pickle.dumps(recording))  # noqa: S301  (what a worker process gets)
    assert np.array_equal(copy.read(5, (0,)), movie[5, :1])


def test_v73(tmp_path: Path, movie: np.ndarray) -> None:
    write_v73(tmp_path / "a.mat", movie)
    recording = open_recording(tmp_path / "a.mat")
    assert recording.format == "matlab-7.3"
    assert np.array_equal(np.stack([v.data for v in recording]), movie[:, :1])


def test_red_and_green_files(tmp_path: Path, movie: np.ndarray) -> None:
    for channel, name in enumerate(("red", "green")):
        scipy.io.savemat(tmp_path / f"{name}.mat", {"img": make_cells(movie, channel)})
    recording = open_recording(tmp_path / "red.mat", RecordingParams(green=str(tmp_path / "green.mat")))
    assert recording.roles == ("red", "green")
    assert np.array_equal(recording.read(3, (0, 1)), movie[3])
    assert np.array_equal(recording.read(3, (1,)), movie[3, 1:])


def test_green_of_another_size(tmp_path: Path, movie: np.ndarray) -> None:
    scipy.io.savemat(tmp_path / "red.mat", {"img": make_cells(movie, 0)})
    scipy.io.savemat(tmp_path / "green.mat", {"img": make_cells(movie[:, :, :4], 1)})
    with pytest.raises(ShapeMismatch, match="5 × 12 × 16"):
        open_recording(tmp_path / "red.mat", RecordingParams(green=str(tmp_path / "green.mat")))


@pytest.mark.parametrize("compressed", [False, True])
def test_another_variable(tmp_path: Path, movie: np.ndarray, compressed: bool) -> None:
    scipy.io.savemat(tmp_path / "a.mat", {"neuron_boxes": make_cells(movie, 0)}, do_compression=compressed)
    with pytest.raises(UnreadableRecording, match=r"neuron_boxes \(6 × 1 cell\)"):
        open_recording(tmp_path / "a.mat")
    recording = open_recording(tmp_path / "a.mat", RecordingParams(dataset="neuron_boxes"))
    assert np.array_equal(recording.read(2, (0,)), movie[2, :1])


def test_numbers_stored_narrower_than_their_type(tmp_path: Path, movie: np.ndarray) -> None:
    """MATLAB saves whole numbers of type double in as few bytes as they need; scipy saves a 4-D array as it is."""
    stack = movie[:, 0].transpose(2, 3, 1, 0).astype(float)
    scipy.io.savemat(tmp_path / "a.mat", {"img": stack})
    recording = open_recording(tmp_path / "a.mat", RecordingParams(axes="TZXY"))
    assert np.array_equal(recording.read(4, (0,)), movie[4, :1])
    assert open_recording(tmp_path / "a.mat").missing[0].assumed == "TZXY"


def test_truncated_cells(tmp_path: Path, movie: np.ndarray) -> None:
    scipy.io.savemat(tmp_path / "a.mat", {"img": make_cells(movie, 0)})
    content = (tmp_path / "a.mat").read_bytes()
    (tmp_path / "a.mat").write_bytes(content[: len(content) // 2])
    recording = open_recording(tmp_path / "a.mat")
    assert 1 < len(recording) < 5
    assert any("truncated" in warning for warning in recording.warnings)
    assert np.array_equal(recording.read(1, (0,)), movie[1, :1])


def test_cell_of_another_size_is_named(tmp_path: Path, movie: np.ndarray) -> None:
    cells = make_cells(movie, 0)
    cells[3, 0] = cells[3, 0][:, :, :2]
    scipy.io.savemat(tmp_path / "a.mat", {"img": cells})
    with pytest.raises(UnreadableRecording, match="volume 3"):
        open_recording(tmp_path / "a.mat").read(3, (0,))


@pytest.mark.parametrize("limit", [2**31, 0])
def test_matlab_can_read_what_we_write(
    tmp_path: Path, movie: np.ndarray, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matlab, "_V5_LIMIT", limit)
    made = Recording("made", "made", movie.shape, movie.dtype, lambda v, c: movie[v][list(c)], roles=("green", "red"))
    save_recording(made, tmp_path / "a.mat")
    first, second = tmp_path / "a.mat", tmp_path / "a_red.mat"
    if limit:
        found = scipy.io.loadmat(second)["image_stack"]
        assert found.shape == (6, 1)
        assert np.array_equal(found[4, 0], movie[4, 1].transpose(1, 2, 0))
    else:
        with h5py.File(second) as file:
            cell = file[file["image_stack"][0, 4]]
            assert cell.attrs["MATLAB_class"] == b"uint16"
            assert np.array_equal(cell[()].T, movie[4, 1].transpose(1, 2, 0))
    assert open_recording(first).roles == ("green",)
    assert np.array_equal(open_recording(second).read(4, (0,)), movie[4, 1:])


def test_types_that_matlab_has_not(tmp_path: Path) -> None:
    data = np.zeros((2, 1, 3, 4, 5), np.float16)
    made = Recording("made", "made", data.shape, data.dtype, lambda v, c: data[v])
    with pytest.raises(UnsupportedFormat, match="float16"):
        save_recording(made, tmp_path / "a.mat")
    assert list(tmp_path.iterdir()) == []
