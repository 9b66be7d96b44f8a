"""Names of the neurons of one animal, with probabilities that can be trusted and doubts that are said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.errors import DataError
from cender.name.assign import assign_cells, balance_scores
from cender.name.atlas import Atlas
from cender.name.colours import describe_colours
from cender.name.doubts import doubt_colours, doubt_fit, doubt_handedness, doubt_length, doubt_side
from cender.name.naming import ANCHORS, Score, Sight, find_pose, settle_side
from cender.types import Cells

FEWEST = 15
"""Neurons below which no pose can be found."""
MALE = ("CEM", "MCM")
"""How the names of neurons begin that only the heads of males have."""


@dataclass(frozen=True, slots=True)
class NamingModel:
    """A trained namer: the network, the atlas, what its scores are worth, and how well known animals fit.

    ``calibration`` maps `describe_given` to log-odds, without colours (row 0) and with them. ``usual_fit`` is a low fit
    among animals that were held back; ``side_gain`` turns a difference of fits into log-odds that the handedness is
    right.
    """

    score: Score
    atlas: Atlas
    calibration: Float[np.ndarray, "2 4"]
    usual_fit: float
    side_gain: float


@dataclass(frozen=True, slots=True)
class Naming:
    """Cell names of the neurons of one animal.

    ``given`` are rows of the atlas (-1: none), ``probability`` that each is right, ``posterior`` the log-probability of
    every cell for every neuron. ``side_probability`` says how sure left and right are. ``doubts`` are sentences.
    """

    names: tuple[str, ...]
    given: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    posterior: Float[np.ndarray, "n k"]
    mirrored: bool
    side_probability: float
    sight: Sight
    doubts: tuple[str, ...]

    def list_candidates(self, row: int, count: int = 5) -> list[tuple[str, float]]:
        """The most probable cells of one neuron, the one given first.

        The others are what it may be if that one is wrong. Then names of other neurons may be wrong as well, so that
        these count against a cell only half as much as they do for the name given.
        """
        own = self.sight.score[row] - np.logaddexp.reduce(self.sight.score[row])
        likely = (self.posterior[row] + own) / 2
        order = list(np.argsort(-likely, kind="stable"))
        if self.given[row] >= 0:
            order.remove(self.given[row])
            order.insert(0, self.given[row])
        chances = np.exp(likely)
        rest = max(1e-9, float(chances[order[1:]].sum()))
        first = float(self.probability[row])
        found = [(self.names[order[0]], first)]
        found += [(self.names[at], float(chances[at]) / rest * (1 - first)) for at in order[1:count]]
        return found


def name_cells(cells: Cells, model: NamingModel, mirrored: bool | None = None) -> Naming:
    """Name the neurons of one animal.

    Parameters
    ----------
    cells
        Places in µm, colours where there are any; names that people gave stay as they are and help the others.
    mirrored
        Whether the recording shows a mirror image; None where nothing is known about that. Names that people gave
        know better.

    Raises
    ------
    DataError
        Too few neurons, a name given twice.
    """
    fixed, doubts = read_fixed(cells, model.atlas)
    if len(cells) < FEWEST:
        raise DataError(
            f"expected at least {FEWEST} neurons of a head to give them names, found {len(cells)}; "
            "names of so few would be guesses"
        )
    shown = settle_side(cells.position_um, fixed, model.atlas)
    if shown is not None:
        doubts = (*doubts, *doubt_handedness(mirrored, shown))
        mirrored = shown
    sights = see_animal(cells, model, (False, True) if mirrored is None else (mirrored,))
    naming = decide_names(cells, sights, model, doubts)
    return replace(naming, doubts=(*naming.doubts, *doubt_colours(cells, naming.sight, model.score, model.atlas)))


def see_animal(cells: Cells, model: NamingModel, sides: Sequence[bool] = (False, True)) -> dict[bool, Sight]:
    """The best pose of the animal for each handedness, by whether it is a mirror image."""
    fixed, _ = read_fixed(cells, model.atlas)
    looks = describe_colours(cells.colour)
    return {side: find_pose(cells.position_um, looks, model.score, model.atlas, side, fixed) for side in sides}


def decide_names(
    cells: Cells, sights: Mapping[bool, Sight], model: NamingModel, doubts: tuple[str, ...] = ()
) -> Naming:
    """Names in the better of the poses; left and right are certain where only one handedness was tried."""
    side = max(sights, key=lambda one: sights[one].fit)
    sure = _measure_side(sights, side, model) if len(sights) > 1 else 1.0
    fixed, _ = read_fixed(cells, model.atlas)
    naming = replace(give_names(sights[side], model, list(fixed)), mirrored=side, side_probability=sure)
    found = [
        *doubt_fit(sights[side].fit, model.usual_fit),
        *(doubt_length(cells.position_um, model.atlas) if len(fixed) < ANCHORS else ()),
        *doubt_side(sure),
    ]
    return replace(naming, doubts=(*found, *doubts))


def give_names(sight: Sight, model: NamingModel, fixed: Sequence[int] = ()) -> Naming:
    """One-to-one names of an animal in one pose, with calibrated probabilities; fixed rows are certain."""
    given = assign_cells(sight.score)
    posterior = balance_scores(sight.score)
    features = describe_given(sight.score, posterior, given)
    probability = 1 / (1 + np.exp(-np.clip(features @ model.calibration[int(sight.coloured)], -30, 30)))
    probability = np.where(given >= 0, probability, 0.0)
    probability[list(fixed)] = 1.0
    return Naming(model.atlas.names, given, probability, posterior, False, 1.0, sight, ())


def describe_given(
    score: Float[np.ndarray, "n k"], posterior: Float[np.ndarray, "n k"], given: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "n 4"]:
    """What the probability of a name is made from: balanced and own log-odds, the animal's median, 1."""
    rows = np.flatnonzero(given >= 0)
    features = np.zeros((len(given), 4))
    if len(rows):
        own = score - np.logaddexp.reduce(score, axis=1, keepdims=True)
        features[rows, 0] = _log_odds(posterior[rows, given[rows]])
        features[rows, 1] = _log_odds(own[rows, given[rows]])
        features[rows, 2] = np.median(features[rows, 0])
        features[rows, 3] = 1.0
    return features


