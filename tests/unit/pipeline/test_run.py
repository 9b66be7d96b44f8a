"""The run: what it does, what it does not do again, what stops it, and what it says."""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from threadpoolctl import threadpool_info, threadpool_limits
from typer.testing import CliRunner

from cases.recorded import FakeExecutor, make_outcome, save_numbers
from cender.cli.app import app
from cender.config import Config, load_config
from cender.errors import ConfigError, DataError, UnreadableRecording, UnsupportedFormat
from cender.io import RecordingParams, open_folder, open_recording
from cender.io.results.advice import suggest_annotation
from cender.io.results.folder.lock import hold_lock
from cender.io.results.parts import assembly as assembly_module
from cender.io.results.parts import store as parts_module
from cender.io.weights import save_weights
from cender.pipeline import run as run_module
from cender.pipeline.plan import source as source_module
from cender.pipeline.plan.decide import make_plan
from cender.pipeline.plan.progress import Progress
from cender.pipeline.plan.work import settle_work
from cender.pipeline.recording import recording_pass
from cender.pipeline.run import Run, open_results, run_recording
from cender.pipeline.volumes import executor as executor_module
from cender.pipeline.volumes.reading import Unreadable
from cender.recognize.selfcheck import SelfCheck
from cender.types import Identities, Recording, Weights

TABLES = ("volumes", "regions", "neurons", "timings", "traces")
SMALL_PARTS = "run.part_volumes=4"


@pytest.fixture(autouse=True)
def _no_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Identities take a minute to learn; here nobody is named unless a test says so."""
    monkeypatch.setattr(recording_pass, "identify_recording", lambda *words, **more: {})


@pytest.fixture
def worm(tmp_path: Path) -> Path:
    return tmp_path / "worm"


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return save_numbers(tmp_path / "film.h5", 10)


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Run with a made-up executor."""

    def call(*words: object, executor: FakeExecutor | None = None, sets: tuple[str, ...] = (), **more: object) -> Run:
        monkeypatch.setattr(run_module, "choose_executor", lambda *_: executor or FakeExecutor())
        config = load_config(None, [SMALL_PARTS, *sets]) if sets or len(words) > 1 else None
        return run_recording(*words, config=config, **more)

    return call


def read_tables(run: Run) -> dict[str, pl.DataFrame]:
    return {name: getattr(run, name) for name in TABLES}


def assert_alike(one: Run, other: Run) -> None:
    for name, table in read_tables(one).items():
        assert_frame_equal(table, read_tables(other)[name])


def test_every_volume_is_in_the_tables(go, film, worm) -> None:
    run = go(film, worm)
    assert run.volumes["volume"].to_list() == list(range(10))
    assert run.neurons.height == 30
    assert run.volumes["time_s"].to_list() == pytest.approx([(v + 0.5) / 5 for v in range(10)])
    assert run.summary is not None
    assert (run.summary.ok, run.summary.failed) == (10, 0)
    assert run.neurons["green"].null_count() == 0


def test_the_recording_is_opened_once(film, worm, monkeypatch) -> None:
    opened: list[Path] = []

    def open_counted(path: Path, params: RecordingParams) -> Recording:
        opened.append(path)
        return open_recording(path, params)

    monkeypatch.setattr(source_module, "open_recording", open_counted)
    monkeypatch.setattr(executor_module, "build_worker", lambda job, threads: lambda one: make_outcome(one.index))
    assert CliRunner().invoke(app, ["run", str(film), "--out", str(worm)]).exit_code == 0
    assert len(opened) == 1
    assert open_results(worm).volumes.height == 10


def test_volumes_with_few_neurons_for_their_recording_are_flagged(go, film, worm) -> None:
    volumes = go(film, worm, executor=FakeExecutor(sparse=frozenset({4, 7}), failed=frozenset({2}))).volumes
    assert volumes["status"].to_list() == [
        "ok", "ok", "failed", "ok", "flagged", "ok", "ok", "flagged", "ok", "ok",
    ]  # fmt: skip
    assert volumes["flags"][4] == "few neurons"
    assert volumes["reason"][4] == "only a few neurons are in view (1 found, usually 3 in this recording)"
    assert volumes["reason"][2] == "no head"


