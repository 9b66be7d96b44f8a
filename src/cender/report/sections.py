"""The sections of the page, one function each; a section without anything to show says so."""

import numpy as np

from cender.report.digest import Digest
from cender.report.folder import RunFacts
from cender.report.html import Child, Html, join, table, tag
from cender.report.pictures import say_annotate
from cender.report.presence import list_identities
from cender.report.reasons import count_statuses, group_reasons, say_ranges
from cender.report.settings import describe_recording, list_differences, list_models, list_versions, say_value
from cender.types.words import say_count


def write_volumes(facts: RunFacts) -> Html:
    """Counts, and every reason with its volumes."""
    if facts.volumes is None:
        return _say_nothing("The table of volumes is missing.")
    counts = count_statuses(facts.volumes)
    total = max(len(facts.volumes), 1)
    said = ", ".join(f"{number} {status} ({number / total:.0%})" for status, number in counts.items())
    intro = tag(
        "p",
        f"{say_count(len(facts.volumes), 'volume')}: {said}. "
        "Failed volumes have no results; flagged ones have, and say why.",
    )
    groups = group_reasons(facts.volumes)
    if not groups:
        return join(intro, tag("p", "Every volume is ok."))
    rows: list[tuple[Child, ...]] = [
        (
            tag("span", one.status, class_=f"badge {one.status}"),
            str(len(one.volumes)),
            one.example,
            say_ranges(one.volumes),
        )
        for one in groups
    ]
    heading = "Why volumes are flagged or failed (reasons of one kind are counted together)"
    return join(intro, table(("status", "volumes", "reason, for example", "which"), rows, heading, numeric=(1,)))


def write_legend() -> Html:
    """How to read the sample frames."""
    text = (
        "First the whole head from above: in red with one dot per neuron, and in green (the brightest value over z; "
        "green as the red camera would see it). Then single frames with boxes, each with its identity beside the "
        "picture. An identity has the same colour everywhere; grey boxes and open circles have none. Point at a neuron "
        "to read its identity. Enlarge a picture with its buttons, a double click, or Ctrl and the wheel, and drag it."
    )
    return tag("p", text)


def write_identities(facts: RunFacts, digest: Digest) -> Html:
    """How many identities there are, and each with its presence."""
    neurons, presence = facts.neurons, digest.presence
    if neurons is None or presence is None or not (neurons.identity >= 0).any():
        return _say_nothing("No neuron has an identity yet; once there are identities, they are listed here.")
    rows = list_identities(neurons, len(presence.volume))
    often = sum(row.share >= 0.9 for row in rows)
    intro = f"{say_count(len(rows), 'identity')}, {often} of them seen in at least 90 % of the volumes."
    if facts.guesses:
        intro += (
            f" {len(facts.guesses)} have a name of `cender name`, which becomes theirs once it is in identities.csv."
        )
    cells: list[tuple[Child, ...]] = [
        (
            str(row.identity),
            facts.names.get(row.identity, ""),
            _say_guess(facts.guesses.get(row.identity)),
            f"{row.share:.0%}",
            say_number(row.probability),
        )
        for row in rows
    ]
    columns = ("identity", "name", "name of the machine", "present", "mean probability")
    listing = table(columns, cells, "All identities, the most present first", numeric=(0, 3, 4))
    return join(tag("p", intro), tag("details", tag("summary", f"All identities ({len(rows)})"), listing))


def _say_guess(guess: tuple[str, float] | None) -> str:
    return "" if guess is None else f"{guess[0]} ({guess[1]:.2f})"


def write_activity(facts: RunFacts, digest: Digest) -> Html:
    """How much of the activity is there, and whether it may be motion."""
    traces = facts.traces
    if traces is None:
        return _say_nothing("There are no traces.")
    if not np.isfinite(traces.ratio).any():
        seen = [name for name in ("red", "green") if np.isfinite(getattr(traces, name)).any()]
        return _say_nothing(f"There is no ratio, only brightness in {' and '.join(seen) or 'neither channel'}.")
    sentences = [
        f"{say_count(len(traces.identity), 'trace')} of {say_count(len(traces.volume), 'volume')}; "
        f"{traces.valid.mean():.0%} of all values are valid."
    ]
    followers = [facts.name(int(traces.identity[row])) for row in digest.followers]
    if followers:
        shown = ", ".join(followers[:20]) + (", …" if len(followers) > 20 else "")
        sentences.append(
            f"The ratio follows the red brightness in {len(followers)}: {shown}. Look at these before you trust them."
        )
    elif digest.red_correlation is not None and np.isfinite(digest.red_correlation).any():
        sentences.append(
            "No ratio follows its red brightness strongly, so that motion is not a likely explanation of activity."
        )
    for name, fit in digest.bleaching.items():
        if fit.reason:
            sentences.append(f"Bleaching of {name} was not corrected: {fit.reason}.")
    return tag("p", " ".join(sentences))


