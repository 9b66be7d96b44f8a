"""Colour features: the same whatever gain, offset and exposure a microscope has."""

import numpy as np

from cender.name.colours import FEATURES, describe_colours


def test_gain_and_offset_of_a_channel_do_not_matter() -> None:
    colour = np.random.default_rng(0).uniform(10, 1000, (40, 4))
    other = colour * [3.0, 0.5, 1, 7] + [100, 0, 20, 5]
    assert not np.allclose(colour, other)
    assert np.allclose(describe_colours(colour), describe_colours(other), atol=1e-6)


def test_missing_channels_leave_zeros_and_are_said() -> None:
    colour = np.random.default_rng(0).uniform(10, 1000, (40, 4))
    colour[:, 3] = np.nan
    features = describe_colours(colour)
    assert features.shape == (40, FEATURES)
    assert (features[:, [3, 7, 11, 12, 13, 15]] == 0).all()
    assert (features[:, -2] == 1).all()
    assert (describe_colours(np.zeros((40, 0))) == 0).all()
    assert (describe_colours(np.full((40, 4), np.nan)) == 0).all()
    assert np.isfinite(features).all()
