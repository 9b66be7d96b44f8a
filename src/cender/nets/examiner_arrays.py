"""The examiner of candidates as products of arrays: too small for any runtime to be worth its start."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float32

from cender.errors import ModelError
from cender.types import Weights

KIND = "examiner"
LAYERS = ("samples1", "samples2", "facts1", "facts2", "out")
Score = Callable[[Float32[np.ndarray, "k f"], Float32[np.ndarray, "k s"]], Float32[np.ndarray, " k"]]


def build_examiner(weights: Weights) -> Score:
    """A callable from facts and surroundings of candidates to their log-odds; networks beside each other are averaged.

    Parameters
    ----------
    weights
        As `cender.nets.examiner.Examiner` exports them, the names of network ``n`` beginning with ``n.``.
    """
    count = int(weights.metadata.get("networks", "1"))
    try:
        nets = [
            {
                f"{layer}.{part}": np.asarray(weights.arrays[f"{number}.{layer}.{part}"], np.float32)
                for layer in LAYERS
                for part in ("weight", "bias")
            }
            for number in range(count)
        ]
    except KeyError as error:
        raise ModelError(f"these weights of an examiner lack {error}; train it again") from None

    def score(facts: Float32[np.ndarray, "k f"], samples: Float32[np.ndarray, "k s"]) -> Float32[np.ndarray, " k"]:
        return np.asarray(sum(_look(net, facts, samples) for net in nets) / np.float32(count))

    return score


def _look(
    net: dict[str, Float32[np.ndarray, "..."]], facts: Float32[np.ndarray, "k f"], samples: Float32[np.ndarray, "k s"]
) -> Float32[np.ndarray, " k"]:
    def apply(layer: str, node: Float32[np.ndarray, "k i"]) -> Float32[np.ndarray, "k o"]:
        return np.asarray(node @ net[f"{layer}.weight"] + net[f"{layer}.bias"])

    seen = np.maximum(apply("samples1", samples), 0)
    seen = np.maximum(seen + apply("samples2", seen), 0)
    node = np.maximum(apply("facts1", np.concatenate([facts, seen], axis=1)), 0)
    return apply("out", np.maximum(apply("facts2", node), 0))[:, 0]
