"""Activity next to behaviour: two clocks brought together on `time_s`, then which neurons go with the behaviour.

    python examples/activity_and_behaviour.py worm1 --behaviour behaviour.csv

`worm1` is a run folder. The behaviour is a CSV file with a column `time_s`, on the clock of the recording, and one more
column, at any rate. Without a file the turning of the head is taken, from the axes that the run found; without a run
folder a small recording is simulated and run first.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import cender

# A recording as small as can be, so that this takes a minute.
SMALL: dict[str, Any] = {
    "volumes": 10,
    "shape": (14, 300, 300),
    "voxel_um": (2.0, 0.5, 0.5),
    "anatomy": {"neurons": (100, 110)},
}
# Learning that is enough for it; without these settings a run takes longer and is better.
QUICK = ["train_recognizer.self_steps=30", "train_recognizer.self_rounds=1", "train_recognizer.warped=20"]
SHIFTS = 200
LEAST_VALID = 0.5


def main() -> None:
    """Read the command line, align, correlate, write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worm", nargs="?", type=Path, help="a run folder")
    parser.add_argument("--behaviour", type=Path, help="CSV with time_s and one more column")
    given = parser.parse_args()
    run = cender.open_run(given.worm) if given.worm else run_small(Path(tempfile.mkdtemp(prefix="cender-")))
    if given.behaviour is None:
        given.behaviour = save_turning(run)

    # Traces in the wide form: one row per volume, one column per identity; empty where the ratio is not valid.
    wide = run.wide.sort("time_s")
    behaviour, name = load_behaviour(given.behaviour)

    # The nearest sample of the behaviour within half a volume; a gap in the video stays a gap.
    half = float(np.median(np.diff(wide["time_s"].to_numpy()))) / 2
    both = wide.join_asof(behaviour, on="time_s", strategy="nearest", tolerance=half)
    signal = both[name].to_numpy().astype(float)
    print(f"{len(both)} volumes, {np.isfinite(signal).sum()} of them with {name}")

    rows = []
    for identity in [column for column in wide.columns if column not in ("volume", "time_s")]:
        ratio = both[identity].cast(pl.Float64).to_numpy().astype(float)
        if np.isfinite(ratio).mean() >= LEAST_VALID:
            rows.append((identity, correlate(ratio, signal), chance(ratio, signal)))
    table = pl.DataFrame(rows, schema=["identity", "correlation", "p_value"], orient="row")
    table = table.sort("p_value", "identity")
    out = run.path / f"correlation_with_{name}.csv"
    table.write_csv(out)
    print(table.head(5))
    print(f"{len(table)} identities; the table is in {out}")


def load_behaviour(path: Path) -> tuple[pl.DataFrame, str]:
    """The behaviour in the order of time, and the name of its column."""
    table = pl.read_csv(path)
    others = [column for column in table.columns if column != "time_s"]
    if "time_s" not in table.columns or not others:
        sys.exit(
            f"{path}: expected a column time_s (seconds on the clock of the recording) and one more, found "
            f"{', '.join(table.columns)}; if it counts frames, add time_s = frame / frames per second"
        )
    return table.select("time_s", others[0]).drop_nulls().sort("time_s"), others[0]


def correlate(first: np.ndarray, second: np.ndarray) -> float:
    """Correlation over the samples that both have; 0 where there are too few, or nothing changes."""
    use = np.isfinite(first) & np.isfinite(second)
    if use.sum() < 5 or np.ptp(first[use]) == 0 or np.ptp(second[use]) == 0:
        return 0.0
    return float(np.corrcoef(first[use], second[use])[0, 1])


def chance(ratio: np.ndarray, signal: np.ndarray) -> float:
    """How often the correlation is as large when the behaviour is shifted in time.

    Shifting keeps the rhythm of both: activity and behaviour are slow, and two slow signals correlate easily.
    """
    length = len(signal)
    shifts = np.unique(np.linspace(length // 10 + 1, length - length // 10 - 1, SHIFTS).astype(int))
    shifted = [abs(correlate(ratio, np.roll(signal, shift))) for shift in shifts]
    return (1 + sum(value >= abs(correlate(ratio, signal)) for value in shifted)) / (1 + len(shifted))


def save_turning(run: cender.Run) -> Path:
    """How fast the head turns, in radians per second, from the axes of the volumes that are ok, as a behaviour file."""
    ok = run.volumes.filter(pl.col("status") == "ok").drop_nulls(["anterior_y", "time_s"]).sort("time_s")
    angle = np.unwrap(np.arctan2(ok["anterior_y"].to_numpy(), ok["anterior_x"].to_numpy()))
    time_s = ok["time_s"].to_numpy()
    path = run.path / "turning.csv"
    pl.DataFrame({"time_s": time_s, "turning": np.gradient(angle, time_s)}).write_csv(path)
    return path


def run_small(folder: Path) -> cender.Run:
    """A small simulated recording, run from end to end."""
    params = cender.SimulateParams(seed=1402, **SMALL)
    saved = cender.save_simulation(cender.simulate_recording(params), folder / "practice")
    config = cender.load_config(sets=QUICK)
    return cender.run(str(saved.recordings[0]), out=folder / "worm", config=config)


if __name__ == "__main__":
    main()
