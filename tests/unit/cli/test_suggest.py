"""``cender suggest`` names volumes by the rule that the report uses."""

import json
from pathlib import Path

from typer.testing import CliRunner

from cases.recorded import VOXEL, make_outcome
from cender.annotate.edits import ReviewVolume
from cender.cli.app import app
from cender.io import EditLog, create_run, save_outcomes
from cender.report.digest import SUGGESTIONS, digest_run
from cender.report.folder import read_folder
from cender.web.desk import Desk
from cender.web.queue import list_queue


def test_it_says_what_the_report_says(tmp_path: Path) -> None:
    run = create_run(tmp_path / "worm", {"recording": {"voxel_um": list(VOXEL)}})
    save_outcomes(run, [make_outcome(volume) for volume in range(6)], VOXEL)
    done = CliRunner().invoke(app, ["suggest", str(run.path), "--json", "--count", str(SUGGESTIONS)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    with EditLog(run.path) as log:
        log.append("ana", ReviewVolume(volume=found["suggestions"][0]["volume"]))
    done = CliRunner().invoke(app, ["suggest", str(run.path), "--json", "--count", str(SUGGESTIONS)])
    later = json.loads(done.stdout)
    assert found["suggestions"][0]["volume"] not in [one["volume"] for one in later["suggestions"]]
    found = later
    advice = digest_run(read_folder(run.path)).advice
    assert advice is not None
    expected = advice.volumes
    assert len({one.volume for one in expected}) == SUGGESTIONS
    assert [one["volume"] for one in found["suggestions"]] == [one.volume for one in expected]
    words = CliRunner().invoke(app, ["suggest", str(run.path)]).stdout
    assert f"1. volume {expected[0].volume}: {expected[0].reason}; gain about" in words
    desk = Desk.open(run.path)
    assert [one["volume"] for one in list_queue(desk)["volumes"]] == [one.volume for one in expected]
    desk.log.close()
