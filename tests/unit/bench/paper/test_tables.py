"""The paper's tables with ours beside them: every row says where it comes from, and what is missing is named."""

from dataclasses import replace
from pathlib import Path

import pytest

from cases.recognition import NEAREST, make_truth
from cender.bench.identity.data import make_subject
from cender.bench.identity.measure import Measurement, measure_identity_bench
from cender.bench.paper import tables
from cender.bench.paper.published import FEATURES, TRACKING
from cender.config import Config

MEASURED = measure_identity_bench([make_subject(make_truth(drift=0.2))], NEAREST, 2, "random")


def measure(method: str, split: str = "blocked") -> Measurement:
    return replace(MEASURED, method=method, split=split)


SIMULATED = [measure(method, split) for method in ("default", "paper") for split in ("blocked", "animals")]


def test_tracking_has_published_and_measured_rows() -> None:
    real = [measure("default", "random")]
    table = tables.make_tracking_table(SIMULATED, real)
    assert all(len(row) == len(table.columns) for row in table.rows)
    sources = [row[-1] for row in table.rows]
    assert (sources.count("paper"), sources.count("here")) == (len(TRACKING), 5)
    methods = {row[1] for row in table.rows}
    assert {"CeNDeR", "fDNC", "NeRVE(100)", "3DeeCellTracker, ensemble", "cender, ours"} <= methods
    ours = next(row for row in table.rows if row[-1] == "here")
    assert (ours[2], ours[3]) == ("NeRVE", round(100 * (real[0].average("accuracy") or 0), 2))
    across = [row for row in table.rows if row[-1] == "here" and row[0] == "across"]
    assert [row[4] for row in across] == ["another animal + 1 template"] * 2


def test_speed_adds_recognition_to_the_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = {"stages_ms": {"preprocess": 10.0, "detect": 100.0, "merge": 5.0}, "total_ms": 115.0}
    monkeypatch.setattr(tables, "measure_stages", lambda params: stages)
    table = tables.make_speed_table(Config(), SIMULATED, lambda label: None)
    total = next(row[1] for row in table.rows if str(row[0]).startswith("cender"))
    recognized = SIMULATED[0].average("ms_per_volume") or 0
    assert total == pytest.approx((115 + recognized) / 1e3, abs=1e-3)
    assert {row[2] for row in table.rows} == {"paper", "here"}


def test_detection_rows_are_those_of_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    share = {"precision": 0.9, "recall": 0.8, "f1": 0.847}
    task = {"detection_2d": share, "detection_3d": share, "ms_per_volume": 99.6}
    result = {"tasks": {"default": task, "true boxes, default merging": task}, "split": "unseen"}
    monkeypatch.setattr(tables, "measure_detection", lambda *words: result)
    monkeypatch.setattr(tables, "build_detector", lambda params: None)
    table = tables.make_detection_table(Config(), tables.QUICK, lambda label: None)
    here = [row for row in table.rows if row[-1] == "here"]
    assert [row[0] for row in here] == [
        "regions in frames, default",
        "neurons, default",
        "neurons, true boxes, default merging",
    ]
    assert here[0][2:6] == (90, 80, 84.7, 100)


def test_features_are_blank_until_measured() -> None:
    blank = tables.make_feature_table({})
    assert [row[4:] for row in blank.rows] == [(None, None)] * 4
    table = tables.make_feature_table(dict.fromkeys(FEATURES, SIMULATED[:2]))
    assert all(isinstance(row[4], float) and isinstance(row[5], float) for row in table.rows)
    assert table.rows[0][2:4] == (95.48, 66.70)


def test_what_was_not_run_is_said() -> None:
    def reasons(**given: bool) -> str:
        return " ".join(str(row[0]) for row in tables.list_missing(**given).rows)

    assert "C1, C2 and C3" in reasons(real=True, full=True)
    assert "nerve.npz" not in reasons(real=True, full=True)
    assert "nerve.npz" in reasons(real=False, full=True)
    assert "--full" in reasons(real=True, full=False)


def test_quick_and_full_measure_what_they_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plans = []

    def run_plan(plan, config, cast, on_step=None):
        plans.append(plan)
        return [measure(*step[:2]) for step in plan.steps]

    for name in ("make_speed_table", "make_detection_table"):
        monkeypatch.setattr(tables, name, lambda *words: tables.Table("stub", (), ()))
    monkeypatch.setattr(tables, "run_plan", run_plan)
    monkeypatch.setattr(tables, "open_cast", lambda plan, config: None)
    (tmp_path / "nerve.npz").touch()
    titles = [table.title for table in tables.build_tables(Config(), tmp_path, full=False)]
    assert titles[0].startswith("Tracking")
    assert titles[-1].startswith("What was not run")
    quick = list(plans)
    plans.clear()
    tables.build_tables(Config(), None, full=False)
    assert [plan.points for plan in plans] == ["typical"], "without data no real recording is asked for"
    plans.clear()
    tables.build_tables(Config(), tmp_path, full=True)
    assert sum(plan.trainings for plan in plans) > 3 * sum(plan.trainings for plan in quick)
    assert all(plan.at_most is None for plan in plans)
