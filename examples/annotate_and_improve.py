"""Annotate a few volumes, train on them, run again: how much better do identities get?

    python examples/annotate_and_improve.py practice --out worm1 --annotate 4

`practice` is a folder made by `cender simulate`: a recording and its truth. The truth of a few volumes stands for what
a person would annotate; the rest of it only measures the gain. Without a folder a small recording is simulated.
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
# Learning that is enough to show the way; without these settings it takes longer and is better.
QUICK = [
    "train_recognizer.steps=40",
    "train_recognizer.self_steps=16",
    "train_recognizer.self_rounds=1",
    "train_recognizer.warped=8",
]


def main() -> None:
    """Read the command line, run, annotate, train, run again, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder made by `cender simulate`")
    parser.add_argument("--out", type=Path, help="the run folder to make")
    parser.add_argument("--annotate", type=int, default=3, metavar="N", help="how many volumes to annotate")
    given = parser.parse_args()
    sets: list[str] = []
    if given.folder is None:
        home = Path(tempfile.mkdtemp(prefix="cender-"))
        given.folder, given.out, sets = home / "practice", given.out or home / "worm", QUICK
        params = cender.SimulateParams(seed=1405, **SMALL)
        cender.save_simulation(cender.simulate_recording(params), given.folder)
    config = cender.load_config(sets=sets)
    recording = next(path for path in sorted(given.folder.glob("recording*")) if path.suffix != ".json")
    truth = cender.load_truth(given.folder / "truth")

    # 1. Nothing is annotated yet: neurons are numbered, and numbers follow them as well as they can.
    run = cender.run(str(recording), out=given.out or "worm", config=config)

    # 2. Which volumes to annotate? There is a rule: much in doubt, different postures, spread over time.
    advice = cender.suggest(run.path, given.annotate)
    for one in advice.volumes:
        print(f"annotate volume {one.volume}: {one.reason}; gain about {one.gain:.1%}")
    chosen = [one.volume for one in advice.volumes]
    rest = [volume for volume in truth.annotations if volume not in chosen]
    # Numbers that no person gave are arbitrary, so that they are matched to those of the truth once for the recording.
    before = cender.evaluate_recording(run.load(), truth, volumes=rest, rename=True)

    # 3. Annotate. A person would do it in the browser: cender annotate worm. Here the truth stands for the person.
    for volume in chosen:
        cender.save_annotation(run.path, truth.annotations[volume], author="me")

    # 4. Run again: what was annotated is learnt from, and identities and traces are made anew.
    # (`cender.train_recognizer` learns from several animals at once, or keeps what was learnt for other folders.)
    run = cender.run(run.path)
    print("redone:", "; ".join(run.summary.redone) if run.summary else "nothing")
    after = cender.evaluate_recording(run.load(), truth, volumes=rest, rename=True)

    print(f"volumes without annotation: {len(rest)}")
    for label, result in (("no annotation", before), (f"{len(chosen)} volumes annotated", after)):
        figures = result.as_json()
        print(f"{label}: identity accuracy {figures['identity']['accuracy']:.3f}")
    print(f"the run is in {run.path}; cender.write_report(run.path) makes its page")


if __name__ == "__main__":
    main()
