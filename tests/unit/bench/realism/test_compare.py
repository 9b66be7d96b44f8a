"""Simulated recordings beside real ones."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cender.cli.app import app
from cender.errors import CenderError


def run(*words: str) -> str:
    """What a benchmark prints; its own errors are raised."""
    result = CliRunner().invoke(app, ["bench", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_comparison_needs_real_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CENDER_DATA", raising=False)
    with pytest.raises(CenderError, match="--data or CENDER_DATA"):
        run("simulator")
    with pytest.raises(CenderError, match=r"camera_frames_raw\.npz"):
        run("simulator", "--data", str(tmp_path))


@pytest.mark.real
@pytest.mark.slow
def test_simulated_recordings_are_like_real_ones(real_data: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    printed = run("simulator", "--data", str(real_data), "--picture", str(picture), "--json")
    assert picture.read_bytes().startswith(b"\x89PNG")
    rows = {(row["source"], row["figure"]): row for row in json.loads(printed)["comparisons"]}
    for source, figure, apart in [
        ("camera frames", "offset", 0.02),
        ("camera frames", "temporal noise", 0.15),
        ("camera frames", "pattern of columns", 0.3),
        ("camera frames", "width of spots", 0.3),
        ("WormND, 7 labs", "nearest neighbour, median", 0.2),
        ("NeRVE, one moving worm", "displacement", 0.4),
    ]:
        row = rows[source, figure]
        (low, high), (first, last) = row["real"], row["simulated"]
        assert low * (1 - apart) <= np.mean([first, last]) <= high * (1 + apart), (source, figure, row)
