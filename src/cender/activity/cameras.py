"""What is the same in all volumes of a recording: how its two cameras see."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cender.activity.camera_pattern import CameraPattern, PatternGauge
from cender.activity.channel_map import ChannelMap, estimate_channel_map
from cender.activity.params import ActivityParams
from cender.types import Stack

FEWEST, MOST, ONE_IN = 12, 24, 2
"""Volumes of a recording that are looked at: one in two, within these bounds. Each takes half a second of one core."""


@dataclass(frozen=True, slots=True)
class Cameras:
    """Where green lies against red, and the fixed pattern of both cameras; by default they agree and have none."""

    channel_map: ChannelMap = field(default_factory=ChannelMap.unmoved)
    pattern: CameraPattern = field(default_factory=CameraPattern)


def sample_rows(volumes: int) -> list[int]:
    """Which of so many volumes to look at, evenly spread."""
    wanted = min(volumes, max(FEWEST, min(MOST, volumes // ONE_IN)))
    return sorted({int(row) for row in np.linspace(0, volumes - 1, wanted)})


def estimate_cameras(stacks: Iterable[Stack], params: ActivityParams) -> Cameras:
    """Channel map and camera pattern from the volumes of `sample_rows`; one is needed at a time."""
    gauge = PatternGauge()

    def show() -> Iterator[Stack]:
        for stack in stacks:
            gauge.add(stack)
            yield stack

    shown = show()
    channel_map = estimate_channel_map(shown, params)
    # A map that was given needs no volume, but the pattern does.
    for _ in shown:
        pass
    return Cameras(channel_map, gauge.finish())
