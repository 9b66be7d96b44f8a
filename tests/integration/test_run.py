"""The whole run, from a file to tables: killed, resumed, with many workers, with damaged and odd recordings."""

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner, Result

from cender.cli.app import app
from cender.config import load_config
from cender.errors import ConfigError, UnreadableRecording
from cender.io import open_recording, save_recording
from cender.pipeline.plan.progress import Progress
from cender.pipeline.run import Run, run_recording
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Recording

TABLES = ("volumes", "regions", "neurons", "traces")
VOLUMES = 12
CENDER = shutil.which("cender", path=Path(sys.executable).parent) or "cender"
# The paper needs annotated volumes and gives no identity without: nothing is learnt here, which takes minutes.
QUICK = ("recognize.method=paper",)
SETS = ("run.part_volumes=2", *QUICK)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small recording, drawn once."""
    params = SimulateParams(preset="easy", seed=5802, volumes=VOLUMES, shape=(6, 160, 160), voxel_um=(2.0, 0.8, 0.8))
    path = tmp_path_factory.mktemp("film") / "film.h5"
    save_recording(simulate_recording(params).recording, path)
    return path


@pytest.fixture(scope="module")
def whole(film: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that nothing has disturbed."""
    return run_recording(film, tmp_path_factory.mktemp("runs") / "whole", load_config(None, SETS), workers=1)


def assert_alike(one: Run, other: Run) -> None:
    for name in TABLES:
        assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)


def start(film: Path, worm: Path) -> subprocess.Popen[bytes]:
    words = ["run", str(film), "--out", str(worm), *(word for one in SETS for word in ("--set", one))]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen([CENDER, *words], **quiet)


def count_parts(worm: Path) -> int:
    return len(list(worm.glob("parts/*/*-*/volumes.parquet")))


def kill_after(film: Path, worm: Path, parts: int, delay_s: float, how: int = signal.SIGKILL) -> int:
    """Start a run and kill it some time after so many parts are there; returns its exit status."""
    process = start(film, worm)
    while process.poll() is None and count_parts(worm) < parts:
        time.sleep(0.005)
    time.sleep(delay_s)
    process.send_signal(how)
    if how != signal.SIGKILL:
        # The impatient press twice.
        process.send_signal(how)
    _, said = process.communicate()
    assert how == signal.SIGKILL or "what is finished is kept" in said.decode()
    return int(process.returncode)


def finish(film: Path, worm: Path) -> Run:
    return run_recording(film, worm, load_config(None, SETS))


def test_a_run_finds_neurons_and_their_brightness(whole: Run) -> None:
    assert whole.volumes["status"].to_list() == ["ok"] * VOLUMES
    assert whole.neurons.height > 80 * VOLUMES
    assert whole.neurons["red"].is_finite().mean() > 0.9
    assert whole.settings["channel_map"]["source"] in ("estimated", "identity")


def test_workers_do_not_change_the_tables(film: Path, whole: Run, tmp_path: Path) -> None:
    assert_alike(run_recording(film, tmp_path / "worm", load_config(None, SETS), workers=3), whole)


