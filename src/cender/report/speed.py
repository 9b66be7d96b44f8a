"""How long the stages took."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, slots=True)
class StageSpeed:
    """Milliseconds per volume of one stage: median and 95th percentile, and its share of the sum of all medians."""

    stage: str
    median_ms: float
    slow_ms: float
    share: float


def measure_stages(timings: Mapping[str, Float[np.ndarray, " n"]]) -> list[StageSpeed]:
    """Speed of every stage that has timings, in the order given."""
    medians = {stage: float(np.median(spent)) for stage, spent in timings.items() if len(spent)}
    total = sum(medians.values()) or 1.0
    return [
        StageSpeed(stage, median, float(np.percentile(timings[stage], 95)), median / total)
        for stage, median in medians.items()
    ]
