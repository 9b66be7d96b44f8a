"""What the page says about a run, computed once from what the folder holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from cender.activity import Bleaching, fit_bleaching
from cender.annotate.advice import Advice
from cender.io.results.advice import suggest_annotation
from cender.report.folder import RunFacts
from cender.report.presence import Presence, count_presence
from cender.report.speed import StageSpeed, measure_stages
from cender.report.traces import correlate_with_red

Channel = Literal["red", "green"]
SUGGESTIONS = 5
"""Suggestions that the report lists."""
FOLLOWS_CORRELATION = 0.5
"""A ratio is said to follow its red brightness from this correlation on, if chance does not reach it."""


@dataclass(frozen=True, slots=True)
class Digest:
    """Figures of a run; a part is None (or empty) where the folder does not hold what it needs.

    ``clock`` is the time of each volume, or its index where times are not known, as ``clock_label`` says.
    """

    clock: Float[np.ndarray, " n"]
    clock_label: Literal["time (s)", "volume"]
    presence: Presence | None
    advice: Advice | None
    stages: tuple[StageSpeed, ...]
    red_correlation: Float[np.ndarray, " k"] | None
    red_chance: float
    bleaching: Mapping[Channel, Bleaching]

    @property
    def followers(self) -> Int[np.ndarray, " f"]:
        """Rows of the traces whose ratio follows the red brightness more than chance would have it."""
        if self.red_correlation is None:
            return np.zeros(0, int)
        limit = max(FOLLOWS_CORRELATION, np.nan_to_num(self.red_chance))
        return np.flatnonzero(np.abs(np.nan_to_num(self.red_correlation)) > limit)


def digest_run(facts: RunFacts) -> Digest:
    """The figures of a run."""
    volumes, neurons, traces = facts.volumes, facts.neurons, facts.traces
    clock, label = _choose_clock(facts)
    presence = None if volumes is None or neurons is None else count_presence(neurons, volumes.volume)
    whole = volumes is not None and neurons is not None
    advice = suggest_annotation(facts.run.path, SUGGESTIONS) if whole else None
    correlation, chance = None, float("nan")
    if traces is not None and np.isfinite(traces.ratio).any():
        correlation, chance = correlate_with_red(traces)
    timings: Mapping[str, Float[np.ndarray, " n"]] = facts.timings or {}
    stages = tuple(measure_stages(timings))
    fading = fit_channels(facts)
    return Digest(clock, label, presence, advice, stages, correlation, chance, fading)


def fit_channels(facts: RunFacts) -> dict[Channel, Bleaching]:
    """Bleaching of the channels that were measured, found as the run found it."""
    traces = facts.traces
    if traces is None or facts.settings.get("activity", {}).get("bleaching") == "none":
        return {}
    clock = traces.time_s if np.isfinite(traces.time_s).all() else traces.volume.astype(float)
    channels: dict[Channel, Float[np.ndarray, "k t"]] = {"red": traces.red, "green": traces.green}
    return {name: fit_bleaching(light, clock) for name, light in channels.items() if np.isfinite(light).any()}


def _choose_clock(facts: RunFacts) -> tuple[Float[np.ndarray, " n"], Literal["time (s)", "volume"]]:
    volumes = facts.volumes
    if volumes is None:
        return np.zeros(0), "volume"
    if len(volumes) and np.isfinite(volumes.time_s).all():
        return volumes.time_s, "time (s)"
    return volumes.volume.astype(float), "volume"
