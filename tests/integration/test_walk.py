"""The newcomer's walk of ``docs/walk.md``, step by step: mistakes are answered, and the run ends corrected."""

import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cases.haste import leave_out_figures
from cender.cli import demo
from cender.cli.app import main

PAGE = Path(__file__).parents[2] / "docs/walk.md"
BLOCK = re.compile(
    r"(?:^<!-- (not run|fails|says|stopped): (?P<words>[^\n]+) -->\n)?^```(bash|python)\n(.*?)^```$", re.M | re.S
)
# A corner of what a newcomer would look at, and as little learning as gives identities.
LITTLE = ["self_steps=10", "self_rounds=1", "warped=10", "steps=10"]
SMALLER = {
    "simulate": ["--volumes", "4", "--set", "simulate.shape=[14,240,240]", "--set", "simulate.voxel_um=[2,0.6,0.6]"],
    "run": [word for setting in LITTLE for word in ("--set", f"train_recognizer.{setting}")],
}

# Where the tests run in the background, Ctrl-C is switched off for them; not for this command.
STOPPABLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from cender.cli import main
main()
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A fenced block of the page, and what the comment above it promises."""

    kind: str
    words: str
    language: str
    text: str


def read_steps() -> list[Step]:
    page = PAGE.read_text(encoding="utf-8")
    steps = [Step(match[1] or "", match["words"] or "", match[3], match[4]) for match in BLOCK.finditer(page)]
    assert len(steps) == page.count("\n```") // 2, "every block is a step"
    return steps


def shrink(words: list[str]) -> list[str]:
    return [*words[1:], *SMALLER.get(words[1], [])]


def call(words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """Exit status of a command and what it says, in this process: importing everything anew takes longer."""
    target = Path(words[-1]) if words[-2:-1] == [">"] else None
    monkeypatch.setattr(sys, "argv", ["cender", *shrink(words[:-2] if target else words)])
    with pytest.raises(SystemExit) as ended:
        main()
    out, said = capfd.readouterr()
    if target:
        target.write_text(out, encoding="utf-8")
    return int(ended.value.code or 0), " ".join(f"{out} {said}".split())


def stop(words: list[str], started: Path) -> tuple[int, str]:
    """The same for a command in which Ctrl-C is pressed once ``started`` is there."""
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPABLE, *shrink(words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    while process.poll() is None and not started.exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=600)
    return int(process.returncode), " ".join(said.split())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_the_walk(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "SETTINGS", ["seed=2", "volumes=2", "shape=[6, 96, 80]", "voxel_um=[1.5, 1.2, 1.2]"])
    monkeypatch.setattr(demo, "LEARNING", ["recognize.method=paper"])
    # Drawing takes longest, and is tested with the demo itself.
    for drawing in ("report", "draw_pictures"):
        monkeypatch.setattr(demo, drawing, lambda tour: None)
    leave_out_figures(monkeypatch)
    monkeypatch.setattr("cender.cli.interrupts.Interrupts.install", lambda self: None)
    names: Mapping[str, Any] = {}
    for number, step in enumerate(read_steps()):
        if step.kind == "not run":
            continue
        if step.language == "python":
            file = tmp_path / f"step_{number}.py"
            file.write_text(step.text, encoding="utf-8")
            names = {k: v for k, v in runpy.run_path(str(file), dict(names)).items() if not k.startswith("__")}
            continue
        words = shlex.split(step.text)
        status, said = stop(words, Path("mine/run.toml")) if step.kind == "stopped" else call(words, capfd, monkeypatch)
        assert status == {"": 0, "says": 0, "fails": 2, "stopped": 130}[step.kind], f"{step.text}{said}"
        assert step.words in said, said
    human = pl.read_parquet("mine/neurons.parquet").filter(pl.col("source") == "human")
    swap = names["swap"]
    found = dict(zip(human["identity"], human.select("z_um", "y_um", "x_um").rows(), strict=True))
    # Each sits where the other was.
    assert found == {swap.first: swap.second_spots[0].place_um, swap.second: swap.first_spots[0].place_um}
    assert (human["probability"] == 1).all()
    assert "<h1>" in Path("mine/report.html").read_text(encoding="utf-8")
    assert Path("first-look/run/traces.parquet").is_file()


def test_each_stretch_of_the_walk_is_there() -> None:
    kinds = [step.kind for step in read_steps()]
    assert {kind: kinds.count(kind) for kind in ("not run", "fails", "says", "stopped")} == {
        "not run": 1,
        "fails": 2,
        "says": 3,
        "stopped": 1,
    }
