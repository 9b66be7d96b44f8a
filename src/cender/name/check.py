"""Names of people that look wrong, with the reason."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from cender.name.colours import describe_colours
from cender.name.model import Naming, NamingModel, give_names, read_fixed
from cender.name.naming import ANCHORS, find_pose, score_places
from cender.types import Cells

LIKELY, UNLIKELY = 0.5, 0.2
"""Another name must have this probability, and the name given no more than that, before it is doubted."""


def check_names(cells: Cells, model: NamingModel) -> list[tuple[int, str, float, str]]:
    """Names of people that look wrong: row, what the model would say, its probability, and the reason.

    Each name is judged by a model that does not know any of them, in the pose that all of them give.
    """
    fixed, _ = read_fixed(cells, model.atlas)
    if len(fixed) < ANCHORS:
        return []
    looks = describe_colours(cells.colour)
    ways = [find_pose(cells.position_um, looks, model.score, model.atlas, side, fixed) for side in (False, True)]
    residual = [
        np.median(np.linalg.norm(sight.place[list(fixed)] - model.atlas.mean[list(fixed.values())], axis=1))
        for sight in ways
    ]
    sight = ways[int(np.argmin(residual))]
    naming = give_names(replace(sight, score=score_places(sight.place, looks, model.score, model.atlas)), model)
    found = []
    for row, name in fixed.items():
        other = int(naming.given[row])
        chance = float(naming.probability[row])
        if other in (-1, name) or chance < LIKELY or np.exp(naming.posterior[row, name]) > UNLIKELY:
            continue
        found.append((row, model.atlas.names[other], chance, _explain(row, other, name, fixed, naming)))
    return sorted(found, key=lambda one: -one[2])


def _explain(row: int, other: int, name: int, fixed: Mapping[int, int], naming: Naming) -> str:
    partner = next((at for at, given in fixed.items() if given == other), None)
    if partner is None:
        return f"looks like {naming.names[other]}, which no neuron is called"
    if naming.given[partner] == name:
        both = (naming.names[name], naming.names[other])
        what = "left and right seem" if both[0][:-1] == both[1][:-1] else "the two names seem"
        return f"{what} exchanged between {both[0]} and {both[1]}"
    return f"looks like {naming.names[other]}, a name that another neuron has"
