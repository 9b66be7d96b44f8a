"""Cell types by position: heads are templates of each other (the paper's Table 5), counted rightly and as published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean, pstdev
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from scipy.optimize import linear_sum_assignment

from cender.errors import DataError
from cender.nets.embedding import build_embedder
from cender.recognize.paper.params import PaperParams, read_params
from cender.recognize.paper.recognize import describe_neurons
from cender.types import Annotation, Crop, Head, Weights

Embed = Callable[[Annotation], Float[np.ndarray, "m d"]]
"""What every neuron of a head looks like; alike neurons have a large scalar product."""
Fit = Callable[[Float[np.ndarray, "n 3"], Float[np.ndarray, "n 3"]], Float[np.ndarray, "3 3"]]
"""The matrix that brings points (about their middle) onto others."""
SHARED = 6
"""Fewest names that a head must share with the first one to be turned onto it."""
SIDES = tuple(product((1, -1), repeat=3))
"""Signs of z, y and x: all ways to take a head for its other end, side or mirror image."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Neurons of a head whose name the template has: how many, how many were matched at all, how many rightly."""

    right: int
    knowable: int
    matched: int


def fit_with_mirror(source: Float[np.ndarray, "n 3"], target: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "3 3"]:
    """Orthogonal matrix that brings source to target best; it may mirror."""
    left, _, right = np.linalg.svd(source.T @ target)
    return np.asarray(left @ right)


def fit_rotation(source: Float[np.ndarray, "n 3"], target: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "3 3"]:
    """Rotation that brings source to target best."""
    left, _, right = np.linalg.svd(source.T @ target)
    return np.asarray(left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right)


def pose_by_labels(heads: Sequence[Annotation], fit: Fit = fit_with_mirror) -> tuple[list[Annotation], int]:
    """All heads turned onto the first by the names they share, as axes drawn by hand would, and how many are mirrored.

    An animal that fits better as its mirror image is mirrored: raw coordinates of some labs are (``fit_rotation`` only
    turns). Heads that share fewer than six names with the first are left out. The long axis of the first head is the
    axis of all.
    """
    first = heads[0]
    flat = first.centre_um[:, 1:] - first.centre_um[:, 1:].mean(axis=0)
    across, along = np.linalg.eigh(flat.T @ flat)[1].T
    level = np.array([[1.0, 0.0, 0.0], [0.0, *along], [0.0, *across]])
    posed, mirrored = [], 0
    for head in heads:
        shared = np.intersect1d(first.identity[first.identity >= 0], head.identity[head.identity >= 0])
        if len(shared) < SHARED:
            continue
        source, target = head.centre_um[_rows(head, shared)], first.centre_um[_rows(first, shared)]
        turn = fit(source - source.mean(0), target - target.mean(0))
        mirrored += bool(np.linalg.det(turn) < 0)
        posed.append(_place(head, (head.centre_um - source.mean(0)) @ turn @ level.T))
    return posed, mirrored


def choose_side(heads: Sequence[Annotation], embed: Embed, classes: Float[np.ndarray, "n d"]) -> list[Annotation]:
    """Heads of one pose, all flipped alike such that their neurons lie nearest to the classes of the network.

    Which end and which side of its animal the network took for which is not known; names are not looked at for this.
    """
    flipped = [flip_heads(heads, signs) for signs in SIDES]
    return max(flipped, key=lambda some: fmean(_measure_likeness(embed(head) @ classes.T) for head in some))


def flip_heads(heads: Sequence[Annotation], signs: Sequence[int]) -> list[Annotation]:
    """Heads of one pose, their z, y and x with these signs."""
    return [_place(head, head.centre_um * np.array(signs)) for head in heads]


def _measure_likeness(cosine: Float[np.ndarray, "m n"]) -> float:
    row, column = linear_sum_assignment(-cosine)
    return float(cosine[row, column].mean())


def embed_with_paper(weights: Weights, axes: Literal["head", "points"]) -> Embed:
    """Embeddings of the paper's network with these weights, along the axes that heads have or those of their points."""
    params: PaperParams = read_params(weights).model_copy(update={"axes": axes})
    embed = build_embedder(weights)
    return lambda head: embed(describe_neurons(head, params))


def measure_cell_types(heads: Sequence[Annotation], embed: Embed) -> dict[str, Any]:
    """Top-1 of neurons whose name the template has: mean and spread over templates, each used on all other heads.

    ``accuracy`` counts every such neuron. ``published`` counts as the authors' program does: neurons that are matched
    to nothing (a head with more neurons than the template) are left out, and only the first two heads ever serve as
    templates, the second one again in place of all further ones.
    """
    if len(heads) < 2:
        raise DataError(f"expected at least two heads with names, found {len(heads)}")
    seen = [embed(head) for head in heads]
    right, lenient = [], []
    for place, (template, mine) in enumerate(zip(heads, seen, strict=True)):
        others = [(head, one) for row, (head, one) in enumerate(zip(heads, seen, strict=True)) if row != place]
        hits = [match_heads(template, head, one @ mine.T) for head, one in others]
        right.append(share_hits(hits, "knowable"))
        lenient.append(share_hits(hits, "matched"))
    used = [lenient[0], *[lenient[1]] * (len(heads) - 1)]
    return {
        "accuracy": fmean(right),
        "spread": pstdev(right),
        "published": {"accuracy": fmean(used), "spread": pstdev(used), "templates": lenient[:2]},
        "heads": len(heads),
    }


def match_heads(template: Annotation, head: Annotation, likeness: Float[np.ndarray, "m n"]) -> Hits:
    """How many neurons of a head get their name from the template, one to one by how alike they are."""
    row, column = linear_sum_assignment(-likeness)
    given = np.full(len(head), -1)
    given[row] = template.identity[column]
    knowable = (head.identity >= 0) & np.isin(head.identity, template.identity)
    right = int((given == head.identity)[knowable].sum())
    return Hits(right, int(knowable.sum()), int(knowable[row].sum()))


def share_hits(hits: Sequence[Hits], of: Literal["knowable", "matched"]) -> float:
    """Share of the neurons that are right, of all that could be or of those that were matched."""
    whole = sum(one.knowable if of == "knowable" else one.matched for one in hits)
    return sum(one.right for one in hits) / max(whole, 1)


def _place(head: Annotation, centre_um: Float[np.ndarray, "m 3"]) -> Annotation:
    """The head at these places, its anterior end along y and its ventral side along x."""
    axes = Head(Crop(0, 0, 1, 1), np.zeros((0, 2)), np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    return replace(head, centre_um=centre_um, head=axes)


def _rows(head: Annotation, identities: np.ndarray) -> np.ndarray:
    order = np.argsort(head.identity)
    return np.asarray(order[np.searchsorted(head.identity[order], identities)])
