"""What deserves a look, in the order of how much it matters."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from cender.report.digest import FOLLOWS_CORRELATION, Digest
from cender.report.folder import RunFacts
from cender.report.reasons import count_statuses
from cender.types.doubt import FEW_SHARE, UNSURE_BELOW
from cender.types.words import say_count

Level = Literal["problem", "look", "good"]


class Point(NamedTuple):
    """One thing to know, and the section of the page that shows it."""

    level: Level
    text: str
    section: str


def list_points(facts: RunFacts, digest: Digest) -> list[Point]:
    """Points about a run, problems first; a run without any gets one that says so."""
    points = [
        *_judge_volumes(facts),
        *_judge_neurons(digest),
        *_judge_identities(digest),
        *_judge_activity(facts, digest),
    ]
    if not points:
        return [Point("good", "Nothing stands out: no volume failed, and identities and traces look sound.", "volumes")]
    return sorted(points, key=lambda point: ("problem", "look", "good").index(point.level))


def _judge_volumes(facts: RunFacts) -> Iterator[Point]:
    if facts.volumes is None or not len(facts.volumes):
        return
    counts, total = count_statuses(facts.volumes), len(facts.volumes)
    if counts["failed"]:
        level: Level = "problem" if counts["failed"] > 0.05 * total else "look"
        yield Point(level, f"{counts['failed']} of {say_count(total, 'volume')} gave no result.", "volumes")
    if counts["flagged"]:
        level = "problem" if counts["flagged"] > 0.2 * total else "look"
        are = "is" if counts["flagged"] == 1 else "are"
        text = f"{counts['flagged']} of {say_count(total, 'volume')} {are} flagged as unsure."
        yield Point(level, text, "volumes")


def _judge_neurons(digest: Digest) -> Iterator[Point]:
    if digest.presence is None or not len(digest.presence.found):
        return
    found = digest.presence.found
    usual = float(np.median(found[found > 0])) if (found > 0).any() else 0.0
    few = int(((found > 0) & (found < FEW_SHARE * usual)).sum())
    if few:
        where, share = f"In {say_count(few, 'volume')}", f"{100 * FEW_SHARE:.0f} %"
        text = f"{where} fewer than {share} of the usual {usual:.0f} neurons are found."
        yield Point("look", text, "identities")


def _judge_identities(digest: Digest) -> Iterator[Point]:
    presence = digest.presence
    if presence is None or not presence.found.any():
        return
    if not presence.recognized.any():
        yield Point("problem", "No neuron has an identity, so that there is no activity to show.", "annotate")
        return
    refused = 1 - presence.recognized.sum() / max(presence.found.sum(), 1)
    if refused > 0.3:
        yield Point("look", f"{refused:.0%} of the neurons found have no identity.", "identities")
    mean = float(np.nanmean(presence.probability)) if np.isfinite(presence.probability).any() else 1.0
    if mean < UNSURE_BELOW:
        yield Point("problem", f"Identities are right with a mean probability of only {mean:.2f}.", "identities")
    if digest.advice is None or not digest.advice.annotated:
        text = "No volume is annotated: numbers follow each neuron through the recording, but are otherwise arbitrary."
        yield Point("look", text, "annotate")


def _judge_activity(facts: RunFacts, digest: Digest) -> Iterator[Point]:
    yield from _judge_map(facts.settings.get("channel_map"))
    traces = facts.traces
    if traces is None:
        return
    if not np.isfinite(traces.ratio).any():
        lacking = "green" if not np.isfinite(traces.green).any() else "red"
        yield Point("problem", f"There is no ratio: nothing was measured in the {lacking} channel.", "activity")
        return
    valid = float(traces.valid.mean())
    if valid < 0.6:
        yield Point("problem", f"Only {valid:.0%} of the values of the traces are valid.", "activity")
    if len(digest.followers):
        count, total = len(digest.followers), len(traces.identity)
        above = f"(|r| above {FOLLOWS_CORRELATION:g})"
        text = f"{count} of {total} ratios follow their red brightness {above}: this may be motion."
        yield Point("problem" if count > 0.2 * total else "look", text, "activity")


def _judge_map(channel_map: Any) -> Iterator[Point]:
    if isinstance(channel_map, dict) and channel_map.get("source") == "identity" and channel_map.get("reason"):
        text = f"The green camera was taken to fit the red one as it is: {channel_map['reason']}"
        yield Point("look", text if text.endswith(".") else f"{text}.", "activity")