def test_matrix_products_take_one_thread_each_while_volumes_are_worked_on(go, film, worm) -> None:
    def count_threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    seen: list[set[int]] = []
    with threadpool_limits(2, user_api="blas"):
        go(film, worm, on_progress=lambda progress: seen.append(count_threads()))
        assert set.union(*seen) == {1}
        assert count_threads() == {2}, "the program around it has its threads again"


def test_progress_is_told_from_the_cameras_on(go, film, worm) -> None:
    told: list[Progress] = []
    go(film, worm, on_progress=told.append)
    stages = [one.stage for one in told]
    assert list(dict.fromkeys(stages)) == ["cameras", "volumes", "recording"]
    assert stages.count("cameras") == told[0].total == 10


def test_nothing_is_done_twice(go, film, worm) -> None:
    first = go(film, worm)
    executor = FakeExecutor()
    again = go(worm, executor=executor)
    assert executor.asked == []
    assert again.summary is not None
    assert again.summary.redone == ()
    assert_alike(first, again)


@pytest.mark.parametrize("moment", [0, 1, 5, 9])
@pytest.mark.parametrize("error", [KeyboardInterrupt, UnreadableRecording, MemoryError])
def test_a_stopped_run_goes_on_where_it_was(go, film, worm, tmp_path, moment: int, error: type[BaseException]) -> None:
    with pytest.raises(error):
        go(film, worm, executor=FakeExecutor(moment, error))
    executor = FakeExecutor()
    resumed = go(film, worm, executor=executor)
    assert executor.asked == list(range(moment, 10)), "what was finished is kept, however small the last part"
    assert_alike(resumed, go(film, tmp_path / "other"))


def test_changed_settings_redo_all_volumes_and_say_why(go, film, worm) -> None:
    go(film, worm)
    executor = FakeExecutor()
    run = go(film, worm, executor=executor, sets=("detect.region_score=0.7",))
    assert executor.asked == list(range(10))
    assert run.summary is not None
    assert run.summary.redone == (f"all volumes: detect.region_score was {Config().detect.region_score}, is 0.7",)
    assert len(list((worm / "parts").iterdir())) == 1, "parts of other settings are gone"


def test_a_new_rate_changes_times_without_touching_images(go, film, worm) -> None:
    go(film, worm)
    executor = FakeExecutor()
    run = go(film, worm, executor=executor, sets=("recording.rate_hz=10",))
    assert executor.asked == []
    assert run.volumes["time_s"][0] == pytest.approx(0.05)


def test_new_volumes_of_a_growing_recording_are_added(go, film, worm) -> None:
    before = go(film, worm).neurons
    save_numbers(film, 14)
    executor = FakeExecutor()
    run = go(worm, executor=executor)
    assert executor.asked == [10, 11, 12, 13]
    assert run.volumes.height == 14
    assert_frame_equal(run.neurons.head(before.height), before)


def test_what_is_recorded_during_a_run_waits_for_the_next(go, film, worm) -> None:
    def grow(progress: object) -> None:
        save_numbers(film, 14)

    assert go(film, worm, on_progress=grow).volumes.height == 10
    executor = FakeExecutor()
    assert go(worm, executor=executor).volumes.height == 14
    assert executor.asked == [10, 11, 12, 13]


def test_a_recording_that_shrinks_is_refused(go, film, worm) -> None:
    go(film, worm)
    save_numbers(film, 8)
    with pytest.raises(DataError, match=r"had 10 volumes and has 8 now; .* --out NEW"):
        go(worm)


def test_a_recording_of_another_shape_is_refused(go, film, worm) -> None:
    go(film, worm)
    save_numbers(film, 10, (3, 8, 9))
    with pytest.raises(DataError, match=r"\[2, 3, 8, 8\] uint16 .* now it is \[2, 3, 8, 9\]"):
        go(worm)


def test_another_recording_in_its_place_is_refused(go, film, worm) -> None:
    go(film, worm)
    save_numbers(film, 10, seed=1)
    with pytest.raises(DataError, match="pixels of its first volume are others"):
        go(worm)


def test_a_moved_recording_is_found_again(go, film, worm, tmp_path) -> None:
    go(film, worm)
    moved = film.rename(tmp_path / "moved.h5")
    with pytest.raises(UnreadableRecording, match="if it was moved"):
        go(worm)
    executor = FakeExecutor()
    go(moved, worm, executor=executor)
    assert executor.asked == []
    assert go(worm).settings["recording"]["sources"] == [str(moved)]


