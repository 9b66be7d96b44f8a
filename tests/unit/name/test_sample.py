"""Colours read from images."""

import numpy as np

from cender.name.sample import sample_colours


def test_each_channel_is_averaged_around_each_centre() -> None:
    image = np.zeros((2, 8, 40, 40), np.uint16)
    image[0, 3:6, 8:13, 8:13] = 100
    image[1, 3:6, 27:34, 27:34] = 50
    centre = np.array([[4.0, 10.0, 10.0], [4.2, 30.4, 29.6], [4.0, 20.0, 39.0], [90.0, 10.0, 10.0]])
    colour = sample_colours(image, centre, (1.0, 0.5, 0.5))
    assert colour[0, 0] > 60
    assert colour[0, 1] == 0
    assert colour[1, 1] > 40
    assert (colour[2] == 0).all()
    assert np.isnan(colour[3]).all()
