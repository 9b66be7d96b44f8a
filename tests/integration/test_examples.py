"""The examples run as they are, and show what they say they show."""

import ast
import os
import re
import runpy
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

import cender

EXAMPLES = Path(__file__).parents[2] / "examples"
# Less learning than the example asks for; it is not what is under test.
BRIEFLY = ["--set", "train_recognizer.self_steps=6", "--set", "train_recognizer.warped=4"]


def run_example(name: str, folder: Path, *words: str) -> str:
    """What an example prints, in this process; its temporary folders are made in ``folder``."""
    said = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said):
        patch.chdir(folder)
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setattr(sys, "argv", [name, *words])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    return said.getvalue()


def start_example(name: str, folder: Path, *words: str) -> str:
    """The same as a reader does it, in a process of its own, which takes longer."""
    home = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *words],
        cwd=folder,
        env={**os.environ, **home, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def own_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that the first example makes, and what it prints."""
    folder = tmp_path_factory.mktemp("own")
    return folder, run_example("own_data", folder, "--out", "worm", *BRIEFLY)


def test_own_data_ends_in_a_report(own_data: tuple[Path, str]) -> None:
    folder, said = own_data
    assert "10 volumes of 14 x 300 x 300 px" in said
    assert int(re.search(r"(\d+) identities with activity", said)[1]) > 40
    assert "<h1>" in (folder / "worm/report.html").read_text(encoding="utf-8")


def test_own_data_says_what_a_file_leaves_open(own_data: tuple[Path, str], tmp_path: Path) -> None:
    import numpy as np

    np.save(tmp_path / "bare.npy", np.zeros((2, 2, 4, 16, 16), np.uint16))
    with pytest.raises(AssertionError, match=r"add --set recording\.voxel_um"):
        start_example("own_data", tmp_path, "bare.npy", "--out", "worm", "--set", "recording.axes=TCZYX")


def test_behaviour_without_a_clock_is_refused(own_data: tuple[Path, str], tmp_path: Path) -> None:
    (tmp_path / "video.csv").write_text("frame,speed\n0,1.5\n1,1.7\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"expected a column time_s .* found frame, speed"):
        run_example("activity_and_behaviour", tmp_path, str(own_data[0] / "worm"), "--behaviour", "video.csv")


def test_activity_is_compared_with_behaviour(own_data: tuple[Path, str], tmp_path: Path) -> None:
    worm = own_data[0] / "worm"
    wide = pl.read_csv(worm / "traces_wide.csv", infer_schema_length=None)
    counts = {name: wide[name].is_not_null().sum() for name in wide.columns[2:]}
    followed = max(counts, key=lambda name: (counts[name], name))
    # A behaviour at another rate that copies one of the neurons must find that neuron.
    known = wide.select("time_s", pl.col(followed).alias("speed")).drop_nulls()
    known.write_csv(tmp_path / "speed.csv")
    said = run_example("activity_and_behaviour", tmp_path, str(worm), "--behaviour", str(tmp_path / "speed.csv"))
    table = pl.read_csv(worm / "correlation_with_speed.csv")
    found = dict(table.select(pl.col("identity").cast(pl.String), "correlation").iter_rows())
    assert found[followed] == pytest.approx(1)
    assert f"{len(table)} identities; the table is in" in said


def test_turning_of_the_head_is_the_behaviour_where_none_is_given(own_data: tuple[Path, str], tmp_path: Path) -> None:
    worm = own_data[0] / "worm"
    assert "with turning" in start_example("activity_and_behaviour", tmp_path, str(worm))
    assert pl.read_csv(worm / "turning.csv").columns == ["time_s", "turning"]


def test_annotation_improves_identities(tmp_path: Path) -> None:
    said = run_example("annotate_and_improve", tmp_path)
    assert len(re.findall(r"^annotate volume \d+: ", said, re.MULTILINE)) == 3
    assert re.search(r"redone: identities and traces: .*annot", said)
    before, after = (float(figure) for figure in re.findall(r"identity accuracy ([\d.]+)", said))
    assert before > 0.3
    assert after > before


@pytest.mark.slow
def test_behaviour_example_makes_its_own_data(tmp_path: Path) -> None:
    assert "the table is in" in run_example("activity_and_behaviour", tmp_path)


@pytest.mark.parametrize("name", sorted(one.stem for one in EXAMPLES.glob("*.py")))
def test_examples_use_public_names_only(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert not re.findall(r"^\s*(?:from|import) cender\.\S+.*", text, re.MULTILINE)
    used = set(re.findall(r"\bcender\.([A-Za-z_]+)", "".join(ast_names(text))))
    assert used
    assert used <= set(cender.__all__)


def ast_names(text: str) -> list[str]:
    """Every name that is looked up in ``cender``, as ``cender.name``."""
    return [
        f"cender.{node.attr} "
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "cender"
    ]
