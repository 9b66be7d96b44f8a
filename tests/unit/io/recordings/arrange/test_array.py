"""Streams of frames, halves of a sensor, and settings against what the file says."""

from dataclasses import replace

import numpy as np
import pytest

from cender.errors import ConfigError, IncompleteRecording, UnreadableRecording
from cender.io.params import RecordingParams
from cender.io.recordings.arrange.array import arrange_recording
from cender.io.recordings.arrange.axes import guess_axes
from cender.io.recordings.formats.metadata import read_roles
from cender.io.recordings.formats.store import Store
from cender.types import Recording, VoxelSize


def hold(data: np.ndarray, axes: str, **said) -> Store:
    return Store(axes, data.shape, data.dtype, lambda index: data[index], **said)


def arrange(store: Store, **settings) -> Recording:
    return arrange_recording(store, RecordingParams(**settings), "test", "memory")


@pytest.fixture
def stream() -> np.ndarray:
    """Camera frames whose pixels are their own number."""
    return np.arange(47, dtype=np.uint16)[:, None, None] * np.ones((4, 6), np.uint16)


def frames_of(recording: Recording, volume: int) -> list[int]:
    return [int(frame[0, 0]) for frame in recording.read(volume, (0,))[0]]


def test_stream_with_offset_and_flyback(stream: np.ndarray) -> None:
    recording = arrange(hold(stream, "NYX"), frames_per_volume=10, first_frame=3, keep_frames=(1, 9))
    assert recording.shape == (4, 1, 8, 4, 6)
    assert frames_of(recording, 0) == list(range(4, 12))
    assert frames_of(recording, 3) == list(range(34, 42))
    assert recording.warnings == ("the last 4 camera frames make no whole volume of 10 and are left out",)


def test_up_and_down_scan(stream: np.ndarray) -> None:
    up = arrange(hold(stream, "NYX"), frames_per_volume=10, keep_frames=(0, 8))
    both = arrange(hold(stream, "NYX"), frames_per_volume=10, keep_frames=(0, 8), scan="up-down")
    assert frames_of(both, 2) == frames_of(up, 2)
    assert frames_of(both, 1) == frames_of(up, 1)[::-1]


def test_only_the_frames_needed_are_read(stream: np.ndarray) -> None:
    asked = []
    store = Store("NYX", stream.shape, stream.dtype, lambda index: asked.append(index) or stream[index])
    arrange(store, frames_per_volume=10, keep_frames=(0, 8)).read(2, (0,))
    assert asked == [(slice(20, 28),)]


def test_frame_times_and_rate_become_those_of_volumes(stream: np.ndarray) -> None:
    store = hold(stream, "NYX", rate_hz=50.0, times_s=np.arange(47) / 50)
    recording = arrange(store, frames_per_volume=10, keep_frames=(0, 8))
    assert recording.rate_hz == 5
    assert recording.time_s(1) == pytest.approx(np.mean(np.arange(10, 18) / 50))


@pytest.mark.parametrize(("split", "axis"), [("left-right", -1), ("top-bottom", -2)])
def test_halves_of_one_sensor(movie: np.ndarray, split: str, axis: int) -> None:
    sensor = np.concatenate([movie[:, 0], movie[:, 1]], axis=axis)
    recording = arrange(hold(sensor, "TZYX"), split=split, roles=("green", "red"))
    assert recording.shape == movie.shape
    assert np.array_equal(recording.volume(3).green, movie[3, 0])
    assert np.array_equal(recording.read(3, (1, 0)), movie[3, ::-1])


def test_halves_of_a_file_with_channels(movie: np.ndarray) -> None:
    with pytest.raises(ConfigError, match="two halves"):
        arrange(hold(movie, "TCZYX"), split="left-right")


