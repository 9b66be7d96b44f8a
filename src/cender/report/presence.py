"""Neurons found and recognized, volume by volume and identity by identity."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.report.folder import NeuronColumns


@dataclass(frozen=True, slots=True)
class Presence:
    """One row per volume; the probability (mean, and 10th and 90th percentile) is that of the neurons that have an
    identity, NaN where there is none."""

    volume: Int[np.ndarray, " n"]
    found: Int[np.ndarray, " n"]
    recognized: Int[np.ndarray, " n"]
    probability: Float[np.ndarray, " n"]
    low: Float[np.ndarray, " n"]
    high: Float[np.ndarray, " n"]


@dataclass(frozen=True, slots=True)
class IdentityRow:
    """How often an identity is seen (share of the volumes) and how sure it is on average."""

    identity: int
    share: float
    probability: float


def count_presence(neurons: NeuronColumns, volume: Int[np.ndarray, " n"]) -> Presence:
    """Counts and probabilities in each of these volumes (ascending); a volume without neurons counts 0."""
    place = np.searchsorted(volume, neurons.volume)
    inside = place < len(volume)
    inside[inside] = volume[place[inside]] == neurons.volume[inside]
    known = inside & (neurons.identity >= 0)
    found = np.bincount(place[inside], minlength=len(volume))
    recognized = np.bincount(place[known], minlength=len(volume))
    mean, low, high = (np.full(len(volume), np.nan) for _ in range(3))
    usable = known & np.isfinite(neurons.probability)
    rows, values = place[usable], neurons.probability[usable]
    order = np.argsort(rows, kind="stable")
    present, starts = np.unique(rows[order], return_index=True)
    for row, part in zip(present, np.split(values[order], starts[1:]), strict=False):
        mean[row] = part.mean()
        low[row], high[row] = np.percentile(part, (10, 90))
    return Presence(volume, found, recognized, mean, low, high)


def list_identities(neurons: NeuronColumns, volumes: int) -> list[IdentityRow]:
    """Every identity with the share of the volumes in which it is seen, the most present first."""
    rows = []
    known = neurons.identity >= 0
    for identity in np.unique(neurons.identity[known]).tolist():
        mine = neurons.probability[neurons.identity == identity]
        mean = float(np.nanmean(mine)) if np.isfinite(mine).any() else float("nan")
        rows.append(IdentityRow(identity, len(mine) / max(volumes, 1), mean))
    return sorted(rows, key=lambda row: (-row.share, row.identity))
