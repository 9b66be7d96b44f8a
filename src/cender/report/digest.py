"""What the page says about a run, computed once from what the folder holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from cender.activity import Bleaching, fit_bleaching
from cender.annotate.advice import give_advice
from cender.annotate.candidates import SeenNeurons, SeenVolumes
from cender.annotate.suggest import Suggestion
from cender.report.folder import NeuronColumns, RunFacts, VolumeColumns, read_finds
from cender.report.presence import Presence, count_presence
from cender.report.speed import StageSpeed, measure_stages
from cender.report.traces import correlate_with_red

Channel = Literal["red", "green"]
SUGGESTIONS = 5
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
    annotated: tuple[int, ...]
    suggestions: tuple[Suggestion, ...]
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


def digest_run(facts: RunFacts, suggestions: int = SUGGESTIONS) -> Digest:
    """The figures of a run."""
    volumes, neurons, traces = facts.volumes, facts.neurons, facts.traces
    clock, label = _choose_clock(facts)
    annotated = () if neurons is None else tuple(np.unique(neurons.volume[neurons.human]).tolist())
    presence = None if volumes is None or neurons is None else count_presence(neurons, volumes.volume)
    wanted: list[Suggestion] = []
    if volumes is not None and neurons is not None:
        wanted = suggest_next(volumes, neurons, suggestions)
    correlation, chance = None, float("nan")
    if traces is not None and np.isfinite(traces.ratio).any():
        correlation, chance = correlate_with_red(traces)
    timings: Mapping[str, Float[np.ndarray, " n"]] = facts.timings or {}
    stages = tuple(measure_stages(timings))
    fading = fit_channels(facts)
    return Digest(clock, label, presence, annotated, tuple(wanted), stages, correlation, chance, fading)


def suggest_next(volumes: VolumeColumns, neurons: NeuronColumns, count: int) -> list[Suggestion]:
    """Volumes to annotate next, the best first: one rule and one order for the console and the page."""
    quality = np.where([status == "ok" for status in volumes.status], volumes.quality, np.nan)
    order = np.argsort(neurons.volume, kind="stable")
    order = order[np.isin(neurons.volume[order], volumes.volume)]
    columns = (neurons.volume, neurons.identity, neurons.probability, neurons.centre_um, neurons.human)
    seen = SeenNeurons(*(column[order] for column in columns))
    return list(give_advice(SeenVolumes(volumes.volume, volumes.time_s, quality), seen, count=count).volumes)


def suggest_in_folder(path: Path, count: int = SUGGESTIONS) -> list[Suggestion]:
    """The same suggestions as on the page of a run folder; none where it has no neurons."""
    volumes, neurons = read_finds(path)
    return suggest_next(volumes, neurons, count)


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
