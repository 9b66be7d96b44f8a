"""The figures of the page, each with its caption; what cannot be drawn becomes a gap."""

from dataclasses import dataclass
from shlex import quote

import numpy as np
from jaxtyping import Int

from cender.plots.activity import Fading, draw_bleaching
from cender.plots.report.activity import draw_heat_map, draw_motion, draw_traces
from cender.plots.report.frames import choose_frames, draw_sample
from cender.plots.report.passage import draw_passage
from cender.plots.report.speed import draw_speed
from cender.plots.report.style import Picture, render_figure
from cender.plots.report.timeline import draw_outcomes, draw_presence
from cender.report.digest import Digest
from cender.report.folder import Gap, RunFacts
from cender.report.passage import gather_passage
from cender.report.samples import gather_samples
from cender.report.traces import Shown, choose_shown, choose_varying
from cender.types.doubt import UNSURE_BELOW

TRACES = 10
"""Traces in the figure of those that vary most."""


@dataclass(frozen=True, slots=True)
class Illustration:
    """A figure of the page: the name of its files, the section it stands in, what it shows, and itself."""

    name: str
    section: str
    caption: str
    picture: Picture
    photograph: bool = False


def draw_all(facts: RunFacts, digest: Digest) -> tuple[list[Illustration], list[Gap]]:
    """Every figure for which the folder holds the data, in the order of the page, and what is missing for others."""
    samples, gaps = _draw_samples(facts, digest)
    return [*_draw_timelines(facts, digest), *samples, *_draw_activity(facts, digest), *_draw_speed(digest)], gaps


def _draw_timelines(facts: RunFacts, digest: Digest) -> list[Illustration]:
    drawn = []
    volumes, presence = facts.volumes, digest.presence
    if volumes is not None and len(volumes) == 1:
        # Nothing can be drawn through time, which the top of the page says.
        return []
    if volumes is not None and len(volumes):
        figure = draw_outcomes(digest.clock, digest.clock_label, volumes.status, volumes.quality)
        caption = (
            "What became of each volume, and how far the head found in it can be trusted. Bars of flagged and failed "
            "volumes are taller; crosses are volumes that are not ok."
        )
        drawn.append(Illustration("volumes", "volumes", caption, render_figure(figure)))
    if presence is not None and presence.found.any():
        # A volume without a result has no number of neurons, which is not the same as none.
        done = np.where(presence.found > 0, 1.0, np.nan)
        counts = {"found": presence.found * done, "with an identity": presence.recognized * done}
        probability = np.stack([presence.low, presence.probability, presence.high])
        figure = draw_presence(digest.clock, digest.clock_label, counts, probability, UNSURE_BELOW)
        caption = "Neurons found and recognized in each volume, and how sure their identities are."
        drawn.append(Illustration("presence", "identities", caption, render_figure(figure)))
    return drawn


def say_annotate(facts: RunFacts, volume: int) -> str:
    """The command that opens a volume in the annotation page, as a shell takes it."""
    return f"cender annotate {quote(facts.run.path.name)} --volume {volume}"


def _draw_samples(facts: RunFacts, digest: Digest) -> tuple[list[Illustration], list[Gap]]:
    if digest.presence is None:
        return [], []
    samples, gaps = gather_samples(facts, digest.presence)
    drawn = []
    for number, sample in enumerate(samples, 1):
        frames = choose_frames(sample.regions, 3 if sample.green is None else 2)
        figure, hovers = draw_sample(sample, frames, facts.name)
        ground = "" if sample.red is not None else " The recording itself cannot be shown (see what is missing)."
        caption = f"{sample.title}.{ground} Open it with: {say_annotate(facts, sample.volume)}"
        picture = render_figure(figure, hovers, photograph=True)
        drawn.append(Illustration(f"frames_{number}", "frames", caption, picture, True))
    return drawn, gaps


def _draw_activity(facts: RunFacts, digest: Digest) -> list[Illustration]:
    traces = facts.traces
    if traces is None or len(traces.volume) < 2 or not np.isfinite(traces.ratio).any():
        return []
    shown = choose_shown(traces, facts.settings)
    rows = choose_varying(shown.traces, TRACES)
    chart, hovers = draw_heat_map(shown.traces, facts.name, shown.label)
    drawings = {
        "heat_map": (
            chart,
            "Activity (ΔR/R0) of every identity through the recording; identities that are active together stand "
            f"together. Grey: missing or not sure. {shown.words}",
        ),
        "traces": (
            draw_traces(shown.traces, rows.tolist(), facts.name, UNSURE_BELOW, shown.label),
            f"The {len(rows)} traces that vary most against their own noise. Grey bands: no valid value, nothing is "
            f"filled in. Orange: identity with a probability below {UNSURE_BELOW:g}. {shown.words}",
        ),
    }
    if digest.red_correlation is not None:
        followers = digest.followers.tolist()
        drawings["motion"] = (
            draw_motion(traces, digest.red_correlation, digest.red_chance, followers, facts.name),
            "Is it motion? Left: correlation of each ratio with its own red brightness, which should not depend on "
            "activity (slow trends taken out; dashed: what chance reaches). A little below zero is usual, because "
            "noise in red is in the denominator. Right: ratio against red where the correlation is strongest, late "
            "volumes dark.",
        )
    fading = {
        name: Fading(fit.times_s, fit.level, fit.fit, fit.reason)
        for name, fit in digest.bleaching.items()
        if len(fit.times_s)
    }
    if fading:
        drawings["bleaching"] = (
            draw_bleaching(fading),
            "Bleaching: how bright all identities are together, relative to the start (dots), and the curve that was "
            "taken off (line).",
        )
    found = [
        Illustration(name, "activity", caption, render_figure(figure, hovers if name == "heat_map" else ()))
        for name, (figure, caption) in drawings.items()
    ]
    return [*found[:2], *_draw_passage(facts, digest, shown, rows), *found[2:]]


def _draw_passage(facts: RunFacts, digest: Digest, shown: Shown, rows: Int[np.ndarray, " c"]) -> list[Illustration]:
    """The neuron that varies most, as the microscope saw it."""
    passage = gather_passage(facts, digest, shown, int(rows[0])) if len(rows) else None
    if passage is None:
        return []
    caption = (
        f"The neuron whose trace varies most, in its middle frame at the times of the orange lines "
        f"(above the patches: {passage.clock_label}). All patches of a channel have one contrast: what brightens here "
        f"was brighter. If another neuron comes into the middle, the identity jumped. {shown.words}"
    )
    return [Illustration("passage", "activity", caption, render_figure(draw_passage(passage), photograph=True), True)]


def _draw_speed(digest: Digest) -> list[Illustration]:
    if not digest.stages:
        return []
    stages = {one.stage: (one.median_ms, one.slow_ms) for one in digest.stages}
    caption = "Time of each stage for one volume: median, and 95th percentile as a thin line."
    return [Illustration("speed", "speed", caption, render_figure(draw_speed(stages)))]
