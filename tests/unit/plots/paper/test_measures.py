"""Figures of the paper that show measurements: what is drawn is what was given."""

import numpy as np

from cender.plots.paper.measures import draw_box_sizes, draw_speed


def test_speed_has_a_bar_for_what_is_known() -> None:
    figure = draw_speed({"detect": 90.0, "merge": 12.0}, {"detect": 400.0}, "a machine")
    (ax,) = figure.axes
    assert [bar.get_width() for bar in ax.patches if bar.get_width()] == [90, 400, 12]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["detect", "merge"]


def test_box_sizes_are_counted() -> None:
    figure = draw_box_sizes(np.array([7.0, 8, 9]), np.array([6.0, 7, 8]), "three boxes")
    assert any("3 regions, three boxes" in ax.get_title() + ax.get_title(loc="left") for ax in figure.axes)
