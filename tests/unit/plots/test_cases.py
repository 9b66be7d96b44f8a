"""Every case of the docs can be drawn, and is."""

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from cases.building import Case
from cases.catalogue import CASES
from cender.plots.cases import draw_case, plot_sides
from cender.plots.evaluation import draw_evaluation

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_docs_show_the_case(case: Case) -> None:
    page = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    file = "figures/cases/" + re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-") + ".png"
    assert f"]({file})" in page
    assert case.story in page
    assert (DOCS / file).stat().st_size < 100_000


def test_boxes_of_both_sides_are_drawn_once_per_view() -> None:
    case = CASES["false neuron"]
    sides = case.truth.annotations[0], case.predicted.annotations[0]
    ax = Figure().subplots()
    assert len(plot_sides(*sides, ax, "yx").patches) == 2 + 3
    assert len(plot_sides(*sides, Figure().subplots(), "zx").patches) == 3 * (2 + 3)
    assert {text.get_text() for text in ax.texts} == {"0", "1"}


def test_volumes_without_prediction_say_so() -> None:
    case = CASES["volume not processed"]
    titles = [ax.get_title() for ax in draw_case(case.truth, case.predicted).axes]
    assert "volume 1, not processed" in titles


def test_evaluation_draws_a_bar_a_kind() -> None:
    figure = draw_evaluation({"missed": 3, "false": 1}, {"right": 9, "wrong": 2}, {"depth": [("0 to 1", 0.5, 10)]})
    assert [len(ax.patches) for ax in figure.axes] == [2, 2, 1]
    assert [patch.get_height() for patch in figure.axes[0].patches] == [3, 1]


def test_no_errors_are_drawn_on_an_axis_from_zero() -> None:
    ax = draw_evaluation({"missed": 0, "false": 0}, {"right": 0}, {}).axes[0]
    assert ax.get_ylim()[0] == 0
