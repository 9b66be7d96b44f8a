"""``cender suggest`` names volumes by the rule that the report uses."""

import json
from pathlib import Path

from typer.testing import CliRunner

from cases.recorded import VOXEL, make_outcome
from cender.cli.app import app
from cender.io import create_run, save_outcomes
from cender.report.digest import digest_run
from cender.report.folder import read_folder


def test_it_says_what_the_report_says(tmp_path: Path) -> None:
    run = create_run(tmp_path / "worm", {"recording": {"voxel_um": list(VOXEL)}})
    save_outcomes(run, [make_outcome(volume) for volume in range(6)], VOXEL)
    done = CliRunner().invoke(app, ["suggest", str(run.path), "--json", "--count", "3"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    expected = digest_run(read_folder(run.path), suggestions=3).suggestions
    assert len(expected) == 3
    assert [one["volume"] for one in found["suggestions"]] == [one.volume for one in expected]
    words = CliRunner().invoke(app, ["suggest", str(run.path)]).stdout
    assert f"1. volume {expected[0].volume}: " in words
