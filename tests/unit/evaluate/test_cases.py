"""Every named case gives the figures that a person works out by hand."""

from typing import Any

import pytest

from cases.building import Case
from cases.catalogue import CASES
from cender.evaluate import evaluate_recording


def look_up(figures: Any, path: str) -> Any:
    for key in path.split("."):
        figures = figures[key]
    return figures


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_case_gives_its_figures(case: Case) -> None:
    figures = evaluate_recording(case.predicted, case.truth, **case.options).as_json()
    found = {path: look_up(figures, path) for path in case.expected}
    assert found == pytest.approx(dict(case.expected), abs=1e-12)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_truth_against_itself_makes_no_error(case: Case) -> None:
    figures = evaluate_recording(case.truth, case.truth).as_json()
    assert not any(figures["errors"]["detection"].values())
    assert figures["identity"]["accuracy_all"] in (None, 1.0)


def test_cases_are_told_apart_by_name() -> None:
    assert len(CASES) >= 30
    assert all(case.expected and case.story for case in CASES.values())
