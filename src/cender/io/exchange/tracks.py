"""Neurons as nodes and identities as tracks, as the formats of cell tracking have them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.io.exchange.format import Outgoing


@dataclass(frozen=True, slots=True)
class Nodes:
    """One row per neuron and volume, by volume; ``edges`` are pairs of rows: an identity and where it is seen next."""

    volume: Int[np.ndarray, " n"]
    centre_um: Float[np.ndarray, "n 3"]
    identity: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    edges: Int[np.ndarray, "e 2"]


def list_nodes(out: Outgoing) -> Nodes:
    """All neurons, and the links of each identity through time."""
    volumes = [one for _, one in sorted(out.known.annotations.items())]
    volume = np.concatenate([np.full(len(one), one.volume) for one in volumes]).astype(np.int64)
    identity = np.concatenate([one.identity for one in volumes]).astype(np.int64)
    # Rows are in order of time, and a stable sort keeps that inside an identity.
    order = np.argsort(identity, kind="stable")
    order = order[identity[order] >= 0]
    same = identity[order][1:] == identity[order][:-1]
    edges = np.stack([order[:-1][same], order[1:][same]], axis=1).astype(np.int64)
    centre = np.concatenate([one.centre_um for one in volumes])
    return Nodes(volume, centre, identity, np.concatenate([one.probability for one in volumes]), edges)
