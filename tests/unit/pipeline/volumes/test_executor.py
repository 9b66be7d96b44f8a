"""Workers: outcomes in order, few volumes in memory, patience with drives."""

import errno
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cases.recorded import make_outcome, save_numbers
from cender.activity import Cameras
from cender.config import load_config
from cender.errors import ConfigError, UnreadableRecording
from cender.io import open_recording
from cender.io.params import RecordingParams
from cender.pipeline.plan.source import Source
from cender.pipeline.volumes import executor as executor_module
from cender.pipeline.volumes import reading as reading_module
from cender.pipeline.volumes.executor import AHEAD, LocalExecutor, choose_executor
from cender.pipeline.volumes.job import VolumeJob
from cender.pipeline.volumes.reading import PatientReader
from cender.types import Outcome, Recording, Volume


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return save_numbers(tmp_path / "film.h5", 12)


def make_job(source: Source, *sets: str) -> VolumeJob:
    return VolumeJob("key", source, load_config(None, sets), Cameras())


def hold(recording: Recording, read: object) -> Source:
    from dataclasses import replace

    return Source((), RecordingParams(), replace(recording, read=read))


@pytest.mark.parametrize("workers", [1, 3])
def test_outcomes_come_in_order_and_few_volumes_are_in_memory(film, monkeypatch, workers: int) -> None:
    recording = open_recording(film)
    lock, alive, most = threading.Lock(), 0, 0

    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        nonlocal alive, most
        with lock:
            alive += 1
            most = max(most, alive)
        return recording.read(volume, channels)

    def work(volume: Volume) -> Outcome:
        nonlocal alive
        time.sleep(0.02 if volume.index % 2 else 0.001)
        with lock:
            alive -= 1
        return make_outcome(volume.index)

    monkeypatch.setattr(executor_module, "build_worker", lambda job, threads: work)
    source = hold(recording, read)
    done = LocalExecutor(workers).process(make_job(source), source.open(), range(12))
    assert [one.outcome.volume for one in done] == list(range(12))
    assert 1 < most <= workers + AHEAD


def test_closing_ends_the_work(film, monkeypatch) -> None:
    worked: list[int] = []

    def work(volume: Volume) -> Outcome:
        worked.append(volume.index)
        return make_outcome(volume.index)

    monkeypatch.setattr(executor_module, "build_worker", lambda job, threads: work)
    source = Source.from_paths([film], RecordingParams())
    results: Iterator = LocalExecutor(1).process(make_job(source), source.open(), range(12))
    assert next(results).outcome.volume == 0
    results.close()
    assert len(worked) <= 2 + AHEAD
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("read", "compute"))]


def test_a_volume_that_fails_once_is_read_again(film) -> None:
    recording = open_recording(film)
    tries: list[int] = []

    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        tries.append(volume)
        if len(tries) == 1:
            raise OSError("interrupted")
        return recording.read(volume, channels)

    found = PatientReader(hold(recording, read), 0.0).read(3)
    assert isinstance(found, Volume)
    assert tries == [3, 3]


def test_a_volume_that_always_fails_says_why(film) -> None:
    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        raise ValueError("crc")

    found = PatientReader(hold(open_recording(film), read), 0.0).read(3)
    assert found == reading_module.Unreadable("damaged", "crc")
    assert found.reason == "the volume cannot be read: crc"


def test_a_drive_that_comes_back_is_waited_for(film, monkeypatch) -> None:
    away = film.with_name("away.h5")
    reader = PatientReader(Source.from_paths([film], RecordingParams()), 30.0)
    before = reader.read(2)
    assert isinstance(before, Volume)

    def fail_once(index: int) -> Volume:
        monkeypatch.undo()
        film.rename(away)
        threading.Timer(0.2, lambda: away.rename(film)).start()
        raise OSError("stale file handle")

    monkeypatch.setattr(PatientReader, "_read", lambda self, index: fail_once(index))
    after = reader.read(2)
    assert isinstance(after, Volume)
    np.testing.assert_array_equal(before.data, after.data)


@pytest.mark.parametrize(("lost", "wait_s", "comes_back"), [(4, 60.0, True), (40, 0.2, False)])
def test_a_drive_that_is_there_by_name_only_is_waited_for_once(film, monkeypatch, lost, wait_s, comes_back) -> None:
    monkeypatch.setattr(reading_module, "_LOOK_S", 0.01)
    monkeypatch.setattr(reading_module, "_AGAIN_S", 0.01)
    recording, tried = open_recording(film), []

    def read(volume: int, channels: tuple[int, ...]) -> np.ndarray:
        tried.append(volume)
        if len(tried) <= lost:
            raise OSError(errno.EIO, "Input/output error")
        return recording.read(volume, channels)

    reader = PatientReader(hold(recording, read), wait_s)
    assert isinstance(reader.read(2), Volume if comes_back else reading_module.Unreadable)
    first = len(tried)
    assert first == (lost + 1 if comes_back else pytest.approx(20, abs=3))
    assert isinstance(reader.read(3), Volume if comes_back else reading_module.Unreadable)
    assert len(tried) - first == (1 if comes_back else 2), "patience is used up until a volume can be read"
    if not comes_back:
        found = reader.read(4)
        assert isinstance(found, reading_module.Unreadable)
        assert found.kind == "away"


def test_waiting_ends_when_the_run_is_stopped(film) -> None:
    reader = PatientReader(Source((str(film) + "-gone",)), 600.0)
    reader.stopping.set()
    with pytest.raises(UnreadableRecording, match="bring it back"):
        reader._await_source(0)


def test_a_defect_in_one_volume_is_an_outcome(film, monkeypatch) -> None:
    from cender.pipeline.volumes import job as job_module

    def break_down(*words: object) -> Outcome:
        raise ZeroDivisionError("nothing to divide by")

    monkeypatch.setattr(job_module, "process_volume", break_down)
    work = job_module.build_worker(make_job(Source.from_paths([film], RecordingParams())))
    outcome = work(open_recording(film).volume(1))
    assert (outcome.status, outcome.volume) == ("failed", 1)
    assert "ZeroDivisionError" in outcome.reason


def test_a_cluster_needs_dask_or_answers(film) -> None:
    cluster = choose_executor(0, "tcp://127.0.0.1:9")
    try:
        import distributed  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match=r"install cender\[distributed\]"):
            list(cluster.process(make_job(Source.from_paths([film], RecordingParams())), open_recording(film), [0]))
    else:
        held = open_recording(film)
        with pytest.raises(ConfigError, match="an open recording"):
            list(cluster.process(make_job(Source((), RecordingParams(), held)), held, [0]))
