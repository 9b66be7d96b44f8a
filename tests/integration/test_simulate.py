"""``cender simulate``, ``bench`` and ``demo`` from the command line to the files they leave."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cases.simulations import simulate
from cender.cli import demo as demo_command
from cender.cli.app import app
from cender.errors import DataError, UnsupportedFormat
from cender.io import FORMATS, RecordingParams, load_truth, open_recording
from cender.pipeline.learn.simulated import save_simulation
from cender.simulate import Simulation

SMALL = ["--set", "simulate.shape=[6, 96, 80]", "--set", "simulate.voxel_um=[1.5, 1.2, 1.2]"]
# A raw file says nothing of itself, an array nothing but its shape, a MATLAB file nothing but its pixels.
SAID = {
    "raw": {"raw_shape": (96, 160), "frames_per_volume": 6, "split": "left-right", "roles": ("red", "green")},
    "npy": {"axes": "TCZYX", "roles": ("red", "green")},
}
NAMES = [one.name for one in FORMATS if one.save is not None]


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def make_small(volumes: int = 3, seed: int = 2) -> Simulation:
    return simulate(seed, volumes, shape=(6, 96, 80), voxel_um=(1.5, 1.2, 1.2))


@pytest.mark.parametrize("name", NAMES)
def test_every_format_reads_back_what_was_drawn(name: str, tmp_path: Path) -> None:
    printed = run("simulate", str(tmp_path / "worm"), "--volumes", "3", "--seed", "2", "--format", name, *SMALL)
    *recordings, truth = map(Path, printed.split())
    said = dict(SAID.get(name, {}))
    if len(recordings) == 2:
        said["green"] = str(recordings[1])
    recording = open_recording(recordings[0], RecordingParams(**said))
    expected = make_small().recording
    assert recording.shape == expected.shape
    for volume in range(3):
        assert np.array_equal(recording.volume(volume).data, expected.volume(volume).data)
    assert len(load_truth(truth)) == 3


def test_help_names_every_format() -> None:
    text = " ".join(CliRunner().invoke(app, ["simulate", "--help"], env={"COLUMNS": "300"}).output.split())
    assert [name for name in NAMES if name not in text] == []


def test_written_truth_is_the_simulations(tmp_path: Path) -> None:
    simulation = make_small()
    saved = save_simulation(simulation, tmp_path / "worm", "npz")
    written, expected = load_truth(saved.truth), simulation.truth()
    assert written.ratio == pytest.approx(expected.ratio)
    assert written.time_s == pytest.approx(expected.time_s)
    assert expected.provenance.items() <= written.provenance.items()
    for volume, annotation in expected.annotations.items():
        other = written.annotations[volume]
        assert np.array_equal(other.identity, annotation.identity)
        assert np.allclose(other.centre_um, annotation.centre_um)
        assert sorted(map(tuple, other.regions.box_px)) == sorted(map(tuple, annotation.regions.box_px))
        assert other.head is not None
        assert annotation.head is not None
        assert np.allclose(other.head.anterior_yx, annotation.head.anterior_yx)


def test_every_volume_is_drawn_once(tmp_path: Path) -> None:
    simulation = make_small()
    drawn: list[tuple[int, int]] = []

    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        drawn.extend((volume, channel) for channel in channels)
        return simulation.recording.read(volume, channels)

    watched = Simulation(replace(simulation.recording, read=read), simulation.world)
    seen: list[int] = []
    save_simulation(watched, tmp_path / "worm", on_volume=seen.append)
    assert sorted(drawn) == [(volume, channel) for volume in range(3) for channel in range(2)]
    assert seen == [0, 1, 2]


def test_events_are_written_beside_the_truth(tmp_path: Path) -> None:
    busy = {"omega_turns_per_min": 20.0, "deep_bends_per_min": 40.0}
    simulation = simulate(1, 20, shape=(2, 32, 32), motion=busy)
    saved = save_simulation(simulation, tmp_path / "worm", "npy")
    with (saved.truth / "events.csv").open(encoding="utf-8", newline="") as file:
        rows = [(int(row["volume"]), row["event"]) for row in csv.DictReader(file)]
    assert rows == [(volume, event) for volume in range(20) for event in simulation.events(volume)]
    assert {"omega turn", "deep bend"} <= {event for _, event in rows}


def test_run_that_stops_leaves_no_truth_and_can_be_repeated(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(volume: int) -> None:
        if volume == 1:
            raise Stopped

    out = tmp_path / "worm"
    with pytest.raises(Stopped):
        save_simulation(make_small(), out, on_volume=stop)
    assert not (out / "truth" / "truth.toml").exists()
    assert [path for path in out.rglob("*") if path.is_file()] == []
    # What a killed process could not remove is hidden and ours.
    (out / ".recording.ome.tif.123-abcd.part").write_text("half")
    (out / "truth" / ".regions.csv.123-abcd.part").write_text("half")
    save_simulation(make_small(), out)
    assert len(load_truth(out / "truth")) == 3
    assert not list(out.rglob("*.part"))


def test_folder_with_anything_in_it_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "worm"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match=r"not empty \(it holds notes.txt\)"):
        save_simulation(make_small(), out)
    assert [path.name for path in out.iterdir()] == ["notes.txt"]
    with pytest.raises(UnsupportedFormat, match="ome-tiff"):
        save_simulation(make_small(), tmp_path / "other", "jpeg")
    assert not (tmp_path / "other").exists()


def test_set_goes_before_options_and_options_before_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[simulate]\nseed = 5\nvolumes = 9\npreset = "hard"\n', encoding="utf-8")
    words = ["--config", str(settings), "--volumes", "4", "--set", "simulate.volumes=2", *SMALL]
    run("simulate", str(tmp_path / "worm"), *words)
    provenance = load_truth(tmp_path / "worm" / "truth").provenance
    assert (provenance["seed"], provenance["preset"]) == ("5", "hard")
    assert len(load_truth(tmp_path / "worm" / "truth")) == 2


def test_picture_of_a_simulation_is_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    run("simulate", str(tmp_path / "worm"), "--volumes", "3", "--picture", str(picture), *SMALL)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_demo_runs_twice_in_its_own_folder_and_in_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = ["seed=2", "volumes=3", "shape=[6, 96, 80]", "voxel_um=[1.5, 1.2, 1.2]"]
    monkeypatch.setattr(demo_command, "SETTINGS", small)
    monkeypatch.setattr(demo_command, "LEARNING", ["recognize.method=paper"])
    out = tmp_path / "demo"
    first = run("demo", "--out", str(out))
    assert "picture: frames" in first
    assert len(list((out / "pictures").glob("*.png"))) >= 4
    assert (out / "run" / "traces.parquet").is_file()
    assert (out / "run" / "report.html").is_file()
    stale = out / "pictures" / "stale.png"
    stale.write_text("of an older version")
    # Drawing takes longest, and is seen above.
    for drawing in ("report", "draw_pictures"):
        monkeypatch.setattr(demo_command, drawing, lambda tour: None)
    run("demo", "--out", str(out))
    assert not stale.exists()
    assert (out / "run" / "traces.parquet").is_file()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("precious")
    with pytest.raises(DataError, match="not made by"):
        run("demo", "--out", str(mine))
    assert (mine / "thesis.txt").read_text() == "precious"
