"""How well the activity of each neuron is recovered."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from cender.evaluate.identity import KnownNeurons

# A trace varies where its 95th and 5th percentile are at least this share of its median apart.
VARIATION = 0.1
# An identity is followed where this share of its volumes is right.
RIGHT_SHARE = 0.95
# Volumes from which on a trace is compared.
FEWEST_VOLUMES = 3

Ratios = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class TraceFigures:
    """Trace figures with their counts; None where there is nothing to measure.

    ``varying`` neurons enter the correlation, ``complete_count`` of ``identities`` are right nearly always.
    """

    correlation: float | None
    complete: float | None
    varying: int
    identities: int
    complete_count: int


def measure_traces(
    predicted: Ratios, truth: Ratios, neurons: KnownNeurons, volumes: Container[int] | None = None
) -> TraceFigures:
    """Correlation of ratios, and share of the identities that are right in at least 95 % of their volumes.

    The correlation is the median over neurons whose true ratio varies by at least 10 % (see `is_varying`); a
    neuron without a usable predicted trace counts as 0. It is undefined where one side has no ratio at all.

    Parameters
    ----------
    predicted, truth
        Ratio by (identity, volume); values that are not finite are left out.
    neurons
        Every true neuron with an identity, and what became of it.
    volumes
        Volumes to take; None = all.
    """
    true_traces, predicted_traces = _gather(truth, volumes), _gather(predicted, volumes)
    varying = [identity for identity, trace in sorted(true_traces.items()) if is_varying(np.array([*trace.values()]))]
    values = [_correlate(predicted_traces.get(identity, {}), true_traces[identity]) for identity in varying]
    complete, identities = _count_complete(neurons)
    return TraceFigures(
        correlation=float(np.median(values)) if values and predicted_traces else None,
        complete=complete / identities if identities else None,
        varying=len(varying),
        identities=identities,
        complete_count=complete,
    )


def is_varying(ratio: Float[np.ndarray, " t"]) -> bool:
    """Whether a ratio varies by at least 10 %: (95th - 5th percentile) / median >= 0.1."""
    if len(ratio) < FEWEST_VOLUMES:
        return False
    low, middle, high = np.percentile(ratio, [5, 50, 95])
    return bool(middle > 0 and (high - low) / middle >= VARIATION)


def _gather(ratios: Ratios, volumes: Container[int] | None) -> dict[int, dict[int, float]]:
    traces: dict[int, dict[int, float]] = {}
    for (identity, volume), value in ratios.items():
        if np.isfinite(value) and (volumes is None or volume in volumes):
            traces.setdefault(identity, {})[volume] = float(value)
    return traces


def _correlate(predicted: Mapping[int, float], truth: Mapping[int, float]) -> float:
    shared = sorted(predicted.keys() & truth.keys())
    if len(shared) < FEWEST_VOLUMES:
        return 0.0
    ours = np.array([predicted[volume] for volume in shared])
    true = np.array([truth[volume] for volume in shared])
    ours, true = ours - ours.mean(), true - true.mean()
    scale = float(np.linalg.norm(ours) * np.linalg.norm(true))
    return float(np.clip(ours @ true / scale, -1, 1)) if scale > 0 else 0.0


def _count_complete(neurons: KnownNeurons) -> tuple[int, int]:
    identities, row = np.unique(neurons.identity, return_inverse=True)
    if len(identities) == 0:
        return 0, 0
    right = np.bincount(row, weights=neurons.right)
    return int((right >= RIGHT_SHARE * np.bincount(row)).sum()), len(identities)