def write_speed(facts: RunFacts, digest: Digest, figure: Html) -> Html:
    """Time by stage, and how that compares with the microscope."""
    if not digest.stages:
        return _say_nothing("There are no timings.")
    total = sum(one.median_ms for one in digest.stages)
    text = f"A volume takes {total:.0f} ms of work (sum of the medians of all stages)"
    rate = facts.settings.get("recording", {}).get("rate_hz")
    if isinstance(rate, int | float) and rate > 0 and total > 0:
        text += f", {1e3 / total / rate:.2g} times the pace of the recording ({rate:.3g} volumes per second)"
    rows: list[tuple[Child, ...]] = [
        (one.stage, f"{one.median_ms:.1f}", f"{one.slow_ms:.1f}", f"{one.share:.0%}") for one in digest.stages
    ]
    columns = ("stage", "median", "95th percentile", "share")
    return join(
        tag("p", f"{text}. Reading, computing and writing may overlap, so that a run can be faster than this sum."),
        tag("div", table(columns, rows, "Milliseconds per volume by stage", numeric=(1, 2, 3)), figure, class_="side"),
    )


def write_suggestions(facts: RunFacts, digest: Digest) -> Html:
    """Volumes to annotate next, and why these."""
    advice = digest.advice
    if advice is None or not advice.volumes:
        return _say_nothing("There is no volume to suggest: no neurons are known, or all volumes are annotated.")
    count = len(advice.annotated)
    known = (
        f"{count} {'volume is' if count == 1 else 'volumes are'} annotated. "
        if count
        else "No volume is annotated yet. "
    )
    times = {} if facts.volumes is None else dict(zip(facts.volumes.volume.tolist(), facts.volumes.time_s, strict=True))
    rows: list[tuple[Child, ...]] = [
        (
            str(rank),
            str(one.volume),
            say_number(float(times.get(one.volume, np.nan)), "{:.1f}"),
            one.reason,
            f"{one.gain:+.1%}",
            tag("code", say_annotate(facts, one.volume)),
        )
        for rank, one in enumerate(advice.volumes, 1)
    ]
    why = (
        f"{known}These should teach most: their postures are together nearest to those of all other volumes, and most "
        "of all to volumes in which neurons have no identity or a doubtful one. The gain is a forecast of the share of "
        f"all neurons that becomes right; expected accuracy is {advice.accuracy:.0%} now and about "
        f"{advice.forecast:.0%} with all of these annotated and learnt from."
    )
    return join(
        tag("p", why),
        table(
            ("", "volume", "time (s)", "why", "gain", "open it with"), rows, "What to annotate next", numeric=(1, 2, 4)
        ),
    )


def write_methods_box(text: str) -> Html:
    """The paragraph in a box that one click selects."""
    return join(
        tag("p", "To paste into a paper; a click selects all of it. Check it against what you did."),
        tag("blockquote", text, class_="methods", tabindex="0"),
    )


def write_provenance(facts: RunFacts) -> Html:
    """Recording, settings that differ from their defaults, versions, models, subject."""
    settings = facts.settings
    differences = list_differences(settings)
    rows: list[tuple[Child, ...]] = [
        (tag("code", one.key), one.value, "not known to this version" if one.default is None else one.default)
        for one in differences
    ]
    changed = table(("setting", "value", "default"), rows, "Settings that differ from their defaults")
    subject = settings.get("subject")
    tables: list[tuple[str, list[tuple[str, str]]]] = [
        ("Recording", describe_recording(settings.get("recording", {}))),
        ("Versions", list_versions(settings)),
        ("Models", list_models(settings)),
        ("From the red to the green camera", _list_section(settings.get("channel_map"))),
        ("Subject", _list_section(subject)),
    ]
    pairs = [_write_pairs(title, rows) for title, rows in tables if rows]
    default = tag("p", "All settings of the stages are at their defaults.")
    return join(tag("div", *pairs, class_="columns"), changed if rows else default)


def say_number(value: float, form: str = "{:.2f}") -> str:
    """A number, or a dash where it is not known."""
    return form.format(value) if np.isfinite(value) else "–"


def _say_nothing(text: str) -> Html:
    return tag("p", text, class_="nothing")


def _list_section(section: object) -> list[tuple[str, str]]:
    found = section.items() if isinstance(section, dict) else []
    return [(key, say_value(value)) for key, value in found if value not in ("", [], None)]


def _write_pairs(title: str, rows: list[tuple[str, str]]) -> Html:
    pairs = [join(tag("dt", key), tag("dd", value)) for key, value in rows]
    return tag("div", tag("h3", title), tag("dl", *pairs, class_="pairs"))
