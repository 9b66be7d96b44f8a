"""Is it worth annotating what is suggested? Accuracy after learning from volumes chosen in three ways."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from cender.annotate.advice import give_advice
from cender.bench.annotate.actions import describe_subject
from cender.bench.annotate.inputs import hash_rule, hash_truth
from cender.bench.identity.measure import Learn, run_repeat
from cender.bench.identity.split import Split
from cender.bench.identity.subject import Subject
from cender.bench.paper.items import Done, Figures, Item, measure_items
from cender.errors import DataError

SUGGESTED, EVEN, RANDOM = "suggested", "even", "random"
CHOICES = (SUGGESTED, EVEN, RANDOM)
ABOUT_S = 60
"""Rough time that one training takes on one core, for the progress bar."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many volumes are annotated, and how often a random choice is drawn for every recording.

    ``inputs`` is what the figures depend on besides the recording and the choice: settings and weights.
    """

    annotate: int
    draws: int
    seed: int = 0
    inputs: Mapping[str, Any] | None = None


def measure_choices(
    subjects: Sequence[Subject],
    learn: Learn,
    plan: Plan,
    kept: Path | None = None,
    on_item: Callable[[Done], None] = lambda done: None,
) -> dict[str, Any]:
    """Identity accuracy of all neurons in volumes that were not annotated, by how the annotated ones were chosen.

    *suggested*: the recognizer works without annotation, and `give_advice` decides on what it says; *even*: in the
    middle of equal parts of the recording; *random*: several draws. ``forecast`` is what the suggestion promised, from
    the machine's own probabilities. Trainings that the file ``kept`` has already are not done again.
    """
    advised = measure_items([_ask(one, n, learn, plan) for n, one in enumerate(subjects)], kept, {}, on_item)
    advice = [one.figures for one in advised.values()]
    chosen = [_choose(subject, n, advice[n]["volumes"], plan) for n, subject in enumerate(subjects)]
    items = [
        _teach(subjects[n], n, name, volumes, learn, plan) for n, found in enumerate(chosen) for name, volumes in found
    ]
    measured = measure_items(items, kept, {}, on_item)
    accuracy: dict[str, list[float]] = {name: [] for name in CHOICES}
    for item in items:
        accuracy[item.inputs["choice"].split()[0]].append(measured[item.key].figures["accuracy"])
    return _summarize(subjects, plan, accuracy, advice)


def _summarize(
    subjects: Sequence[Subject], plan: Plan, accuracy: dict[str, list[float]], advice: Sequence[Figures]
) -> dict[str, Any]:
    mean = {name: fmean(found) for name, found in accuracy.items()}
    truth = subjects[0].truth
    return {
        "annotate": plan.annotate,
        "recordings": len(subjects),
        "volumes": len(subjects[0].seen),
        "draws": plan.draws,
        "seed": plan.seed,
        "data": truth.source,
        "preset_hash": truth.provenance.get("preset_hash"),
        "choices": {
            name: {"accuracy": mean[name], "spread": stdev(found) if len(found) > 1 else None, "of": len(found)}
            for name, found in accuracy.items()
        },
        "gain_over_random": mean[SUGGESTED] - mean[RANDOM],
        "gain_over_even": mean[SUGGESTED] - mean[EVEN],
        "draws_beaten": _count_beaten(accuracy, plan.draws),
        "accuracy_before": fmean(one["before"] for one in advice),
        "expected_before": fmean(one["expected"] for one in advice),
        "forecast": fmean(one["forecast"] for one in advice),
    }


def _count_beaten(accuracy: dict[str, list[float]], draws: int) -> float:
    """Share of the random draws that are no better than what was suggested in the same recording."""
    suggested = np.repeat(accuracy[SUGGESTED], draws)
    return float((suggested >= np.array(accuracy[RANDOM])).mean())


def _inputs(subject: Subject, plan: Plan, number: int) -> dict[str, Any]:
    volumes = [int(volume) for volume in subject.seen]
    return {
        "data": subject.truth.source,
        "truth": hash_truth(subject),
        "volumes": [len(volumes), min(volumes), max(volumes)],
        "seed": plan.seed + number,
        "annotate": plan.annotate,
        **(plan.inputs or {}),
    }


def _name(subject: Subject, number: int, plan: Plan, what: str) -> str:
    return f"{subject.truth.source} {number}, {plan.annotate} volumes {what}"


def _ask(subject: Subject, number: int, learn: Learn, plan: Plan) -> Item:
    """What is suggested before anything is annotated."""

    def measure() -> Figures:
        labelled = find_labelled(subject, plan.annotate)
        recognize = learn([], list(subject.seen.values()), plan.seed + number)
        answers = dict(zip(subject.seen, recognize(list(subject.seen.values())), strict=True))
        advice = give_advice(*describe_subject(subject, answers), count=plan.annotate)
        chosen = [one.volume for one in advice.volumes if one.volume in labelled]
        before = run_repeat(subject, Split((), tuple(labelled)), lambda *_: recognize, plan.seed + number)
        return {
            "volumes": chosen,
            "before": before.figures.accuracy_all,
            "expected": advice.accuracy,
            "forecast": advice.forecast,
        }

    # Trainings depend on the volumes that the rule chose; only the choice depends on the rule.
    inputs = {**_inputs(subject, plan, number), "rule": hash_rule()}
    return Item(_name(subject, number, plan, "advised"), measure, inputs, ABOUT_S)


def _choose(subject: Subject, number: int, suggested: list[int], plan: Plan) -> list[tuple[str, list[int]]]:
    labelled, rng = find_labelled(subject, plan.annotate), np.random.default_rng((plan.seed, number))
    drawn = [sorted(rng.choice(labelled, plan.annotate, replace=False).tolist()) for _ in range(plan.draws)]
    named = [(f"{RANDOM} {draw}", volumes) for draw, volumes in enumerate(drawn)]
    return [(SUGGESTED, sorted(suggested)), (EVEN, space_evenly(labelled, plan.annotate)), *named]


def _teach(subject: Subject, number: int, choice: str, volumes: list[int], learn: Learn, plan: Plan) -> Item:
    """What is recognized in all other volumes after these were annotated."""

    def measure() -> Figures:
        rest = tuple(volume for volume in find_labelled(subject, plan.annotate) if volume not in volumes)
        figure = run_repeat(subject, Split(tuple(volumes), rest), learn, plan.seed + number).figures.accuracy_all
        return {"accuracy": float("nan") if figure is None else float(figure)}

    inputs = {**_inputs(subject, plan, number), "choice": choice, "taught": volumes}
    return Item(_name(subject, number, plan, choice), measure, inputs, ABOUT_S)


def find_labelled(subject: Subject, wanted: int) -> list[int]:
    """Volumes with identities, ascending; more than are to be annotated."""
    found = [volume for volume, one in subject.taught.items() if (one.identity >= 0).any() and volume in subject.seen]
    if len(found) <= wanted:
        raise DataError(
            f"{subject.truth.source}: expected more than {wanted} volumes with identities, found {len(found)}"
        )
    return sorted(found)


def space_evenly(volumes: Sequence[int], count: int) -> list[int]:
    """Volumes in the middle of equal parts of the recording."""
    rows = ((np.arange(count) + 0.5) * len(volumes) / count).astype(int)
    return [volumes[row] for row in rows.tolist()]
