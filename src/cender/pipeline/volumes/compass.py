"""The compass ready to use: the shipped weights made into one callable."""

from cender.io.weights import shipped_weights
from cender.nets.compass_graph import KIND, build_compass
from cender.preprocess.compass import Compass


def load_compass() -> Compass:
    """The network that scores how a head lies."""
    return build_compass(shipped_weights("orientation", KIND))
