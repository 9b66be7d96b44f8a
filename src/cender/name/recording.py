"""Names of the identities of a recording: the evidence of many volumes, pooled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from cender.errors import DataError
from cender.name.atlas import Similarity, fit_similarity
from cender.name.colours import describe_colours
from cender.name.model import FEWEST, Naming, NamingModel, give_names, name_cells, read_fixed
from cender.name.naming import Sight, find_pose, refine_pose
from cender.types import Cells

Seen = tuple[Sequence[int], Float[np.ndarray, "_ 3"]]
"""The identities of one volume and their places in µm."""
SHARED = 10
"""Identities that two volumes must share before one may borrow the other's pose."""


def name_recording(
    volumes: Sequence[Seen],
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
    if not volumes:
        raise DataError("expected volumes with identities, found none; run the recording first")
    row_of = {identity: row for row, identity in enumerate(identities)}
    width = max((len(one) for one in colours.values()), default=0)
    animals = [_make_cells(seen, points, colours, width, fixed) for seen, points in volumes]
    most = max(range(len(animals)), key=lambda at: len(animals[at]))
    whole = name_cells(animals[most], model, mirrored)
    frame = dict(zip(volumes[most][0], whole.sight.place, strict=True))
    total, seen_in, fits = np.zeros((len(identities), len(model.atlas))), np.zeros(len(identities)), []
    for (seen, _), cells in zip(volumes, animals, strict=True):
        if len(cells) < max(FEWEST, len(animals[most]) / 2):
            continue
        sight = _see_volume(seen, cells, frame, whole, model)
        rows = [row_of[identity] for identity in seen]
        total[rows] += sight.score - np.logaddexp.reduce(sight.score, axis=1, keepdims=True)
        seen_in[rows] += 1
        fits.append(sight.fit)
    never = seen_in == 0
    score = total / np.maximum(seen_in, 1)[:, None]
    score[never] = -np.log(len(model.atlas))
    names = {name: row for row, name in enumerate(model.atlas.names)}
    held = [row_of[identity] for identity, name in fixed.items() if identity in row_of and name in names]
    pooled = Sight(whole.sight.way, np.zeros((len(identities), 3)), score, float(np.mean(fits)), whole.sight.coloured)
    naming = give_names(pooled, model, held)
    return replace(
        naming,
        probability=np.where(never, 0.0, naming.probability),
        mirrored=whole.mirrored,
        side_probability=whole.side_probability,
        doubts=whole.doubts,
    )


def _see_volume(
    seen: Sequence[int],
    cells: Cells,
    frame: Mapping[int, Float[np.ndarray, " 3"]],
    whole: Naming,
    model: NamingModel,
) -> Sight:
    """One volume in the pose that the identities it shares with the first give it; searched anew where they are few."""
    anchors, _ = read_fixed(cells, model.atlas)
    looks = describe_colours(cells.colour)
    shared = [row for row, identity in enumerate(seen) if identity in frame]
    if len(shared) < SHARED:
        return find_pose(cells.position_um, looks, model.score, model.atlas, whole.mirrored, anchors)
    target = np.array([frame[seen[row]] for row in shared])
    way: Similarity = fit_similarity(cells.position_um[shared], target, mirror=whole.mirrored)
    return refine_pose(cells.position_um, looks, model.score, model.atlas, [way], anchors)


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
