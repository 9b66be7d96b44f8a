"""Is it worth annotating what is suggested? Accuracy after learning from volumes chosen in three ways."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np

from cender.annotate.advice import give_advice
from cender.bench.annotate.actions import describe_subject
from cender.bench.identity.measure import Learn, run_repeat
from cender.bench.identity.split import Split, thin_volumes
from cender.bench.identity.subject import Subject
from cender.errors import DataError


@dataclass(frozen=True, slots=True)
class Plan:
    """How many volumes are annotated, how often a random choice is drawn, and on how many volumes is tested."""

    annotate: int
    draws: int
    at_most: int | None = None
    seed: int = 0


def measure_choices(
    subjects: Sequence[Subject], learn: Learn, plan: Plan, on_training: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Identity accuracy of all neurons in volumes that were not annotated, by how the annotated ones were chosen.

    *suggested*: the recognizer works without annotation, and its probabilities (with postures where heads are known)
    decide; *even*: spaced evenly through the recording; *random*: several draws. ``forecast`` is what the suggestion
    promised, from the machine's own probabilities.
    """
    choices: dict[str, list[float]] = {"suggested": [], "even": [], "random": []}
    promised: list[tuple[float, float]] = []
    for number, subject in enumerate(subjects):
        seed = plan.seed + number
        labelled = _find_labelled(subject, plan.annotate)
        recognize = learn([], list(subject.seen.values()), seed)
        answers = dict(zip(subject.seen, recognize(list(subject.seen.values())), strict=True))
        on_training()
        advice = give_advice(*describe_subject(subject, answers), count=plan.annotate)
        promised.append((advice.accuracy, advice.forecast))
        rng = np.random.default_rng((plan.seed, number))
        chosen = [("suggested", [one.volume for one in advice.volumes]), ("even", _space(labelled, plan.annotate))]
        drawn = [sorted(rng.choice(labelled, plan.annotate, replace=False).tolist()) for _ in range(plan.draws)]
        for name, volumes in [*chosen, *(("random", one) for one in drawn)]:
            rest = tuple(volume for volume in labelled if volume not in volumes)
            split = Split(tuple(volumes), thin_volumes(rest, plan.at_most))
            figure = run_repeat(subject, split, learn, seed).figures.accuracy_all
            choices[name].append(float("nan") if figure is None else float(figure))
            on_training()
    mean = {name: fmean(found) for name, found in choices.items()}
    figures = {name: {"accuracy": mean[name], "spread": _spread(found)} for name, found in choices.items()}
    return {
        "annotate": plan.annotate,
        "recordings": len(subjects),
        "draws": plan.draws,
        "seed": plan.seed,
        "data": subjects[0].truth.source,
        "preset_hash": subjects[0].truth.provenance.get("preset_hash"),
        "choices": figures,
        "gain_over_random": mean["suggested"] - mean["random"],
        "gain_over_even": mean["suggested"] - mean["even"],
        "expected_before": fmean(one for one, _ in promised),
        "forecast": fmean(one for _, one in promised),
    }


def _find_labelled(subject: Subject, wanted: int) -> list[int]:
    found = [volume for volume, one in subject.taught.items() if (one.identity >= 0).any() and volume in subject.seen]
    if len(found) <= wanted:
        raise DataError(
            f"{subject.truth.source}: expected more than {wanted} volumes with identities, found {len(found)}"
        )
    return sorted(found)


def _space(volumes: Sequence[int], count: int) -> list[int]:
    """Volumes in the middle of equal parts of the recording."""
    rows = ((np.arange(count) + 0.5) * len(volumes) / count).astype(int)
    return [volumes[row] for row in rows.tolist()]


def _spread(values: Sequence[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None
