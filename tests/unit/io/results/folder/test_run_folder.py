"""Run folders: made, opened, refused, migrated, written by one at a time; human work stays."""

import json
import logging
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cases.outcomes import SETTINGS, VOXEL, example_outcomes, make_run
from cender.errors import DataError, ShapeMismatch, UnsupportedFormat
from cender.io.results.folder.lock import LOCK_NAME, find_holder, hold_lock
from cender.io.results.folder.run_folder import RunFolder, create_run, migrate_run, open_folder
from cender.io.results.folder.run_results import load_run
from cender.io.results.parts.outcomes import save_outcomes

MIGRATIONS = "cender.io.results.folder.migrate.MIGRATIONS"


def test_results_come_back_as_annotations(tmp_path: Path) -> None:
    run = make_run(tmp_path / "worm")
    (run.path / "identities.csv").write_text("identity,name,note\n7,AVAL,sure\n8,,\n")
    traces = {"identity": [7, 7], "volume": [1, 3], "ratio": [1.5, 2.5], "valid": [True, False]}
    empty = {key: [None, None] for key in ("time_s", "red", "green", "dr_r0", "probability")}
    run.save_table("traces", pl.DataFrame(traces | empty))
    found = load_run(run.path)
    assert (found.voxel_um, found.rate_hz, found.names) == (VOXEL, 5.0, {7: "AVAL"})
    assert {v: a.flagged for v, a in found.annotations.items()} == {1: False, 3: True, 4: True}
    first = found.annotations[1]
    assert first.identity.tolist() == [-1, 7]
    assert first.probability.tolist() == [0.2, 0.9]
    assert first.regions.neuron.tolist() == [1, 1, -1]
    assert first.head is not None
    assert first.head.quality == 0.5
    assert found.annotations[3].probability.tolist() == [1.0, 1.0]
    assert len(found.annotations[4]) == 0
    assert found.ratio[7, 1] == 1.5
    assert np.isnan(found.ratio[7, 3])
    assert found.time_s == {1: 0.3, 3: 0.7, 4: 0.9}


def test_run_without_results_says_which_command_makes_them(tmp_path: Path) -> None:
    create_run(tmp_path / "worm", SETTINGS)
    with pytest.raises(DataError, match=r"no volumes\.parquet yet; `cender run"):
        load_run(tmp_path / "worm")


def test_tables_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "worm")
    neurons, regions = run.load_table("neurons"), run.load_table("regions")
    run.save_table("neurons", neurons.with_columns(pl.col("volume") + 1))
    with pytest.raises(ShapeMismatch, match=r"neurons\.parquet has volume 2"):
        load_run(run.path)
    run.save_table("neurons", neurons)
    run.save_table("regions", regions.with_columns(pl.col("neuron") + 5))
    with pytest.raises(ShapeMismatch, match=r"neuron 6 is not in neurons\.parquet"):
        load_run(run.path)


def test_settings_change_and_the_subject_stays(tmp_path: Path) -> None:
    run = create_run(tmp_path / "worm", SETTINGS)
    path = run.path / "run.toml"
    path.write_text(
        path.read_text().replace("[recording]", "# my rig\n[recording]  # the good one")
        + 'strain = "ZIM504"  # from Manuel\n\n[subject.growth]\ntemperature = 20\n'
    )
    subject = path.read_text().partition("[subject]")[2]
    run.save_settings({"recording": {"source": "moved.tif", "rate_hz": 4.0}, "models": {"detector": "abc"}})
    text = path.read_text()
    assert "# my rig\n[recording]" in text
    assert subject.strip() in text
    settings = run.load_settings()
    assert settings["recording"] == {"source": "moved.tif", "rate_hz": 4.0}
    assert settings["models"] == {"detector": "abc"}
    assert settings["subject"] == {"strain": "ZIM504", "growth": {"temperature": 20}}
    with pytest.raises(ValueError, match=r"'subject' of run\.toml is not a setting"):
        run.save_settings({"subject": {}})


def test_human_work_is_never_touched(tmp_path: Path) -> None:
    run = make_run(tmp_path / "worm")
    (run.path / "annotations.sqlite").write_bytes(b"human work")
    (run.path / "identities.csv").write_text("identity,name,note\n7,AVAL,\n")
    human = {file: file.read_bytes() for file in run.path.glob("[ai]*")}
    assert len(human) == 2
    save_outcomes(run, example_outcomes()[1:], VOXEL)
    run.save_settings({"recording": {"source": "b.tif"}})
    assert {file: file.read_bytes() for file in human} == human
    with pytest.raises(KeyError, match="'identities' is not a table"):
        run.save_table("identities", pl.DataFrame())


def test_new_run_needs_a_place_of_its_own(tmp_path: Path) -> None:
    make_run(tmp_path / "worm")
    with pytest.raises(DataError, match="is a run folder already"):
        create_run(tmp_path / "worm", {})
    with pytest.raises(DataError, match="a folder with other things in it"):
        create_run(tmp_path, {})
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is a file; a new run folder needs a name of its own"):
        create_run(tmp_path / "file", {})


