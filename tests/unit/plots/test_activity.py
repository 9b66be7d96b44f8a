"""The picture of bleaching shows levels, curve, and why there is no curve."""

import numpy as np
from matplotlib.figure import Figure

from cender.plots.activity import Fading, draw_bleaching, plot_bleaching

TIMES = np.linspace(2, 300, 60)
FIT = np.exp(-TIMES / 400)
FADING = Fading(TIMES, FIT * (1 + 0.02 * np.sin(TIMES)), FIT)


def test_levels_and_curve_are_drawn() -> None:
    ax = plot_bleaching(FADING, Figure().subplots())
    dots, curve = ax.lines
    assert np.array_equal(dots.get_ydata(), FADING.level)
    assert np.array_equal(curve.get_ydata(), FIT)
    assert "47 % left" in [text.get_text() for text in ax.texts]
    assert ax.get_ylim()[0] == 0


def test_what_was_not_corrected_says_why() -> None:
    ax = plot_bleaching(Fading(TIMES, np.ones(60), np.ones(60), "too short"), Figure().subplots())
    assert len(ax.lines) == 1
    assert "too short" in ax.texts[0].get_text()


def test_channels_share_a_scale() -> None:
    nothing = Fading(np.zeros(0), np.zeros(0), np.zeros(0), "the channel was not measured")
    figure = draw_bleaching({"red": FADING, "green": nothing})
    left, right = figure.axes
    assert left.get_ylim() == right.get_ylim()
    assert [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes] == ["red", "green"]