def test_undivided_stream_is_refused_later(stream: np.ndarray) -> None:
    recording = arrange(hold(stream, "NYX"))
    assert recording.shape[:3] == (47, 1, 1)
    with pytest.raises(IncompleteRecording, match=r"recording\.frames_per_volume=NUMBER"):
        recording.require("axes")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"roles": ("red",)}, "names 1 channel, but test has 2"),
        ({"roles": ("red", "red")}, "only one channel can be red"),
        ({"axes": "TZYX"}, "has 4 letters, but test has 5"),
        ({"keep_frames": (0, 6)}, "does not fit a volume of 5 frames"),
        ({"first_frame": 3}, "counts the frames of a stream"),
        ({"frames_per_volume": 7}, "divides a stream of camera frames"),
        ({"axes": "NCZYX"}, "stands for both T and Z"),
    ],
)
def test_settings_that_contradict(movie: np.ndarray, settings: dict, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        arrange(hold(movie, "TCZYX"), **settings)


def test_settings_go_before_the_file_and_it_is_said(movie: np.ndarray) -> None:
    store = hold(movie, "TCZYX", voxel_um=VoxelSize(2.0, 0.3, 0.3), rate_hz=5.0, roles=("red", "green"))
    assert arrange(store).warnings == ()
    recording = arrange(
        store,
        axes="CTZYX",
        voxel_um=(1.5, 0.3, 0.3),
        rate_hz=10,
        roles=("other", "other", "green", "red", "other", "other"),
    )
    assert recording.shape[:2] == (2, 6)
    assert recording.voxel_um == (1.5, 0.3, 0.3)
    assert recording.rate_hz == 10
    assert [warning.split(";")[1].split("=")[0] for warning in recording.warnings] == [
        " recording.axes", " recording.voxel_um", " recording.rate_hz"
    ]  # fmt: skip
    swapped = arrange(store, roles=("green", "red"))
    assert "its channels are red,green" in swapped.warnings[0]


def test_voxel_of_one_side_missing_is_asked_for(movie: np.ndarray) -> None:
    recording = arrange(hold(movie, "TCZYX", voxel_um=VoxelSize(float("nan"), 0.3, 0.3)))
    assert recording.voxel_um is None
    assert "recording.voxel_um=Z,0.3,0.3" in [m.setting for m in recording.missing]


def test_times_that_do_not_rise_are_not_used(movie: np.ndarray) -> None:
    store = hold(movie, "TCZYX", times_s=np.array([0.0, 1, 2, 2, 3, 4]))
    assert arrange(store).times_s is None
    assert "time stamps" in arrange(store).warnings[0]
    assert arrange(replace(store, times_s=np.arange(6.0))).rate_hz == 1


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((300, 2, 18, 8, 8), "TCZYX"),
        ((300, 18, 2, 8, 8), "TZCYX"),
        ((300, 18, 8, 8), "TZYX"),
        ((2, 18, 8, 8), "CZYX"),
        ((18, 2, 8, 8), "ZCYX"),
        ((18, 8, 8), "ZYX"),
        ((6000, 8, 8), "TYX"),
    ],
)
def test_guesses(shape: tuple[int, ...], axes: str) -> None:
    assert guess_axes("?" * (len(shape) - 2) + "YX", shape, "test") == axes


def test_six_dimensions() -> None:
    with pytest.raises(UnreadableRecording, match="at most five"):
        guess_axes("????YX", (2, 2, 2, 2, 8, 8), "test")


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["mNeptune", "GCaMP6s"], ("red", "green")),
        (["EGFP", "tagRFP-T"], ("green", "red")),
        (["Reference", "Signal"], ("red", "green")),
        (["red", "green", "DIC"], ("red", "green", "other")),
        (["Channel:0", "Channel:1"], None),
        (["mCherry", "561"], None),
        (["red", "mCherry"], None),
        (["infrared", "green"], None),
        ([], None),
    ],
)
def test_channel_names(names: list[str], roles: tuple[str, ...] | None) -> None:
    assert read_roles(names) == roles


def test_settings_without_brackets() -> None:
    params = RecordingParams(voxel_um="1.5,0.3,0.3", roles="[red, green]", keep_frames="0,18")
    assert params.voxel_um == (1.5, 0.3, 0.3)
    assert params.roles == ("red", "green")
    assert params.keep_frames == (0, 18)
