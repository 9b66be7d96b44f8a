"""Names of the neurons of one animal, with probabilities that can be trusted and doubts that are said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.errors import DataError
from cender.name.assign import assign_cells, balance_scores
from cender.name.atlas import Atlas
from cender.name.colours import describe_colours
from cender.name.likelihood import measure_looks, measure_places
from cender.name.naming import ANCHORS, LOOKS, PLACES, Score, Sight, find_pose
from cender.types import Cells

FEWEST = 15
"""Neurons below which no pose can be found."""
SIDE_SURE = 0.95
MALE = ("CEM", "MCM")
"""How the names of neurons begin that only the heads of males have."""
CHANNEL_NAMES = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class NamingModel:
    """A trained namer: the network, the atlas, what its scores are worth, and how well known animals fit.

    ``calibration`` maps `describe_given` to log-odds; ``usual_fit`` is a low fit among animals that were held back;
    ``side_gain`` turns a difference of fits into log-odds that the handedness is right.
    """

    score: Score
    atlas: Atlas
    calibration: Float[np.ndarray, " 4"]
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
        """The most probable cells of one neuron, the one given first."""
        order = list(np.argsort(-self.posterior[row], kind="stable"))
        if self.given[row] >= 0:
            order.remove(self.given[row])
            order.insert(0, self.given[row])
        chances = np.exp(self.posterior[row])
        rest = max(1e-9, 1 - float(chances[order[0]]))
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
        Whether the recording shows a mirror image; None where nothing is known about that.

    Raises
    ------
    DataError
        Too few neurons, a name given twice.
    """
    _, unknown = read_fixed(cells, model.atlas)
    if len(cells) < FEWEST:
        raise DataError(
            f"expected at least {FEWEST} neurons of a head to give them names, found {len(cells)}; "
            "names of so few would be guesses"
        )
    sights = see_animal(cells, model, (False, True) if mirrored is None else (mirrored,))
    return decide_names(cells, sights, model, unknown)


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
    return replace(naming, doubts=(*_find_doubts(cells, describe_colours(cells.colour), naming, model), *doubts))


def give_names(sight: Sight, model: NamingModel, fixed: Sequence[int] = ()) -> Naming:
    """One-to-one names of an animal in one pose, with calibrated probabilities; fixed rows are certain."""
    given = assign_cells(sight.score)
    posterior = balance_scores(sight.score)
    features = describe_given(sight.score, posterior, given)
    probability = 1 / (1 + np.exp(-np.clip(features @ model.calibration, -30, 30)))
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


def check_names(cells: Cells, model: NamingModel, mirrored: bool | None = None) -> list[tuple[int, str, float, str]]:
    """Names of people that look wrong: row, what the model would say, its probability, and the reason.

    Each name is judged by a model that does not know any of them, in the pose that all of them give.
    """
    fixed, _ = read_fixed(cells, model.atlas)
    if len(fixed) < ANCHORS:
        return []
    looks = describe_colours(cells.colour)
    ways = [find_pose(cells.position_um, looks, model.score, model.atlas, side, fixed) for side in (False, True)]
    residual = [
        np.median(
            np.linalg.norm(
                sight.way.apply(cells.position_um[list(fixed)]) - model.atlas.mean[list(fixed.values())], axis=1
            )
        )
        for sight in ways
    ]
    sight = ways[int(np.argmin(residual))]
    free = score_in_pose(cells.position_um, looks, sight, model)
    naming = give_names(Sight(sight.way, free, sight.fit), model)
    found = []
    for row, name in fixed.items():
        other = int(naming.given[row])
        chance = float(naming.probability[row])
        if other in (-1, name) or chance < 0.5 or np.exp(naming.posterior[row, name]) > 0.2:
            continue
        found.append((row, model.atlas.names[other], chance, _explain(row, other, name, fixed, naming)))
    return sorted(found, key=lambda one: -one[2])


def score_in_pose(
    position_um: Float[np.ndarray, "n 3"], looks: Float[np.ndarray, "n f"], sight: Sight, model: NamingModel
) -> Float[np.ndarray, "n k"]:
    """Scores of all names in a pose that is known, as if no name were."""
    place = sight.way.apply(position_um)
    names, _ = model.score(place[None], looks)
    return np.asarray(
        names[0] + PLACES * measure_places(place, model.atlas) + LOOKS * measure_looks(looks, model.atlas)
    )


def _explain(row: int, other: int, name: int, fixed: Mapping[int, int], naming: Naming) -> str:
    partner = next((at for at, given in fixed.items() if given == other), None)
    if partner is None:
        return f"looks like {naming.names[other]}, which no neuron is called"
    if naming.given[partner] == name:
        both = (naming.names[name], naming.names[other])
        what = "left and right seem" if both[0][:-1] == both[1][:-1] else "the two names seem"
        return f"{what} exchanged between {both[0]} and {both[1]}"
    return f"looks like {naming.names[other]}, a name that another neuron has"


def _measure_side(sights: Mapping[bool, Sight], side: bool, model: NamingModel) -> float:
    margin = sights[side].fit - sights[not side].fit
    return float(1 / (1 + np.exp(-model.side_gain * margin)))


def _find_doubts(cells: Cells, looks: Float[np.ndarray, "n f"], naming: Naming, model: NamingModel) -> tuple[str, ...]:
    doubts = []
    if naming.sight.fit < model.usual_fit:
        doubts.append(
            f"the animal fits the atlas badly ({naming.sight.fit:.1f}, usually above {model.usual_fit:.1f}): "
            "is it the head of one hermaphrodite, with the right voxel size?"
        )
    if naming.side_probability < SIDE_SURE:
        doubts.append(
            f"left and right are uncertain (probability {naming.side_probability:.2f}); "
            "set name.handedness, or name one neuron of a pair in identities.csv"
        )
    if looks[:, -2].max(initial=0) == 0:
        doubts.append("no colours: names come from places alone")
    else:
        doubts += _check_channels(cells, naming, model)
    return tuple(doubts)


def _check_channels(cells: Cells, naming: Naming, model: NamingModel) -> list[str]:
    """A sentence where another order of the three colours fits the names better than the one given."""
    rows = np.flatnonzero(naming.given >= 0)
    fits = {}
    for order in permutations(range(3)):
        looks = describe_colours(cells.colour[:, [*order, *range(3, cells.colour.shape[1])]])
        fits[order] = float(measure_looks(looks, model.atlas)[rows, naming.given[rows]].mean())
    best = max(fits, key=lambda order: fits[order])
    if best == (0, 1, 2) or fits[best] - fits[(0, 1, 2)] < 0.3:
        return []
    words = ", ".join(CHANNEL_NAMES[channel] for channel in best)
    return [f"the colour channels seem to be in another order: {words} would fit better"]


def _log_odds(log_probability: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    probability = np.clip(np.exp(log_probability), 1e-4, 1 - 1e-4)
    return np.asarray(np.log(probability) - np.log1p(-probability))


def count_right(naming: Naming, names: Sequence[str], top: int = 1) -> Bool[np.ndarray, " n"]:
    """Whether each neuron's true name is among its first candidates; False for neurons without a name."""
    return np.array(
        [bool(name) and name in [one for one, _ in naming.list_candidates(row, top)] for row, name in enumerate(names)],
        bool,
    )
