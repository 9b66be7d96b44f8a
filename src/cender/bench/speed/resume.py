"""Runs that are killed at random moments and taken up again, compared with one that nothing disturbed."""

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cender.config import load_config
from cender.io import save_recording
from cender.pipeline.run import run_recording
from cender.simulate import SimulateParams, simulate_recording

SEED = 9700
"""Seed of the simulated recording and of the moments at which runs are killed."""
VOLUMES = 24
"""Volumes of the recording whose run is killed and resumed."""
# Learning identities takes most of such a short run; a little of it is enough to be killed in.
SETTINGS = (
    "run.part_volumes=3",
    "train_recognizer.steps=5",
    "train_recognizer.self_steps=5",
    "train_recognizer.self_rounds=1",
    "train_recognizer.warped=5",
)
TABLES = ("volumes", "regions", "neurons", "traces")
"""Tables that must be the same after a kill as without one."""
PHASES = ("working on volumes", "learning identities", "making and placing tables")
"""What a run is doing when it is killed."""


def measure_resume(kills: int, on_kill: Callable[[int, int], None] = lambda done, total: None) -> dict[str, Any]:
    """How many of so many killed runs end with the tables of an undisturbed one, row for row.

    The kills fall in turn into the first pass, into the learning of identities and into the making and placing of
    tables, at random moments of each; ``in_phase`` counts those that met a living process.
    """
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as room:
        film = Path(room) / "film.h5"
        params = SimulateParams(seed=SEED, volumes=VOLUMES, shape=(6, 160, 160), voxel_um=(2.0, 0.8, 0.8))
        save_recording(simulate_recording(params).recording, film)
        whole = Path(room) / "whole"
        steps, last_s = _watch(film, whole)
        in_phase = dict.fromkeys(PHASES, 0)
        alike = 0
        for number in range(kills):
            phase = number % len(PHASES)
            event, delay_s = _choose_moment(rng, phase, steps, last_s)
            folder = Path(room) / str(number)
            in_phase[PHASES[phase]] += _kill_after(film, folder, event, delay_s)
            alike += _finish(film, folder) and compare_tables(folder, whole)
            on_kill(number + 1, kills)
    return {
        "kills": kills,
        "killed_at_work": sum(in_phase.values()),
        "in_phase": in_phase,
        "alike": alike,
        "volumes": VOLUMES,
        "seed": SEED,
    }


def compare_tables(one: Path, other: Path) -> bool:
    """Whether two run folders hold the same tables, row for row."""
    return all(
        pl.read_parquet(one / f"{name}.parquet").equals(pl.read_parquet(other / f"{name}.parquet")) for name in TABLES
    )


def _choose_moment(rng: np.random.Generator, phase: int, steps: int, last_s: float) -> tuple[int, float]:
    """After which report of the run to kill it, and how much later."""
    if phase == 0:
        return int(rng.integers(0, VOLUMES)), float(rng.uniform(0, 0.1))
    if phase == 1:
        return VOLUMES + int(rng.integers(0, steps - 1)), float(rng.uniform(0, 0.1))
    return VOLUMES + steps - 1, float(rng.uniform(0, last_s))


def _watch(film: Path, folder: Path) -> tuple[int, float]:
    """Run undisturbed: how many reports the second pass gave, and how long the run went on after the last of them."""
    process, told = _start(film, folder)
    reports, last = 0, 0.0
    while _wait(told):
        reports, last = reports + 1, time.perf_counter()
    process.join()
    if process.exitcode != 0:
        raise RuntimeError(f"the undisturbed run ended with status {process.exitcode}")
    return reports - VOLUMES - 1, time.perf_counter() - last


def _kill_after(film: Path, folder: Path, event: int, delay_s: float) -> bool:
    """Kill a run some time after one of its reports; whether it was still at work."""
    process, told = _start(film, folder)
    for _ in range(event + 1):
        _wait(told)
    time.sleep(delay_s)
    working = process.is_alive()
    process.kill()
    process.join()
    return working


def _finish(film: Path, folder: Path) -> bool:
    process, told = _start(film, folder)
    while _wait(told):
        pass
    process.join()
    return process.exitcode == 0


def _wait(told: Connection) -> bool:
    """Whether another report came."""
    try:
        told.recv()
    except EOFError:
        return False
    return True


def _start(film: Path, folder: Path) -> tuple[BaseProcess, Connection]:
    # A server that has loaded everything already starts a run at once, so that it is the run that gets killed.
    context: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    if sys.platform != "win32":
        context.set_forkserver_preload([__name__])
    told, teller = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(film, folder, teller))
    process.start()
    teller.close()
    return process, told


def _run(film: Path, folder: Path, teller: Connection) -> None:
    teller.send("ready")
    run_recording(film, folder, load_config(None, SETTINGS), on_progress=lambda progress: teller.send(progress.stage))
