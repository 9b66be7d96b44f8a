"""A trained network as the detector uses it: what it says, on which grids, and how that is judged."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, UInt8

from cender.detect.candidates import COLUMNS, PLAIN_JUDGE
from cender.detect.examine import Examine
from cender.detect.normalise import GRIDS, USUAL_GRIDS, Grids
from cender.errors import ModelError
from cender.types import Maps, Weights

JUDGE = "candidate_judge"
"""Name under which weights carry the judge of their candidates."""


@dataclass(frozen=True, slots=True)
class Network:
    """Everything about a network that finding neurons needs.

    Parameters
    ----------
    score
        From frames on a grid that it knows, in levels, to maps of half the size.
    grids
        The grids that it knows.
    looks
        How often it looks at a volume.
    examine
        Who takes a second look at its candidates (`cender.detect.examine`); None takes heat at its word.
    judge
        How likely its candidates are neurons then (`cender.detect.candidates`).
    neuron_judge
        How likely what they gather is (`cender.merge.judge`); None leaves it to the usual judge.
    """

    score: Callable[[UInt8[np.ndarray, "z y x"]], Maps]
    grids: Grids = USUAL_GRIDS
    looks: int = 1
    examine: Examine | None = None
    judge: Float[np.ndarray, " c"] = field(default_factory=PLAIN_JUDGE.copy)
    neuron_judge: Float[np.ndarray, " n"] | None = None


def find_grids(weights: Weights) -> Grids:
    """The grids that the network of these weights knows."""
    name = weights.metadata.get("grid", "usual")
    if name not in GRIDS:
        raise ModelError(f"these weights know the grids {name!r}, this version {', '.join(GRIDS)}; train them again")
    return GRIDS[name]


def read_looks(weights: Weights) -> int:
    """How often the network of these weights looks at a volume, each time turned over in another way."""
    return int(weights.metadata.get("looks", "1"))


def read_judge(weights: Weights) -> Float[np.ndarray, " c"]:
    """How likely the candidates of these weights are neurons; where they do not say it, the examiner is believed.

    Weights from before there was one carry a judge of the heat, under another name.
    """
    judge = np.array(json.loads(weights.metadata.get(JUDGE, "[]")), float)
    return judge if len(judge) == COLUMNS else PLAIN_JUDGE.copy()


def read_neuron_judge(weights: Weights) -> Float[np.ndarray, " n"] | None:
    """How likely what the centres of these weights gather is a neuron, None where they do not say it."""
    said = json.loads(weights.metadata.get("neuron_judge", "[]"))
    return np.array(said, float) if said else None
