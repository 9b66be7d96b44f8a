"""The picture of a head shows its outline, crop and axes."""

import numpy as np
from matplotlib.figure import Figure

from cender.plots.head import plot_head
from cender.types import Crop, Head

HEAD = Head(
    Crop(10, 20, 60, 40),
    np.array([[25.0, 15.0], [25.0, 60.0], [55.0, 60.0], [55.0, 15.0]]),
    np.array([40.0, 38.0]),
    np.array([0.0, 1.0]),
    np.array([1.0, 0.0]),
    0.8,
    0.97,
)


def test_outline_crop_and_axes_are_drawn() -> None:
    ax = plot_head(np.random.default_rng(0).integers(0, 9, (3, 80, 90)), HEAD, Figure().subplots())
    assert ax.lines[0].get_xydata().tolist()[:4] == HEAD.outline_yx[:, ::-1].tolist()
    assert (ax.patches[0].get_x(), ax.patches[0].get_width()) == (9.5, 60)
    names = {text.get_text(): text.get_position() for text in ax.texts if text.get_text()}
    assert names["A"][0] > HEAD.origin_yx[1]
    assert names["V"][1] > HEAD.origin_yx[0]
    assert "97" in ax.get_title()


def test_a_volume_without_head_says_so() -> None:
    ax = plot_head(np.zeros((1, 20, 20), np.uint16), None, Figure().subplots())
    assert "no head" in ax.get_title()
    assert not ax.lines
