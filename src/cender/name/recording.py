"""Names of the identities of a recording: the evidence of many volumes, pooled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.name.colours import describe_colours
from cender.name.model import Naming, NamingModel, give_names, name_cells, read_fixed
from cender.name.naming import Sight, find_pose
from cender.types import Cells


def name_recording(
    volumes: Sequence[tuple[Sequence[int], Float[np.ndarray, "_ 3"]]],
    identities: Sequence[int],
    colours: Mapping[int, Float[np.ndarray, " c"]],
    fixed: Mapping[int, str],
    model: NamingModel,
    mirrored: bool | None = None,
) -> Naming:
    """Names of the identities, one row per identity in the order given.

    Parameters
    ----------
    volumes
        For each volume the identities seen in it and their places in µm.
    colours
        NeuroPAL colours by identity, where there are any.
    fixed
        Names that people gave, by identity.

    One image shows each neuron in one place; over many volumes errors of single places average out. Scores are
    averaged over the volumes in which an identity was seen.
    """
    place = {identity: row for row, identity in enumerate(identities)}
    width = max((len(one) for one in colours.values()), default=0)
    total = np.zeros((len(identities), len(model.atlas)))
    seen = np.zeros(len(identities))
    sights: list[Naming] = []
    animals = [_make_cells(seen_here, points, colours, width, fixed) for seen_here, points in volumes]
    if not animals:
        raise DataError("expected volumes with identities, found none; run the recording first")
    first = max(animals, key=len)
    whole = name_cells(first, model, mirrored)
    for (seen_here, _), cells in zip(volumes, animals, strict=True):
        if len(cells) < len(first) / 2:
            continue
        anchors, _ = read_fixed(cells, model.atlas)
        looks = describe_colours(cells.colour)
        sight = find_pose(cells.position_um, looks, model.score, model.atlas, whole.mirrored, anchors)
        rows = [place[identity] for identity in seen_here]
        total[rows] += sight.score - np.logaddexp.reduce(sight.score, axis=1, keepdims=True)
        seen[rows] += 1
        sights.append(give_names(sight, model))
    never = seen == 0
    score = total / np.maximum(seen, 1)[:, None]
    score[never] = -np.log(len(model.atlas))
    names = {name: row for row, name in enumerate(model.atlas.names)}
    rows = [place[identity] for identity, name in fixed.items() if identity in place and name in names]
    fit = float(np.mean([one.sight.fit for one in sights]))
    naming = give_names(Sight(whole.sight.way, score, fit), model, rows)
    return replace(
        naming,
        probability=np.where(never, 0.0, naming.probability),
        mirrored=whole.mirrored,
        side_probability=whole.side_probability,
        doubts=whole.doubts,
    )


def _make_cells(
    seen: Sequence[int],
    points_um: Float[np.ndarray, "n 3"],
    colours: Mapping[int, Float[np.ndarray, " c"]],
    width: int,
    fixed: Mapping[int, str],
) -> Cells:
    blank = np.full(width, np.nan)
    colour = np.array([colours.get(identity, blank) for identity in seen]).reshape(len(seen), width)
    return Cells(np.asarray(points_um, float), colour, tuple(fixed.get(identity, "") for identity in seen))