def test_a_cluster_does_not_change_the_tables(film: Path, whole: Run, tmp_path: Path) -> None:
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
    ) as cluster:
        run = run_recording(
            film, tmp_path / "worm", load_config(None, SETS), scheduler=cluster.scheduler_address, workers=2
        )
    assert_alike(run, whole)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_run_goes_on_and_ends_alike(film: Path, whole: Run, tmp_path: Path) -> None:
    worm = tmp_path / "worm"
    assert kill_after(film, worm, 1, 0.02) == -signal.SIGKILL
    kept = count_parts(worm)
    assert 1 <= kept < VOLUMES // 2
    # Ctrl-C ends a run likewise, as the newcomer's walk shows.
    assert kill_after(film, worm, kept + 2, 0.1, signal.SIGTERM) == 130
    assert count_parts(worm) > kept
    assert_alike(finish(film, worm), whole)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_twenty_kills_at_random_moments(film: Path, whole: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    start_s = time.monotonic()
    finish(film, tmp_path / "timed")
    length_s = time.monotonic() - start_s
    killed = 0
    for number, moment in enumerate(rng.uniform(0.05, 1.0, 20)):
        worm = tmp_path / str(number)
        killed += kill_after(film, worm, 0, moment * length_s) == -signal.SIGKILL
        assert_alike(finish(film, worm), whole)
    assert killed >= 15


def change(film: Path, to: Path, edit: object) -> Path:
    """The same recording with its volumes changed by ``edit(volume, pixels)``."""
    recording = open_recording(film)
    read = recording.read
    changed = Recording(
        str(to),
        "memory",
        recording.shape,
        recording.dtype,
        lambda volume, channels: edit(volume, read(volume, channels)),  # type: ignore[operator]
        recording.voxel_um,
        recording.rate_hz,
        roles=recording.roles,
    )
    save_recording(changed, to)
    return to


def test_a_blank_volume_fails_alone(film: Path, tmp_path: Path) -> None:
    odd = change(film, tmp_path / "odd.h5", lambda volume, pixels: pixels * (volume != 2))
    run = run_recording(odd, tmp_path / "worm", load_config(None, ["run.volumes=':4'", *QUICK]))
    assert run.volumes["status"].to_list() == ["ok", "ok", "failed", "ok"]
    assert run.volumes["reason"][2]
    assert set(run.neurons["volume"]) == {0, 1, 3}


def test_a_red_only_recording_gives_neurons_and_says_what_it_lacks(film: Path, tmp_path: Path) -> None:
    config = load_config(None, [*QUICK, "run.volumes=':3'", "recording.roles=red,other"])
    run = run_recording(film, tmp_path / "worm", config)
    assert run.neurons.height > 200
    assert run.neurons["green"].null_count() == run.neurons.height
    assert run.summary is not None
    assert sum("no green channel" in line for line in run.summary.advice) == 1, "said, and said once"


def test_a_green_only_recording_works_too(film: Path, tmp_path: Path) -> None:
    config = load_config(None, [*QUICK, "run.volumes=':3'", "recording.roles=other,green"])
    run = run_recording(film, tmp_path / "worm", config)
    assert run.neurons.height > 50
    assert run.summary is not None
    assert sum("no red channel" in line for line in run.summary.advice) == 1


def test_roles_that_make_a_blank_channel_red_are_questioned(film: Path, tmp_path: Path) -> None:
    def blank_green(volume: int, pixels: np.ndarray) -> np.ndarray:
        pixels = pixels.copy()
        pixels[1:] = 100
        return pixels

    odd = change(film, tmp_path / "odd.h5", blank_green)
    with pytest.raises(Exception, match=r"is blank in volumes .* --set recording.roles=red,green"):
        run_recording(odd, tmp_path / "worm", load_config(None, ["recording.roles=green,red"]))


def test_a_drive_that_vanishes_stops_the_run_and_what_was_done_stays(film: Path, tmp_path: Path) -> None:
    copy = tmp_path / "film.h5"
    copy.write_bytes(film.read_bytes())
    recording = open_recording(copy)
    read, looked_at = recording.read, set()

    def vanish(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        # Volumes are read once for what they say about the cameras, then to be worked on.
        if volume >= 5 and volume in looked_at:
            copy.unlink(missing_ok=True)
            raise OSError("stale file handle")
        looked_at.add(volume)
        return read(volume, channels)

    gone = replace(recording, read=vanish)
    config = load_config(None, [*SETS, "run.wait_s=0"])
    with pytest.raises(Exception, match=r"cannot be reached any more .*run the same command again"):
        run_recording(gone, tmp_path / "worm", config, workers=1)
    assert pl.concat([pl.read_parquet(p) for p in tmp_path.glob("worm/parts/*/*/volumes.parquet")])["volume"].max() == 4
    assert not (tmp_path / "worm" / "volumes.parquet").exists()


def test_a_file_that_shrinks_during_a_run_stops_it_and_it_goes_on_when_it_is_whole(
    film: Path, whole: Run, tmp_path: Path
) -> None:
    copy, recording = tmp_path / "film.npy", open_recording(film)
    save_recording(recording, copy)
    content, cut = copy.read_bytes(), copy.stat().st_size // 3
    facts = ["recording.axes=TCZYX", "recording.roles=red,green", "recording.rate_hz=5", "run.unreadable=4"]
    config = load_config(None, [*SETS, *facts, f"recording.voxel_um={list(recording.voxel_um or ())}"])

    def shrink(progress: Progress) -> None:
        if progress.stage == "volumes" and copy.stat().st_size > cut:
            with copy.open("r+b") as file:
                file.truncate(cut)

    with pytest.raises(UnreadableRecording, match=r"4 volumes in a row.*All volumes before are kept"):
        run_recording(copy, tmp_path / "worm", config, on_progress=shrink)
    assert 1 <= count_parts(tmp_path / "worm") < VOLUMES // 2
    copy.write_bytes(content)
    again = run_recording(copy, tmp_path / "worm", config)
    assert_frame_equal(again.neurons, whole.neurons, check_exact=True)


def test_a_damaged_volume_in_the_middle_fails_alone(film: Path, tmp_path: Path) -> None:
    recording = open_recording(film)
    read = recording.read

    def spoil(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        if volume == 2:
            raise ValueError("the checksum of chunk 7 is wrong")
        return read(volume, channels)

    run = run_recording(
        replace(recording, read=spoil), tmp_path / "worm", load_config(None, ["run.volumes=':5'", *QUICK])
    )
    assert run.volumes["status"].to_list() == ["ok", "ok", "failed", "ok", "ok"]
    assert run.volumes["reason"][2] == "the volume cannot be read: the checksum of chunk 7 is wrong"


def call(*words: object) -> Result:
    """The command line, in this process."""
    return CliRunner().invoke(app, ["run", *map(str, words)], catch_exceptions=False)


def test_the_command_line_plans_runs_and_says_what_is_next(film: Path, tmp_path: Path) -> None:
    worm = tmp_path / "worm"
    words = (film, "--out", worm, "--volumes", "0:4", *(word for one in QUICK for word in ("--set", one)))
    plan = call(*words, "--dry-run")
    assert "4 volumes: not worked on yet" in plan.stdout
    assert "memory about" in plan.stdout
    assert not worm.exists()
    done = call(*words)
    assert done.stdout.strip() == str(worm)
    assert "annotate volume" in done.stderr
    assert "nothing to do" in call(worm).stderr
    said = json.loads(call(worm, "--set", "activity.smooth_s=1", "--dry-run", "--json").stdout)
    assert (said["todo"], said["cost"]) == (0, None)
    assert said["reasons"]
    assert "no image is touched" in call(worm, "--set", "activity.smooth_s=1", "--dry-run").stdout
    with pytest.raises(ConfigError, match="--out WORM"):
        call(film)