def test_what_is_no_run_folder_is_described(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such run folder"):
        open_folder(tmp_path / "none")
    (tmp_path / "a.tif").write_text("")
    with pytest.raises(DataError, match=r"is not a run folder: expected run\.toml in it, found a\.tif"):
        open_folder(tmp_path)
    with pytest.raises(DataError, match=r"a\.tif is a file; a run folder is a folder with run\.toml in it"):
        open_folder(tmp_path / "a.tif")
    (tmp_path / "truth.toml").write_text("format = 1")
    with pytest.raises(DataError, match=r"is a truth folder \(truth\.toml\), not a run folder"):
        open_folder(tmp_path)


def set_format(run: RunFolder, number: int) -> None:
    path = run.path / "run.toml"
    path.write_text(path.read_text().replace("format = 1", f"format = {number}"))


def test_newer_and_unknown_older_formats_are_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "worm")
    set_format(run, 2)
    with pytest.raises(UnsupportedFormat, match="run folder of format 2; this cender knows up to 1: update it"):
        open_folder(run.path)
    (run.path / "run.toml").write_text("format = 0\n")
    with pytest.raises(UnsupportedFormat, match="format 0, which this cender cannot bring to format 1"):
        open_folder(run.path)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_older_format_is_migrated_into_a_copy(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "worm")
    set_format(run, -1)
    (run.path / "models").mkdir()
    (run.path / "models" / "detector.safetensors").write_bytes(b"weights")
    before = contents(run.path)
    steps = []

    def rename_table(folder: Path) -> None:
        steps.append(folder.name)
        (folder / "timings.parquet").unlink()

    monkeypatch.setattr(MIGRATIONS, {-1: rename_table, 0: lambda folder: steps.append("second")})
    with caplog.at_level(logging.WARNING):
        copy = open_folder(run.path)
    assert len(steps) == 2
    assert copy.path == tmp_path / "worm-format1"
    assert copy.load_settings()["format"] == 1
    assert not copy.has_table("timings")
    assert (copy.path / "models" / "detector.safetensors").read_bytes() == b"weights"
    assert contents(run.path) == before
    assert "migrated into" in caplog.text
    # A second time the copy, which may hold new work by now, is used as it is.
    assert open_folder(run.path).path == copy.path
    with pytest.raises(UnsupportedFormat, match="worm-format1 exists"):
        migrate_run(run.path)
    assert len(steps) == 2


def test_failed_migration_leaves_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path / "worm")
    set_format(run, 0)

    def fail(folder: Path) -> None:
        (folder / "volumes.parquet").unlink()
        raise DataError("cannot")

    before = contents(run.path)
    monkeypatch.setattr(MIGRATIONS, {0: fail})
    with pytest.raises(DataError, match="cannot"):
        migrate_run(run.path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["worm"]
    assert contents(run.path) == before


def test_second_writer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MIGRATIONS, {0: lambda folder: None})
    run = make_run(tmp_path / "worm")
    frame = run.load_table("timings")
    with run.writing() as writer:
        writer.save_table("timings", frame)
        with pytest.raises(DataError, match=rf"is being written by process {os.getpid()} on .*remove"):
            run.save_table("timings", frame)
        with pytest.raises(DataError, match="is being written"), RunFolder(run.path).writing():
            pass
        set_format(run, 0)
        with pytest.raises(DataError, match="is being written"):
            migrate_run(run.path)
        set_format(run, 1)
    run.save_table("timings", frame)
    assert not (run.path / LOCK_NAME).exists()


def write_lock(folder: Path, pid: int, host: str) -> None:
    (folder / LOCK_NAME).write_text(json.dumps({"pid": pid, "host": host, "token": "old"}))


def test_lock_of_a_dead_process_is_taken_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    write_lock(tmp_path, dead.pid, socket.gethostname())
    with caplog.at_level(logging.WARNING), hold_lock(tmp_path):
        holder = find_holder(tmp_path)
        assert holder is not None
        assert holder.pid == os.getpid()
    assert f"process {dead.pid} ended without releasing" in caplog.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [json.dumps({"pid": 1, "host": "another-computer", "token": "t"}), "", "{}"],
    ids=["other host", "empty", "unreadable"],
)
def test_lock_of_an_unknown_process_stays(tmp_path: Path, content: str) -> None:
    (tmp_path / LOCK_NAME).write_text(content)
    with pytest.raises(DataError, match="is being written by"), hold_lock(tmp_path):
        pass
    assert (tmp_path / LOCK_NAME).read_text() == content


def test_killed_run_keeps_its_old_tables_and_is_taken_over(tmp_path: Path) -> None:
    run = make_run(tmp_path / "worm")
    before = contents(run.path)
    script = (
        "import os, sys, pathlib, polars\n"
        "from cender.io.results.folder.run_folder import open_folder\n"
        "with open_folder(pathlib.Path(sys.argv[1])).writing() as run:\n"
        "    frame = run.load_table('neurons')\n"
        "    polars.DataFrame.write_parquet = lambda self, path: (path.write_bytes(b'half'), os._exit(7))\n"
        "    run.save_table('neurons', frame)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(run.path)], check=False)
    assert killed.returncode == 7
    left = contents(run.path)
    assert len(left) == len(before) + 2
    assert before.items() <= left.items()
    assert len(load_run(run.path)) == 3
    with run.writing():
        pass
    assert contents(run.path) == before
