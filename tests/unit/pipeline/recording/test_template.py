"""A template is the recognizer of another animal's folder; one that cannot name neurons is refused with a reason."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.cli.app import app
from cender.config import Config
from cender.errors import DataError
from cender.io.weights import save_weights
from cender.pipeline.recording.recognizer import KIND, find_taught
from cender.pipeline.recording.template import choose_template
from cender.types import Weights


def make_folder(folder: Path, identities: int, kind: str = "paper recognizer") -> Path:
    (folder / "models").mkdir(parents=True)
    known = list(range(5, 5 + identities))
    arrays = {"identities": np.array(known), "named": np.array([identities])}
    about = {"annotated": "1" if identities else "0"}
    metadata = {"kind": kind, "identities": json.dumps(known), "about": json.dumps(about)}
    save_weights(Weights(arrays, metadata), folder / "models" / "recognizer.safetensors")
    return folder


@pytest.mark.parametrize("kind", ["paper recognizer", KIND])
def test_the_numbers_of_the_template_stay(tmp_path: Path, kind: str) -> None:
    chosen = choose_template(make_folder(tmp_path / "worm", 30, kind), Config())
    assert find_taught(chosen) == frozenset(range(5, 35))
    assert find_taught(Config()) == frozenset()


def test_templates_that_know_too_little_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        choose_template(tmp_path / "none", Config())
    (tmp_path / "bare").mkdir()
    with pytest.raises(DataError, match="train recognizer"):
        choose_template(tmp_path / "bare", Config())
    with pytest.raises(DataError, match="at least 20 neurons with identities, found 10"):
        choose_template(make_folder(tmp_path / "ten", 10), Config())
    with pytest.raises(DataError, match="began without annotation"):
        choose_template(make_folder(tmp_path / "zero", 0, KIND), Config())


def test_the_command_line_refuses_before_it_reads(tmp_path: Path) -> None:
    words = [
        "run",
        str(tmp_path / "recording.npy"),
        "--out",
        str(tmp_path / "out"),
        "--template",
        str(tmp_path / "none"),
    ]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, DataError)
    assert not (tmp_path / "out").exists()
