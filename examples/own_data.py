"""Your own recording: open it, check what was read, run it, and write the report.

    python examples/own_data.py worm.tif --out worm1

Without a recording a small one is simulated. What a file does not say (voxel size, rate, which channel is red) is
printed with the setting that gives it; give it with --set, as on the command line:

    python examples/own_data.py worm.tif --out worm1 --set recording.rate_hz=5
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

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


def main() -> None:
    """Read the command line and go through the four steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", nargs="?", help="a recording of any format that `cender info` reads")
    parser.add_argument("--out", type=Path, help="the run folder to make")
    parser.add_argument("--set", dest="sets", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    if given.recording is None:
        folder = Path(tempfile.mkdtemp(prefix="cender-"))
        given.recording, given.sets = simulate_small(folder / "practice"), [*QUICK, *given.sets]
        given.out = given.out or folder / "worm"
    config = cender.load_config(sets=given.sets)

    # 1. Open: this reads a few bytes, whatever the size of the file.
    recording = cender.open(given.recording, config.recording)
    volumes, channels, frames, rows, columns = recording.shape
    print(f"{recording.source}: {volumes} volumes of {frames} x {rows} x {columns} px, {channels} channels")
    print(f"voxel {recording.voxel_um}, {recording.rate_hz} volumes per second, channels {recording.roles}")

    # 2. Check: what is missing has to be said before anything can be computed.
    for missing in recording.missing:
        print(f"the file does not say its {missing.what}: add --set {missing.setting}")
    for warning in recording.warnings:
        print("careful:", warning)
    recording.require("axes", "voxel size", "channel roles")

    # 3. Run: head, neurons, identities and activity of every volume. An interrupted run goes on when called again.
    run = cender.run(given.recording, out=given.out or "worm", config=config)
    print(run.summary)
    valid = run.traces.filter(run.traces["valid"])
    print(f"{valid['identity'].n_unique()} identities with activity, {len(valid)} values")
    print(run.wide.head(3))

    # 4. Report: a page to look at before anything is believed.
    print("look at", cender.write_report(run.path))


def simulate_small(folder: Path) -> str:
    """A small recording with all that a file should say, as anybody's file on disk."""
    params = cender.SimulateParams(seed=1400, **SMALL)
    return str(cender.save_simulation(cender.simulate_recording(params), folder).recordings[0])


if __name__ == "__main__":
    main()
