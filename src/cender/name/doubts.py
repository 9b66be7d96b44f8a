"""Sentences about what is doubtful in the names of an animal."""

from itertools import permutations

import numpy as np
from jaxtyping import Float

from cender.name.assign import assign_cells
from cender.name.atlas import Atlas
from cender.name.colours import describe_colours
from cender.name.naming import Score, Sight, measure_fit, score_places
from cender.name.pose import compare_length
from cender.types import Cells

SIDE_SURE = 0.95
"""Probability of an animal's side below which it is said to be in doubt."""
CHANNEL_NAMES = ("first", "second", "third")
PART = 0.6
"""Share of the usual length of a head below which its place is in doubt."""
CLEARLY = 0.3
"""Gain in the mean score of the names from which on another order of the channels is believed."""


def doubt_fit(fit: float, usual: float) -> list[str]:
    """A sentence where an animal looks less like the atlas than held-back animals did."""
    if fit >= usual:
        return []
    return [
        f"the animal fits the atlas badly ({fit:.1f}, usually above {usual:.1f}): "
        "is it the head of one hermaphrodite, with the right voxel size?"
    ]


def doubt_length(position_um: Float[np.ndarray, "n 3"], atlas: Atlas) -> list[str]:
    """A sentence where so little of a head is in view that it may have been laid on another part of the atlas."""
    length, usual = compare_length(position_um, atlas)
    if length >= PART * usual:
        return []
    return [
        f"the neurons span {length:.0f} µm along the body, those of a head usually {usual:.0f} µm: of so small a part "
        "all names may be wrong; is the voxel size right? A few names in identities.csv tell where it lies"
    ]


def doubt_side(probability: float) -> list[str]:
    """A sentence where left and right may be exchanged."""
    if probability >= SIDE_SURE:
        return []
    return [
        f"left and right are uncertain (probability {probability:.2f}); "
        "set name.handedness, or name one neuron of a pair in identities.csv"
    ]


def doubt_handedness(told: bool | None, shown: bool) -> list[str]:
    """A sentence where names of people contradict the handedness that was given."""
    if told is None or told == shown:
        return []
    words = ("as it is", "as a mirror image")
    return [
        f"names of people show the animal {words[shown]}, name.handedness says {words[told]}: the names were followed; "
        "are left and right exchanged in all of them?"
    ]


def doubt_colours(cells: Cells, sight: Sight, score: Score, atlas: Atlas) -> list[str]:
    """A sentence where there are no colours, or where the animal is named better with its channels in another order."""
    if not sight.coloured:
        return ["no colours: names come from places alone"]
    fits = {}
    for order in permutations(range(min(3, cells.colour.shape[1]))):
        looks = describe_colours(cells.colour[:, [*order, *range(len(order), cells.colour.shape[1])]])
        total = score_places(sight.place, looks, score, atlas)
        fits[order] = measure_fit(total, assign_cells(total))
    best = max(fits, key=lambda order: fits[order])
    if fits[best] - fits[tuple(sorted(best))] < CLEARLY:
        return []
    words = ", ".join(CHANNEL_NAMES[channel] for channel in best)
    return [f"the colour channels seem to be in another order: {words} would fit better"]