def test_only_chosen_volumes_are_covered(go, film, worm) -> None:
    executor = FakeExecutor()
    run = go(film, worm, executor=executor, sets=("run.volumes='2:8'", "run.exclude=1.0:1.2"))
    assert executor.asked == [2, 3, 4, 6, 7], "volume 5 is at 1.1 s"
    assert run.volumes["volume"].to_list() == [2, 3, 4, 6, 7]
    rest = FakeExecutor()
    whole = go(film, worm, executor=rest, sets=())
    assert whole.volumes.height == 10
    assert rest.asked == [0, 1, 5, 8, 9], "what is there already is not done again"


@pytest.mark.parametrize(("words", "message"), [("run.volumes='20:30'", "0 to 9"), ("run.exclude=0:", "0 to 9")])
def test_no_volume_left_is_a_mistake(go, film, worm, words: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        go(film, worm, sets=(words,))


@pytest.mark.parametrize("word", ["run.volumes=5", "run.volumes='9:3'", "run.exclude=a:b", "run.exclude='-3:2'"])
def test_a_range_that_is_none_is_refused(word: str) -> None:
    with pytest.raises(ConfigError, match=r"run\."):
        load_config(None, [word])


def test_a_damaged_volume_is_an_outcome_with_its_reason(go, film, worm) -> None:
    run = go(film, worm, executor=FakeExecutor(unreadable=frozenset({4})))
    row = run.volumes.row(4, named=True)
    assert (row["volume"], row["status"]) == (4, "failed")
    assert "cannot be read" in row["reason"]
    assert row["flags"] == "unreadable"
    assert run.summary is not None
    assert any("volumes 4" in line for line in run.summary.advice)


def test_a_damaged_volume_is_tried_again_when_the_file_has_changed(go, film, worm) -> None:
    go(film, worm, executor=FakeExecutor(unreadable=frozenset({4})))
    same = FakeExecutor()
    go(worm, executor=same)
    assert same.asked == []
    os.utime(film, ns=(1, 1))
    mended = FakeExecutor()
    run = go(worm, executor=mended)
    assert mended.asked == [4]
    assert run.volumes["status"].to_list() == ["ok"] * 10


def test_a_volume_that_only_the_drive_withheld_is_tried_again(go, film, worm) -> None:
    silent = FakeExecutor(unreadable=frozenset({4}), why=Unreadable("away", "[Errno 5] Input/output error"))
    run = go(film, worm, executor=silent)
    assert run.volumes["status"].to_list() == ["ok"] * 4 + ["failed"] + ["ok"] * 5
    awake = FakeExecutor()
    run = go(worm, executor=awake)
    assert awake.asked == [4]
    assert run.volumes["status"].to_list() == ["ok"] * 10


def test_many_unreadable_volumes_in_a_row_stop_the_run(go, film, worm) -> None:
    broken = FakeExecutor(unreadable=frozenset(range(3, 10)))
    with pytest.raises(UnreadableRecording, match=r"5 volumes in a row.*All volumes before are kept"):
        go(film, worm, executor=broken, sets=("run.unreadable=5",))
    mended = FakeExecutor()
    run = go(film, worm, executor=mended)
    assert mended.asked == list(range(3, 10))
    assert set(run.volumes["status"]) == {"ok"}


def test_a_run_without_a_usable_volume_fails(go, film, worm) -> None:
    with pytest.raises(DataError, match="not one of 10 volumes could be used; the first: no head"):
        go(film, worm, executor=FakeExecutor(failed=frozenset(range(10))))


def test_a_full_disk_stops_the_run_and_leaves_nothing_half(go, film, worm, monkeypatch) -> None:
    flush = parts_module.flush_file
    calls: list[Path] = []

    def fill(path: Path) -> None:
        calls.append(path)
        if len(calls) > 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(path)

    monkeypatch.setattr(parts_module, "flush_file", fill)
    with pytest.raises(DataError, match=r"No space left on device; .*run the same command again"):
        go(film, worm)
    store = next((worm / "parts").iterdir())
    assert [path.name for path in store.iterdir() if path.is_dir()] == ["0000000-0000004"]
    monkeypatch.setattr(parts_module, "flush_file", flush)
    executor = FakeExecutor()
    assert go(film, worm, executor=executor).volumes.height == 10
    assert executor.asked == list(range(4, 10))


def test_a_folder_that_cannot_be_written_says_so(go, film, worm, monkeypatch) -> None:
    def refuse(self: Path, *words: object, **more: object) -> None:
        raise PermissionError(errno.EROFS, "Read-only file system", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(DataError, match=r"cannot write into .*Read-only file system"):
        go(film, worm)


def test_a_folder_that_can_no_longer_be_written_says_so(go, film, worm, monkeypatch) -> None:
    go(film, worm)

    def refuse(*words: object, **more: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(worm / ".lock"))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(DataError, match=r"cannot write into .*Permission denied.*Make the folder writable"):
        go(worm)


def test_a_disk_that_fills_up_with_the_tables_keeps_the_old_ones(go, film, worm, monkeypatch) -> None:
    before = read_tables(go(film, worm))
    flush = assembly_module.flush_file

    def fill(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(assembly_module, "flush_file", fill)
    with pytest.raises(DataError, match=r"No space left on device; .*run the same command again"):
        go(film, worm, sets=("recording.rate_hz=10",))
    for name, table in read_tables(open_results(worm)).items():
        assert_frame_equal(table, before[name])
    monkeypatch.setattr(assembly_module, "flush_file", flush)
    executor = FakeExecutor()
    run = go(film, worm, executor=executor, sets=("recording.rate_hz=10",))
    assert executor.asked == []
    assert run.volumes["time_s"][0] == pytest.approx(0.05)


def test_a_part_that_was_cut_off_is_made_again(go, film, worm) -> None:
    go(film, worm)
    part = sorted(worm.glob("parts/*/*/neurons.parquet"))[0]
    part.write_bytes(part.read_bytes()[:-20])
    executor = FakeExecutor()
    run = go(worm, executor=executor)
    assert executor.asked == [0, 1, 2, 3]
    assert run.volumes.height == 10


def test_two_runs_in_one_folder_are_refused(go, film, worm) -> None:
    go(film, worm)
    with hold_lock(worm), pytest.raises(DataError, match="is being written by process"):
        go(worm)


def test_a_lock_that_a_kill_left_empty_is_taken_over(go, film, worm) -> None:
    go(film, worm)
    (worm / ".lock").touch()
    os.utime(worm / ".lock", ns=(1, 1))
    assert go(worm).volumes.height == 10
    (worm / ".lock").touch()
    with pytest.raises(DataError, match="being written"):
        go(worm)


def test_a_folder_of_a_newer_version_is_refused(go, film, worm) -> None:
    go(film, worm)
    root = worm / "run.toml"
    root.write_text(root.read_text(encoding="utf-8").replace("format = 1", "format = 9"), encoding="utf-8")
    with pytest.raises(UnsupportedFormat, match="update it"):
        go(worm)


def test_what_the_user_wrote_stays(go, film, worm) -> None:
    go(film, worm)
    root = worm / "run.toml"
    root.write_text(root.read_text(encoding="utf-8").replace("[subject]", "[subject]\nstrain = 'N2'"), encoding="utf-8")
    run = go(film, worm, sets=("detect.region_score=0.5",))
    assert run.settings["subject"] == {"strain": "N2"}


def test_every_parameter_and_model_is_kept(go, film, worm) -> None:
    kept = go(film, worm, sets=("merge.reach=0.7",)).settings
    assert kept["merge"]["reach"] == 0.7
    assert kept["recording"]["voxel_um"] == [1.5, 0.5, 0.5]
    assert kept["recording"]["shape"] == [10, 2, 3, 8, 8]
    assert len(kept["models"]["detector"]) == 16
    again = go(worm).settings
    assert again["merge"]["reach"] == 0.7, "a run without settings keeps those of the folder"


def test_a_plan_changes_nothing(film, worm) -> None:
    work = settle_work(film, worm, None)
    plan = make_plan(work)
    assert plan.reasons == ("10 volumes: not worked on yet",)
    assert not worm.exists()
    assert len(work.recording) == 10


def test_several_recordings_are_one(go, film, worm, tmp_path) -> None:
    second = save_numbers(tmp_path / "second.h5", 5, seed=2)
    run = go([film, second], worm)
    assert run.volumes["volume"].to_list() == list(range(15))
    assert np.diff(run.volumes["time_s"].to_numpy()) == pytest.approx(0.2)
    assert run.recording().shape[0] == 15
    save_numbers(film, 12)
    with pytest.raises(DataError, match=r"files had \[10, 5\] volumes and have \[12, 5\] now"):
        go(worm)


def test_a_joined_recording_can_have_a_source_that_is_no_path(go, film, worm) -> None:
    joined = replace(open_recording(film), source=" + ".join([str(film)] * 200))
    assert go(joined, worm).volumes.height == 10


def test_recordings_that_differ_do_not_join(go, film, worm, tmp_path) -> None:
    second = save_numbers(tmp_path / "second.h5", 5, (3, 8, 9))
    with pytest.raises(DataError, match="cannot follow"):
        go([film, second], worm)


def test_a_new_run_needs_a_folder(go, film) -> None:
    with pytest.raises(ConfigError, match=r"^a new run needs a folder: give --out WORM"):
        run_recording(film)
    with pytest.raises(ConfigError, match=r"is no run folder: .* --out WORM"):
        run_recording(film.parent)
    with pytest.raises(ConfigError, match=r"is not there; .* --out WORM"):
        run_recording(film.with_name("nobody"))


def name_by_row(volumes, annotated, config, on_step, **more) -> dict[int, Identities]:
    """Every neuron by its place in the list, counted from a number that moves from call to call."""
    return {one.volume: Identities(NUMBERS.first + np.arange(len(one)), np.full(len(one), 0.9)) for one in volumes}


def refuse_to_name(volumes, annotated, config, on_step, **more) -> dict[int, Identities]:
    raise DataError("too few neurons")


@dataclass
class NUMBERS:
    first = 5


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NUMBERS, "first", 5)
    monkeypatch.setattr(recording_pass, "identify_recording", name_by_row)


def test_identities_become_traces(go, film, worm, named) -> None:
    run = go(film, worm)
    assert set(run.neurons["identity"]) == {0, 1, 2}, "a machine's identity gets the lowest free number"
    assert run.traces.height == 30
    assert run.traces["valid"].all()
    green = run.neurons.filter(pl.col("identity") == 1).sort("volume")["green"].to_numpy()
    ratio = run.traces.filter(pl.col("identity") == 1)["ratio"].to_numpy()
    assert np.corrcoef(green, ratio)[0, 1] > 0.9
    assert run.wide.columns == ["volume", "time_s", "0", "1", "2"]
    assert run.wide.height == 10


def test_the_workers_of_a_run_recognize_too(go, film, worm, monkeypatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(recording_pass, "identify_recording", lambda *_, **more: asked.append(more["workers"]) or {})
    go(film, worm, workers=3)
    assert asked == [3]


def test_machine_identities_keep_their_numbers(go, film, worm, named, monkeypatch) -> None:
    before = go(film, worm).neurons
    monkeypatch.setattr(NUMBERS, "first", 100)
    executor = FakeExecutor()
    after = go(film, worm, executor=executor, sets=("recognize.refuse_below=0.1",)).neurons
    assert executor.asked == []
    assert_frame_equal(before, after)


def test_identities_are_not_learnt_again_for_traces(go, film, worm, named, monkeypatch) -> None:
    before = go(film, worm).neurons
    monkeypatch.setattr(recording_pass, "identify_recording", refuse_to_name)
    after = go(film, worm, sets=("activity.smooth_s=2.0",))
    assert_frame_equal(after.neurons, before)
    assert after.settings["activity"]["smooth_s"] == 2.0
    (kept,) = worm.glob("parts/*/identities-*.parquet")
    kept.write_bytes(kept.read_bytes()[:-9])
    monkeypatch.setattr(recording_pass, "identify_recording", name_by_row)
    assert_frame_equal(go(film, worm, sets=("activity.smooth_s=3.0",)).neurons, before)


def test_identities_are_learnt_again_when_there_are_more_neurons(go, film, worm, named) -> None:
    go(film, worm, executor=FakeExecutor(unreadable=frozenset({4})))
    os.utime(film, ns=(1, 1))
    assert set(go(worm).neurons.filter(pl.col("volume") == 4)["identity"]) == {0, 1, 2}


def test_the_users_names_stay_and_are_used(go, film, worm, named) -> None:
    go(film, worm)
    listed = worm / "identities.csv"
    assert listed.read_text(encoding="utf-8").splitlines() == ["identity,name,note", "0,,", "1,,", "2,,"]
    listed.write_text("identity,name,note,mine\n1,AVAL,bright,x\n", encoding="utf-8")
    run = go(film, worm, sets=("activity.bleaching=none",))
    assert listed.read_text(encoding="utf-8").splitlines()[1] == "1,AVAL,bright,x"
    assert run.names == {1: "AVAL"}
    assert run.wide.columns == ["volume", "time_s", "0", "AVAL", "2"]


def test_a_new_recognizer_redoes_identities_only(go, film, worm, named) -> None:
    go(film, worm)
    taught = Weights({"identities": np.arange(3), "named": np.array([3])}, {"kind": "recognizer"})
    save_weights(taught, worm / "models" / "recognizer.safetensors")
    executor = FakeExecutor()
    run = go(worm, executor=executor)
    assert executor.asked == []
    assert run.summary is not None
    assert [text.split(" was ")[0] for text in run.summary.redone] == ["identities and traces: recognizer"]


def test_how_far_to_trust_it_is_kept_and_said_every_time(go, film, worm, named, monkeypatch) -> None:
    assert go(film, worm).summary.trust == "", "three neurons say nothing"
    check = SelfCheck(0.8, 0.9, 0.1)
    monkeypatch.setattr(recording_pass, "check_identities", lambda *_: check)
    go(film, worm, sets=("activity.smooth_s=2.0",))
    assert go(worm).summary.trust == str(check)
    kept = open_folder(worm).load_settings()["trust"]
    assert kept["said"] == str(check)
    assert kept["expected_accuracy"] == pytest.approx(check.expected_accuracy, abs=1e-3)


def test_without_identities_there_are_no_traces_but_all_tables(go, film, worm, monkeypatch) -> None:
    monkeypatch.setattr(recording_pass, "identify_recording", refuse_to_name)
    run = go(film, worm)
    assert run.traces.height == 0
    assert run.neurons.height == 30
    assert run.summary is not None
    assert any("no identities, and so no traces: too few neurons" in line for line in run.summary.advice)
    assert run.summary.mostly_unidentified
    assert suggest_annotation(worm).volumes
    again = go(worm).summary
    assert again is not None
    assert again.redone == ()
    assert again.advice == run.summary.advice, "what is unsure is said every time"
    assert open_folder(worm).load_doubts()[0] in again.advice


def test_names_reach_the_traces_and_two_identities_never_share_one(go, film, worm, named) -> None:
    first = go(film, worm)
    assert not first.summary.mostly_unidentified
    identity = int(first.traces["identity"][0])
    assert str(identity) in first.wide.columns
    listed = worm / "identities.csv"
    listed.write_text(f"identity,name,note\n{identity},AVAL,\n", encoding="utf-8")
    executor = FakeExecutor()
    renamed = go(worm, executor=executor)
    assert executor.asked == []
    assert "AVAL" in renamed.wide.columns
    assert set(renamed.traces.filter(pl.col("identity") == identity)["name"]) == {"AVAL"}
    listed.write_text(f"identity,name,note\n{identity},AVAL,\n{identity + 1},AVAL,\n", encoding="utf-8")
    with pytest.raises(DataError, match="both called 'AVAL'"):
        go(worm)


def test_a_run_without_identities_never_looks_like_a_success(film, worm, monkeypatch) -> None:
    monkeypatch.setattr(executor_module, "build_worker", lambda job, threads: lambda one: make_outcome(one.index))
    again = ["run", str(worm), "--json"]
    for words in (["run", str(film), "--out", str(worm)], ["--quiet", *again], again):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0
        assert "not a result yet: only 0% of the neurons have an identity" in done.stderr
    said = json.loads(done.stdout)
    assert said["identified_share"] == 0
    assert said["mostly_unidentified"]


def test_tables_are_read_once_and_again_where_they_changed(go, film, worm, named) -> None:
    run = go(film, worm)
    for table in ("volumes", "traces", "wide"):
        assert getattr(run, table) is getattr(run, table)
    before = run.wide
    (worm / "identities.csv").write_text("identity,name,note\n1,AVAL,\n", encoding="utf-8")
    go(worm)
    assert "AVAL" not in before.columns
    assert "AVAL" in run.wide.columns


def test_results_can_be_opened_without_computing(go, film, worm) -> None:
    first = go(film, worm)
    assert_alike(first, open_results(worm))
    assert first.load().annotations[3].centre_um.shape == (3, 3)
