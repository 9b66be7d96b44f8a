"""Which identities volumes show: what no annotated volume shows cannot be learnt from people."""

import numpy as np
from jaxtyping import Float, Int

from cender.annotate.candidates import SeenNeurons


def list_shown(neurons: SeenNeurons, volumes: Int[np.ndarray, " r"]) -> Float[np.ndarray, "r k"]:
    """Probability that each of these volumes (ascending) shows each identity that any of them shows."""
    used = np.flatnonzero((neurons.identity >= 0) & np.isin(neurons.volume, volumes))
    identity, column = np.unique(neurons.identity[used], return_inverse=True)
    shown = np.zeros((len(volumes), len(identity)))
    np.maximum.at(shown, (np.searchsorted(volumes, neurons.volume[used]), column), 1.0 - neurons.doubt[used])
    return shown


def measure_cover(shown: Float[np.ndarray, "r k"], known: Float[np.ndarray, " k"]) -> Float[np.ndarray, " r"]:
    """Share of all sightings of identities that each volume adds to those of identities ``known`` with a probability.

    An identity counts as often as it is seen in the recording.
    """
    often = shown.sum(axis=0)
    return np.asarray(np.maximum(shown - known, 0.0) @ often / max(float(often.sum()), 1e-12))
