"""Cell types by position, taken apart: what axes, handedness, side and template each cost the paper's method."""

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Any

import numpy as np

from cender.bench.paper.celltypes import (
    SIDES,
    Embed,
    choose_side,
    embed_with_paper,
    fit_rotation,
    flip_heads,
    match_heads,
    measure_cell_types,
    pose_by_labels,
    share_hits,
)
from cender.nets.embedding import read_classes
from cender.types import Annotation, Weights

PARTS = {
    "whole": "as in Table 5; axes from the names, mirrored if that fits, side by the network, each a template",
    "points": "axes of the points instead",
    "turned": "heads turned but never mirrored",
    "unsided": "end and side as the first head has them",
    "best side": "end and side chosen by the names; the best of eight, an upper bound",
    "averaged": "all other heads averaged into one template; name by name",
}
"""Ways to lay heads over each other, in words; all but the first change one thing."""


def measure_parts(heads: Sequence[Annotation], weights: Weights) -> dict[str, dict[str, float]]:
    """Accuracy and spread of every way to lay the heads of one lab over each other."""
    embed, classes = embed_with_paper(weights, "head"), read_classes(weights)[0][:-1]
    posed, _ = pose_by_labels(heads)
    turned, _ = pose_by_labels(heads, fit_rotation)
    sided = choose_side(posed, embed, classes)
    sides = [measure_cell_types(flip_heads(posed, signs), embed) for signs in SIDES]
    found: dict[str, Mapping[str, Any]] = {
        "whole": measure_cell_types(sided, embed),
        "points": measure_cell_types(heads, embed_with_paper(weights, "points")),
        "turned": measure_cell_types(choose_side(turned, embed, classes), embed),
        "unsided": measure_cell_types(posed, embed),
        "best side": max(sides, key=lambda one: float(one["accuracy"])),
        "averaged": measure_averaged(sided, embed),
    }
    return {name: {"accuracy": one["accuracy"], "spread": one["spread"]} for name, one in found.items()}


def measure_averaged(heads: Sequence[Annotation], embed: Embed) -> dict[str, float]:
    """Top-1 with the mean embedding of every name over all other heads as the template; mean and spread over heads."""
    seen = [embed(head) for head in heads]
    shares = []
    for place, (head, mine) in enumerate(zip(heads, seen, strict=True)):
        others = [row for row in range(len(heads)) if row != place]
        names = np.concatenate([heads[row].identity for row in others])
        looks = np.concatenate([seen[row] for row in others])
        known = np.unique(names[names >= 0])
        mean = np.stack([looks[names == name].mean(axis=0) for name in known])
        template = Annotation.from_points(-1, np.zeros((len(known), 3)), known)
        shares.append(share_hits([match_heads(template, head, mine @ mean.T)], "knowable"))
    return {"accuracy": fmean(shares), "spread": pstdev(shares)}
