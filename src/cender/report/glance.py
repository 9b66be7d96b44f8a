"""The first section of the page: the main numbers, what deserves a look, and what is missing."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from cender.report.attention import Point
from cender.report.digest import Digest
from cender.report.folder import Gap, RunFacts
from cender.report.html import Child, Html, join, list_items, tag
from cender.report.reasons import count_statuses
from cender.report.sections import say_number
from cender.types.doubt import RESULT_FROM
from cender.types.words import say_count


def write_glance(facts: RunFacts, digest: Digest, points: Sequence[Point], gaps: Sequence[Gap]) -> Html:
    """Cards with the main numbers, what deserves a look, and what is missing."""
    cards = [tag("div", tag("dt", name), tag("dd", value), class_="card") for value, name in _list_cards(facts, digest)]
    words = {"problem": "problem", "look": "look", "good": "good"}
    rows: list[Child] = [
        join(tag("span", words[one.level], class_=f"badge {one.level}"), tag("span", one.text, " ", _link(one.section)))
        for one in points
    ]
    trust = facts.run.load_trust()
    doubts: list[Child] = [str(one) for one in facts.run.load_doubts()]
    parts: list[Child] = [
        *([tag("p", trust, class_="trust")] if trust else []),
        *(tag("p", text, class_="alert") for text in _list_alerts(facts, digest)),
        *([tag("h3", "What the run found unsure"), list_items(doubts, "missing")] if doubts else []),
        tag("dl", *cards, class_="cards"),
        tag("h3", "What deserves a look"),
        list_items(rows, "points"),
    ]
    if gaps:
        missing: list[Child] = [join(tag("strong", gap.what), ": ", gap.why, _say_remedy(gap)) for gap in gaps]
        parts += [tag("h3", "What is missing"), list_items(missing, "missing")]
    return join(*parts)


def _list_alerts(facts: RunFacts, digest: Digest) -> list[str]:
    """What keeps this from being a result, or from having plots through time."""
    alerts = []
    presence = digest.presence
    if presence is not None and presence.found.any():
        share = presence.recognized.sum() / presence.found.sum()
        if not presence.recognized.any():
            alerts.append("Not a result yet: no neuron has an identity, so that there are no traces.")
        elif share < RESULT_FROM:
            alerts.append(f"Not a result yet: only {share:.0%} of the neurons have an identity.")
    if facts.volumes is not None and len(facts.volumes) == 1:
        alerts.append("This run has a single volume: there is nothing to follow through time.")
    return alerts


def _list_cards(facts: RunFacts, digest: Digest) -> list[tuple[str, str]]:
    """Numbers and what they are."""
    cards: list[tuple[str, str]] = []
    if facts.volumes is not None:
        counts = count_statuses(facts.volumes)
        cards.append((str(counts["ok"]), f"of {say_count(len(facts.volumes), 'volume')} ok"))
        times = facts.volumes.time_s[np.isfinite(facts.volumes.time_s)]
        if len(times) > 1:
            cards.append((_say_duration(float(times.max() - times.min())), "from the first to the last volume"))
    presence = digest.presence
    if presence is not None and presence.found.any():
        cards.append((f"{np.median(presence.found[presence.found > 0]):.0f}", "neurons in a usual volume"))
        if presence.recognized.any():
            cards.append((f"{presence.recognized.sum() / presence.found.sum():.0%}", "of neurons have an identity"))
            cards.append((say_number(_mean(presence.probability)), "mean probability of identities"))
    if facts.traces is not None:
        cards.append((str(len(facts.traces.identity)), f"traces, {facts.traces.valid.mean():.0%} valid"))
    if digest.stages:
        total_ms = sum(one.median_ms for one in digest.stages)
        cards.append((f"{total_ms:.0f} ms" if total_ms < 999.5 else f"{total_ms / 1e3:.1f} s", "of work per volume"))
    return cards


def _mean(values: Float[np.ndarray, " n"]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def _say_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 180 else f"{seconds / 60:.1f} min"


def _say_remedy(gap: Gap) -> Html | None:
    return join(" — ", tag("code", gap.remedy)) if gap.remedy else None


def _link(section: str) -> Html:
    return tag("a", "show", href=f"#{section}")
