"""What the scores of a namer are worth: measured on animals that were held back from its training."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cender.name.assign import balance_scores
from cender.name.atlas import Atlas, Similarity
from cender.name.colours import describe_colours
from cender.name.model import NamingModel, describe_given, give_names
from cender.name.naming import find_pose
from cender.nets.namer import Namer, make_name_score
from cender.training.logistic import fit_logistic
from cender.types import Cells

START = np.array([0.5, 0.5, 0.0, 0.0])
"""Weights of a calibration before anything is learnt."""
RIDGE = np.full(4, 2.0)
"""How strongly each weight is held there."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Held-back animals, named by a network that never saw them, with colours or without."""

    coloured: bool
    features: np.ndarray
    right: np.ndarray
    fits: np.ndarray
    margins: np.ndarray


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of the map to log-odds by whether there are colours, the usual fit, and the gain of handedness."""

    weights: np.ndarray
    usual_fit: float
    side_gain: float
    right: dict[str, float]


def judge_animals(
    held: Sequence[Cells], ways: Sequence[Similarity], nets: Sequence[Namer], atlas: Atlas
) -> list[Judged]:
    """How right networks are on animals that they have not seen, and how sure; first without colours, then with."""
    bare = NamingModel(make_name_score(nets), atlas, np.tile(START, (2, 1)), -np.inf, 1.0)
    return [_judge(held, ways, bare, coloured) for coloured in (False, True)]


def _judge(held: Sequence[Cells], ways: Sequence[Similarity], bare: NamingModel, coloured: bool) -> Judged:
    features, right, fits, margins = [], [], [], []
    for one, way in zip(held, ways, strict=True):
        looks = describe_colours(one.colour if coloured else one.colour[:, :0])
        if coloured and not looks.any():
            continue
        sight, other = (
            find_pose(one.position_um, looks, bare.score, bare.atlas, side, {})
            for side in (way.mirrored, not way.mirrored)
        )
        naming = give_names(sight, bare)
        named = [row for row, name in enumerate(one.name) if name]
        found = describe_given(sight.score, balance_scores(sight.score), naming.given)
        features.append(found[named])
        right.append([bare.atlas.names[naming.given[row]] == one.name[row] for row in named])
        fits.append(sight.fit)
        margins.append(sight.fit - other.fit)
    width = len(START)
    return Judged(
        coloured,
        np.concatenate(features) if features else np.zeros((0, width)),
        np.concatenate(right) if right else np.zeros(0, bool),
        np.array(fits),
        np.array(margins),
    )


def calibrate_namer(judged: Sequence[Judged]) -> Calibration:
    """Probabilities, usual fit and certainty about left and right that held-back animals bear out."""
    weights: list[np.ndarray] = []
    right: dict[str, float] = {}
    for coloured, words in ((False, "position"), (True, "colour")):
        chosen = [one for one in judged if one.coloured == coloured]
        hits = np.concatenate([one.right for one in chosen])
        weights.append(fit_logistic(np.concatenate([one.features for one in chosen]), hits, START, RIDGE))
        if len(hits):
            right[words] = float(hits.mean())
    fits = np.concatenate([one.fits for one in judged])
    margins = np.concatenate([one.margins for one in judged])
    return Calibration(np.array(weights), float(np.quantile(fits, 0.05)) - 0.5, _fit_gain(margins), right)


def _fit_gain(margins: np.ndarray) -> float:
    """The gain under which differences of fits are calibrated log-odds of the right handedness."""
    gains = np.geomspace(0.3, 30, 40)
    loss = [float(np.logaddexp(0, -gain * margins).mean()) + 0.002 * math.log(gain) ** 2 for gain in gains]
    return float(gains[int(np.argmin(loss))])
