"""How likely a network's candidates are neurons, learnt from heads that it was not trained on."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import brentq
from scipy.special import expit

from cender.detect.candidates import Candidates, find_candidates
from cender.detect.examine import Examine, examine_candidates
from cender.detect.flips import average_flips
from cender.evaluate.match import match_centres
from cender.io.weights import shipped_weights
from cender.nets.detector import build_torch_score
from cender.nets.examiner_arrays import KIND as EXAMINER
from cender.nets.examiner_arrays import build_examiner
from cender.training.detector.calibrate import is_unsure
from cender.training.detector.samples import Sample
from cender.training.logistic import fit_logistic
from cender.types import Annotation

FEWEST = 60
"""With fewer candidates nothing is learnt."""
# Marks of a part of the neurons are weaker evidence: what was known before weighs as much more.
PULL, PARTIAL = 2.0, 3.0
_FARTHEST = 30.0
"""Largest shift of log-odds that is considered."""


def fit_judge(
    arrays: Mapping[str, np.ndarray],
    heads: Sequence[Sample],
    before: Float[np.ndarray, " c"],
    looks: int = 1,
    examine: Examine | None = None,
) -> Float[np.ndarray, " c"]:
    """Weights of the columns of `examine_candidates`, as near to those of ``before`` as the heads allow.

    Where heads are annotated in part, it is not known how many of the others are neurons. Those that look like the
    marked ones become likelier, the rest less likely, and as many as before are expected in all. ``looks`` is how often
    the network looks at a head (`cender.detect.flips`), and ``examine`` who takes a second look.
    """
    table, right = collect_candidates(arrays, heads, looks, examine)
    if len(right) < FEWEST or right.all() or not right.any():
        return before
    if not any(sample.partial for sample in heads):
        return fit_logistic(table, right, before, hold_slopes(before))
    learnt = fit_logistic(table, right, before, PARTIAL * hold_slopes(before))
    expected = expit(table @ before).sum()
    shift = brentq(lambda by: expit(table @ learnt + by).sum() - expected, -_FARTHEST, _FARTHEST)
    return np.asarray(learnt + shift * np.eye(len(learnt))[0])


@cache
def load_examiner() -> Examine:
    """The shipped examiner of candidates."""
    return build_examiner(shipped_weights("examiner", EXAMINER))


def collect_candidates(
    arrays: Mapping[str, np.ndarray], heads: Sequence[Sample], looks: int = 1, examine: Examine | None = None
) -> tuple[Float[np.ndarray, "n c"], Bool[np.ndarray, " n"]]:
    """Descriptions of all candidates in the heads, and which of them are annotated; unsure places are left out."""
    once = build_torch_score(arrays)
    score = average_flips(once) if looks > 1 else once
    tables, right = [], []
    for sample in heads:
        maps = score(sample.image)
        found = find_candidates(maps, sample.step_um)
        mine = match_marks(sample, found)
        known = mine | sample.partial | ~is_unsure(found.centre, sample)
        table = examine_candidates(maps, sample.image, found, sample.step_um, looks, examine)
        tables.append(table[known])
        right.append(mine[known])
    return np.concatenate(tables), np.concatenate(right)


def match_marks(sample: Sample, found: Candidates) -> Bool[np.ndarray, " k"]:
    """Which candidates are annotated neurons."""
    true, seen = (Annotation.from_points(0, place * sample.step_um) for place in (sample.centre, found.centre))
    return np.asarray(match_centres(true, seen).partner_of_predicted >= 0)


def hold_slopes(weights: Float[np.ndarray, " c"]) -> Float[np.ndarray, " c"]:
    """How strongly a judge's weights are held to what they were: its first one, how many are neurons, is free."""
    return np.concatenate([[0.0], np.full(len(weights) - 1, PULL)])
