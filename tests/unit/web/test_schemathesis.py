"""Schemathesis goes over the OpenAPI description of the server and finds no answer that is a defect (5xx)."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cases.learning import learn_at_once

LONGEST_S = 120


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["coverage", "fuzzing"])
def test_schemathesis_finds_no_defect(
    web_run: Path, tmp_path: Path, serve: Callable[..., Any], phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cender.web.learning._learn", learn_at_once)
    folder = tmp_path / "worm"
    shutil.copytree(web_run, folder)
    client = serve(folder)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{client.port}/api/openapi.json"]
    command += ["--checks", "not_a_server_error", "--phases", phase]
    command += ["--max-examples", "25", "--seed", "1", "--max-time", str(LONGEST_S), "--no-color"]
    command += ["--suppress-health-check", "all", "--generation-database", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * LONGEST_S, check=False, cwd=tmp_path)
    assert "Operations" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout[-4000:]
    assert client.get("/api/run")["name"] == "worm", "it still answers"
