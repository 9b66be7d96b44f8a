"""Why a volume deserves a look: typed reasons, and the same in words."""

from collections.abc import Mapping

import numpy as np

from cender.types import Flag, Head
from cender.types.doubt import FEW_SHARE

FEWEST_VOLUMES = 3
"""Of fewer volumes nothing can be said about what is usual."""
FEWEST_NEURONS = 10
"""Neurons below which a volume of so short a recording is flagged: too few to tell each other apart by their places."""


def find_flags(head: Head, flag_below: float) -> tuple[Flag, ...]:
    """The reasons to look at a volume by itself, none where it is ok."""
    found: list[Flag] = list(head.doubts)
    if head.quality < flag_below:
        found.append("unsure axes")
    return tuple(found)


def find_few(counts: Mapping[int, int]) -> dict[int, str]:
    """Volumes with few neurons for their recording, each with the reason in words.

    ``counts`` are the neurons found, by volume, 0 where all that was found is doubted. A recording in which only some
    neurons are labelled has few in every volume, and none of them is flagged; where there are only one or two volumes,
    fewer than ten neurons are.
    """
    none = {volume: "nothing that was found is likely to be a neuron" for volume, count in counts.items() if not count}
    seen = [count for count in counts.values() if count]
    if len(seen) < FEWEST_VOLUMES:
        return none | {
            volume: f"only a few neurons are in view ({count} found, a head has more than a hundred)"
            for volume, count in counts.items()
            if 0 < count < FEWEST_NEURONS
        }
    usual = float(np.median(seen))
    return none | {
        volume: f"only a few neurons are in view ({count} found, usually {usual:.0f} in this recording)"
        for volume, count in counts.items()
        if 0 < count < FEW_SHARE * usual
    }


def say_flag(flag: Flag, head: Head) -> str:
    """A reason in words."""
    said: dict[Flag, str] = {
        "two animals": "two animals are in view; the neurons are those of one of them",
        "part of a head": "only a part of the head is in view: it reaches beyond the edge of the frame",
        "unsure axes": f"the head's place or axes are unsure (quality {head.quality:.2f})",
    }
    return said[flag]
