"""``cender info`` through the command line's own entry."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import tifffile

from cender.cli.app import main
from cender.io import inspect_recording, save_recording
from cender.types import Recording, VoxelSize


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["cender", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def worm() -> Recording:
    """Forty nuclei that drift together; those of channel 1 change their brightness, each by itself."""
    random = np.random.default_rng(3)
    y, x = np.mgrid[20:140:20, 20:160:20].reshape(2, -1)[:, :40]
    level = random.uniform(150, 600, 40)
    along_z = np.exp(-((np.arange(6)[:, None] - random.uniform(1, 5, 40)) ** 2) / 2)
    data = np.zeros((20, 2, 6, 150, 170), np.uint16)
    for t, c, z in np.ndindex(data.shape[:3]):
        activity = np.exp(np.random.default_rng(t).normal(0, 0.5, 40)) if c == 1 else 1
        spots = np.zeros((150, 170), np.float32)
        spots[y + t // 4, x + t // 3] = 39 * level * activity * along_z[z]
        data[t, c, z] = random.normal(100 + cv2.GaussianBlur(spots, (0, 0), 2.5), 8).clip(0)
    return Recording(
        "worm", "memory", data.shape, data.dtype, lambda v, c: data[v][list(c)],
        VoxelSize(1.5, 0.3, 0.3), 5.0, None, ("red", "green"),
    )  # fmt: skip


def test_json_says_what_was_read(
    tmp_path: Path, worm: Recording, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_recording(worm, tmp_path / "worm.ome.tif")
    assert run(monkeypatch, "info", str(tmp_path / "worm.ome.tif"), "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["format"] == "ome-tiff"
    assert facts["shape"] == [20, 2, 6, 150, 170]
    assert facts["voxel_um"] == [1.5, 0.3, 0.3]
    assert [channel["role"] for channel in facts["channels"]] == ["red", "green"]
    assert facts["duration_s"] == pytest.approx(4.0)
    assert facts["disk_bytes"] == (tmp_path / "worm.ome.tif").stat().st_size
    assert facts["missing"] == []
    assert facts["warnings"] == []


def test_table_and_picture_say_what_is_missing(
    tmp_path: Path, worm: Recording, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_recording(worm, tmp_path / "worm.npy")
    picture = tmp_path / "look.png"
    assert run(monkeypatch, "info", str(tmp_path / "worm.npy"), "--picture", str(picture)) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for setting in (
        "recording.axes=TCZYX",
        "recording.voxel_um=Z,Y,X",
        "recording.rate_hz=",
        "recording.roles=red,green",
    ):
        assert setting in shown
    image = cv2.imread(str(picture))
    assert image.shape[1] > 600
    assert image.std() > 20


def test_exchanged_channels_are_noticed(worm: Recording) -> None:
    assert inspect_recording(worm).warnings == ()
    (warning,) = inspect_recording(replace(worm, roles=("green", "red"))).warnings
    assert "red channel (1) looks like the activity channel" in warning
    assert "recording.roles=red,green" in warning
    (hint,) = inspect_recording(replace(worm, roles=None)).warnings
    assert "channel 1 looks like the activity channel" in hint


@pytest.mark.parametrize("roles", [("red", "green"), ("green", "red")])
def test_nothing_is_said_of_a_recording_that_stands_still(worm: Recording, roles: tuple) -> None:
    still = replace(worm, read=lambda volume, channels: worm.read(0, channels), roles=roles)
    assert inspect_recording(still).warnings == ()
    steady = replace(worm, read=lambda volume, channels: worm.read(volume, (0,) * len(channels)), roles=roles)
    assert inspect_recording(steady).warnings == ()


def test_blank_and_saturated_channels(worm: Recording) -> None:
    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        data = worm.read(volume, (0, 1))
        data[0] = data[0].clip(0, 255)
        data[1] = np.random.default_rng(volume).normal(100, 8, data[1].shape)
        return data[list(channels)]

    saturated, blank = inspect_recording(replace(worm, read=read)).warnings
    assert "channel 0 is saturated" in saturated
    assert "at 255" in saturated
    assert "channel 1 looks blank" in blank


def test_exchanged_time_and_z(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    data = np.random.default_rng(0).integers(0, 99, (2, 120, 8, 8)).astype(np.uint8)
    np.save(tmp_path / "a.npy", data)
    assert run(monkeypatch, "info", str(tmp_path / "a.npy"), "--set", "recording.axes=TZYX", "--json") == 0
    assert "time and z look exchanged" in " ".join(json.loads(capsys.readouterr().out)["warnings"])


@pytest.mark.parametrize("kind", ["text", "empty", "truncated", "image", "folder", "nowhere"])
def test_wrong_files_are_one_clear_line(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("a.tif")
    if kind == "text":
        path.write_text("not pixels at all, but quite some text")
    elif kind == "empty":
        path.touch()
    elif kind == "truncated":
        tifffile.imwrite(path, np.zeros((4, 5, 64, 64), np.uint16), metadata={"axes": "TZYX"})
        path.write_bytes(path.read_bytes()[:20_000])
    elif kind == "image":
        tifffile.imwrite(path, np.zeros((64, 64), np.uint16))
    elif kind == "folder":
        path.mkdir()
    assert run(monkeypatch, "info", str(path), "--json") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "a.tif" in shown.err
    assert len(shown.err.splitlines()) == 1
    assert len(shown.err) < 400