def read_fixed(cells: Cells, atlas: Atlas) -> tuple[dict[int, int], tuple[str, ...]]:
    """Names that people gave, as rows of the atlas by neuron, and a sentence about those it does not know."""
    place = {name: row for row, name in enumerate(atlas.names)}
    named = [(row, name) for row, name in enumerate(cells.name) if name]
    twice = sorted({name for _, name in named if sum(name == other for _, other in named) > 1})
    if twice:
        raise DataError(f"expected each name once, found {', '.join(twice)} on more than one neuron; correct the names")
    strange = sorted(name for _, name in named if name not in place)
    fixed = {row: place[name] for row, name in named if name in place}
    said = f"{', '.join(strange)}: not in the atlas, kept as given, and of no help to the others"
    if any(name.startswith(MALE) for name in strange):
        said += "; these are cells of males, and the atlas was made from hermaphrodites"
    return fixed, ((said,) if strange else ())


def _measure_side(sights: Mapping[bool, Sight], side: bool, model: NamingModel) -> float:
    margin = sights[side].fit - sights[not side].fit
    return float(1 / (1 + np.exp(-model.side_gain * margin)))


def _log_odds(log_probability: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    probability = np.clip(np.exp(log_probability), 1e-4, 1 - 1e-4)
    return np.asarray(np.log(probability) - np.log1p(-probability))


def count_right(naming: Naming, names: Sequence[str], top: int = 1) -> Bool[np.ndarray, " n"]:
    """Whether each neuron's true name is among its first candidates; False for neurons without a name."""
    return np.array(
        [bool(name) and name in [one for one, _ in naming.list_candidates(row, top)] for row, name in enumerate(names)],
        bool,
    )
