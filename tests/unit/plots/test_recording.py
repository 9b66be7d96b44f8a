"""The picture of ``cender info``."""

import numpy as np

from cender.plots.recording import plot_projection
from cender.plots.style import start_figure
from cender.types import Volume


def test_neurons_with_a_tenth_of_the_light_can_be_seen() -> None:
    image = np.random.default_rng(0).normal(100, 3, (5, 80, 80))
    image[2, 20:26, 20:26] = 1100
    image[3, 60:64, 60:64] = 200
    ax = start_figure(3, 3).subplots()
    plot_projection(Volume(0, 0.0, image[None], None, ("red",)), 0, ax)
    shown = np.asarray(ax.images[0].norm(image.max(axis=0)))
    assert shown[22, 22] == 1
    assert shown[62, 62] > 0.25, "of ten times less light, more than a quarter of the brightness"
    assert np.median(shown) < 0.1, "the background stays dark"
