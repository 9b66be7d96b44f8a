"""Channels of real heads that show different neurons are brought together all the same."""

from pathlib import Path

import numpy as np
import pytest

from cender.activity import ActivityParams, estimate_channel_map
from cender.types import Stack, VoxelSize

pytestmark = pytest.mark.real


@pytest.mark.parametrize("head", [2, 3])
@pytest.mark.parametrize("channel", ["b", "c", "mn"])
def test_a_shift_of_real_channels_is_found(head: int, channel: str, real_data: Path) -> None:
    with np.load(real_data / f"neuropal_head_{head}.npz") as stored:
        red, other = stored["volume"], stored[channel]
    shift = (5, -8)
    plain, moved = (
        estimate_channel_map([Stack(red, VoxelSize(1.0, 0.235, 0.235), red, green)], ActivityParams())
        for green in (other, np.roll(other, shift, axis=(1, 2)))
    )
    points = np.array([[100.0, 100.0], [300.0, 200.0], [200.0, 450.0]])
    assert plain.trusted
    assert moved.trusted
    assert plain.move_points(points) == pytest.approx(points, abs=6), "the channels of one camera nearly agree"
    assert moved.move_points(points) - plain.move_points(points) == pytest.approx(np.tile(shift, (3, 1)), abs=0.3)
