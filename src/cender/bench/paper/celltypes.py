"""Cell types by position: every head of a lab in turn is the template of the others (the paper's Table 5)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, Literal

import numpy as np
import polars as pl
from jaxtyping import Float

from cender.errors import DataError
from cender.nets.embedding import build_embedder
from cender.recognize.paper.params import PaperParams, read_params
from cender.recognize.paper.recognize import recognize_with_template
from cender.types import Annotation, Crop, Head, Identities, Weights

Recognize = Callable[[Annotation, Annotation], Identities]
"""Template with identities and a volume of another animal."""
SHARED = 6


def load_named_heads(path: Path) -> dict[str, list[Annotation]]:
    """Heads with cell names of a table ``lab, worm, x_um, y_um, z_um, name``, by lab; a name is a number throughout."""
    try:
        table = pl.read_csv(path, infer_schema_length=None)
        names = table["name"].fill_null("").to_list()
        places = table.select("z_um", "y_um", "x_um").to_numpy().astype(float)
        owners = list(zip(table["lab"].to_list(), table["worm"].to_list(), strict=True))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{path}: expected a table with lab, worm, x_um, y_um, z_um and name; {error}") from None
    number = {name: row for row, name in enumerate(sorted(set(names) - {""}))}
    labs: dict[str, list[Annotation]] = {}
    for row, owner in enumerate(dict.fromkeys(owners)):
        mine = np.array([one == owner for one in owners])
        identity = np.array([number.get(name, -1) for name, own in zip(names, mine, strict=True) if own])
        labs.setdefault(owner[0], []).append(Annotation.from_points(row, places[mine], _keep_first(identity)))
    return labs


def pose_by_labels(heads: Sequence[Annotation]) -> tuple[list[Annotation], int]:
    """All heads turned onto the first by the names they share, as axes drawn by hand would, and how many are mirrored.

    An animal that fits better as its mirror image is mirrored: raw coordinates of some labs are. Heads that share fewer
    than six names with the first are left out.
    """
    first = heads[0]
    posed, mirrored = [_give_axes(first)], 0
    for head in heads[1:]:
        shared = np.intersect1d(first.identity[first.identity >= 0], head.identity[head.identity >= 0])
        if len(shared) < SHARED:
            continue
        target = first.centre_um[_rows(first, shared)]
        source = head.centre_um[_rows(head, shared)]
        turn, flipped = _fit(source - source.mean(0), target - target.mean(0))
        mirrored += flipped
        moved = (head.centre_um - source.mean(0)) @ turn + target.mean(0)
        posed.append(_give_axes(replace(head, centre_um=moved)))
    return posed, mirrored


def match_with_paper(weights: Weights, axes: Literal["head", "points"]) -> Recognize:
    """The paper's way across animals, with the network of these weights."""
    params: PaperParams = read_params(weights).model_copy(update={"axes": axes})
    embed = build_embedder(weights)
    return lambda template, head: recognize_with_template(head, template, embed, params)


def measure_cell_types(heads: Sequence[Annotation], recognize: Recognize, at_most: int | None = None) -> dict[str, Any]:
    """Top-1 of neurons whose name the template has: mean and spread over templates, each used on all other heads."""
    hits: dict[int, list[tuple[int, int]]] = {}
    for a, b in permutations(range(len(heads)), 2):
        if at_most is None or a < at_most:
            hits.setdefault(a, []).append(_score(heads[a], heads[b], recognize))
    by_template = [sum(hit for hit, _ in pairs) / max(sum(of for _, of in pairs), 1) for pairs in hits.values()]
    if not by_template:
        raise DataError(f"expected at least two heads with names, found {len(heads)}")
    return {"accuracy": fmean(by_template), "spread": pstdev(by_template), "heads": len(heads)}


def _score(template: Annotation, head: Annotation, recognize: Recognize) -> tuple[int, int]:
    hidden = replace(head, identity=np.full(len(head), -1), probability=np.zeros(len(head)))
    given = recognize(template, hidden).identity
    knowable = (head.identity >= 0) & np.isin(head.identity, template.identity)
    return int((given == head.identity)[knowable].sum()), int(knowable.sum())


def _fit(source: Float[np.ndarray, "n 3"], target: Float[np.ndarray, "n 3"]) -> tuple[Float[np.ndarray, "3 3"], bool]:
    """Orthogonal matrix that brings source to target best, and whether it mirrors."""
    left, _, right = np.linalg.svd(source.T @ target)
    turn = left @ right
    return turn, bool(np.linalg.det(turn) < 0)


def _give_axes(head: Annotation) -> Annotation:
    """The same axes for every head: anterior along x of the first head, which lies along it, ventral across."""
    axes = Head(Crop(0, 0, 1, 1), np.zeros((0, 2)), np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    return replace(head, head=axes)


def _rows(head: Annotation, identities: np.ndarray) -> np.ndarray:
    order = np.argsort(head.identity)
    return np.asarray(order[np.searchsorted(head.identity[order], identities)])


def _keep_first(identity: np.ndarray) -> np.ndarray:
    """A name that stands twice in a head belongs to its first point only."""
    kept = np.full(len(identity), -1)
    _, first = np.unique(identity, return_index=True)
    kept[first] = identity[first]
    return kept
