"""Runs that are killed at random moments and taken up again, compared with one that nothing disturbed."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cender.io import save_recording
from cender.simulate import SimulateParams, simulate_recording

SEED = 9700
VOLUMES = 24
# Learning identities takes most of such a short run, and twenty runs would take an hour; a little of it is enough here.
SETTINGS = (
    "run.part_volumes=3",
    "train_recognizer.steps=5",
    "train_recognizer.self_steps=5",
    "train_recognizer.self_rounds=1",
    "train_recognizer.warped=5",
)
TABLES = ("volumes", "regions", "neurons", "traces")


def measure_resume(kills: int, on_kill: Callable[[int, int], None] = lambda done, total: None) -> dict[str, Any]:
    """How many of so many killed runs end with the tables of an undisturbed one, row for row."""
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as room:
        film = Path(room) / "film.h5"
        params = SimulateParams(seed=SEED, volumes=VOLUMES, shape=(6, 160, 160), voxel_um=(2.0, 0.8, 0.8))
        save_recording(simulate_recording(params).recording, film)
        start = time.perf_counter()
        whole = Path(room) / "whole"
        _start(film, whole).wait()
        length_s = time.perf_counter() - start
        killed = alike = 0
        for number, moment in enumerate(rng.uniform(0.1, 1.0, kills)):
            folder = Path(room) / str(number)
            process = _start(film, folder)
            time.sleep(moment * length_s)
            killed += process.poll() is None
            process.kill()
            process.wait()
            alike += _start(film, folder).wait() == 0 and compare_tables(folder, whole)
            on_kill(number + 1, kills)
    return {"kills": kills, "killed_at_work": killed, "alike": alike, "volumes": VOLUMES, "seed": SEED}


def compare_tables(one: Path, other: Path) -> bool:
    """Whether two run folders hold the same tables, row for row."""
    return all(
        pl.read_parquet(one / f"{name}.parquet").equals(pl.read_parquet(other / f"{name}.parquet")) for name in TABLES
    )


def _start(film: Path, folder: Path) -> subprocess.Popen[bytes]:
    words = ["run", str(film), "--out", str(folder)]
    words += [word for one in SETTINGS for word in ("--set", one)]
    return subprocess.Popen(  # noqa: S603  (our own command line)
        [sys.executable, "-m", "cender", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
