"""What a correction costs: actions of a scripted annotator who makes proposed volumes right, beside drawing them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from cender.annotate.advice import give_advice
from cender.annotate.candidates import SeenNeurons, SeenVolumes
from cender.bench.annotate.inputs import hash_rule, hash_truth
from cender.bench.identity.measure import Learn, collect_identities
from cender.bench.identity.subject import Subject
from cender.bench.paper.items import Done, Figures, Item, measure_items
from cender.evaluate.pairing import Pairing, pair_volume
from cender.evaluate.rename import find_renaming, rename_pairings
from cender.types import Annotation, Identities

EACH = 2
"""Actions for one thing to put right: select or draw it, then type its number or delete it."""
ABSENT = -2
"""Stands for the identity of a true neuron that was not found at all (-1 is found without identity)."""


ABOUT_S = 60
"""Rough time that one round takes on one core, for the progress bar."""


@dataclass(frozen=True, slots=True)
class EffortPlan:
    """Trainings after the first, volumes that are corrected before each, and what else the figures depend on."""

    rounds: int
    each: int
    seed: int = 0
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effort:
    """Actions in some volumes: to correct what was proposed, and to annotate them from nothing.

    Of the ``neurons`` some were ``wrong`` (another number, or none) or ``missing``; ``spurious`` objects had a number.
    """

    neurons: int
    wrong: int
    missing: int
    spurious: int
    correcting: int
    drawing: int

    @property
    def share(self) -> float:
        """Correcting as a share of drawing."""
        return self.correcting / max(self.drawing, 1)


def count_effort(pairings: Sequence[Pairing]) -> Effort:
    """Actions of a scripted annotator.

    From nothing every true neuron takes two: draw it (the page follows it through z) and type its number. Of a proposal
    each wrong or lacking number takes two (select, type), or both of a pair that has changed places (select, swap with
    the other); each missing neuron takes two (draw, type), each named object that is none two (select, delete); one
    more marks the volume as reviewed, which accepts the rest.
    """
    counted = np.zeros(6, int)
    for pairing in pairings:
        truth, predicted = pairing.truth, pairing.predicted
        partner = pairing.partners.partner_of_predicted
        named = np.flatnonzero(truth.identity >= 0)
        given = np.full(len(truth), ABSENT)
        given[partner[partner >= 0]] = predicted.identity[np.flatnonzero(partner >= 0)]
        missing = int((given[named] == ABSENT).sum())
        wrong = int((given[named] != truth.identity[named]).sum()) - missing
        spurious = int(((partner < 0) & (predicted.identity >= 0)).sum())
        todo = wrong - _count_swapped(truth.identity[named], given[named]) + missing + spurious
        counted += (len(named), wrong, missing, spurious, EACH * todo + 1, EACH * len(named) + 1)
    return Effort(*counted.tolist())


def _count_swapped(right: Int[np.ndarray, " n"], given: Int[np.ndarray, " n"]) -> int:
    """Pairs of neurons that have each other's number."""
    names = dict(zip(right.tolist(), given.tolist(), strict=True))
    return sum(names.get(other) == one for one, other in names.items() if one < other)


def measure_effort(
    subject: Subject,
    learn: Learn,
    plan: EffortPlan,
    kept: Path | None = None,
    on_item: Callable[[Done], None] = lambda done: None,
) -> list[Figures]:
    """Effort in the volumes that are suggested next, before any annotation and after each further training.

    Every round the suggested volumes are corrected and then learnt from. The numbers of the first proposal are
    arbitrary and are matched to the true ones once, as a person who begins takes over the machine's numbers.
    Rounds that the file ``kept`` has already are not measured again.
    """
    taught: list[int] = []
    found: list[Figures] = []
    same = {"truth": hash_truth(subject), "rule": hash_rule(), "each": plan.each, "seed": plan.seed, **plan.inputs}
    for number in range(plan.rounds + 1):
        inputs = {"animal": subject.truth.source, "taught": list(taught), **same}
        measure = partial(_measure_round, subject, learn, plan, list(taught))
        item = Item(f"{subject.truth.source}, round {number}", measure, inputs, ABOUT_S)
        (done,) = measure_items([item], kept, {}, on_item).values()
        found.append(done.figures)
        taught += done.figures["volumes"]
    return found


def _measure_round(subject: Subject, learn: Learn, plan: EffortPlan, taught: list[int]) -> Figures:
    recognize = learn([subject.taught[volume] for volume in taught], list(subject.seen.values()), plan.seed)
    answers = dict(zip(subject.seen, recognize(list(subject.seen.values())), strict=True))
    advice = give_advice(*describe_subject(subject, answers), reviewed=taught, count=plan.each)
    chosen = [one.volume for one in advice.volumes]
    pairings = _pair(subject, answers, [volume for volume in subject.seen if volume not in taught])
    if not taught:
        pairings = rename_pairings(pairings, find_renaming(pairings))
    effort = count_effort([one for one in pairings if one.truth.volume in chosen])
    overall = count_effort(pairings)
    return {
        "annotated": len(taught),
        "known_identities": len(collect_identities([subject.taught[volume] for volume in taught])),
        "volumes": chosen,
        "correcting": effort.correcting,
        "drawing": effort.drawing,
        "share": round(effort.share, 4),
        "share_of_all_volumes": round(overall.share, 4),
        "of_all_volumes": {
            "neurons": overall.neurons,
            "wrong": overall.wrong,
            "missing": overall.missing,
            "spurious": overall.spurious,
        },
    }


def describe_subject(subject: Subject, answers: dict[int, Identities]) -> tuple[SeenVolumes, SeenNeurons]:
    """What a recognizer said of a recording, as advice is given on."""
    order = sorted(subject.seen)
    volumes = [subject.seen[volume] for volume in order]
    counts = [len(one) for one in volumes]
    times = np.array([subject.time_s.get(volume, np.nan) for volume in order], float)
    numbers = SeenVolumes(np.array(order), times, np.ones(len(order)))
    neurons = SeenNeurons(
        np.repeat(order, counts),
        np.concatenate([answers[volume].identity for volume in order]),
        np.concatenate([np.asarray(answers[volume].probability, float) for volume in order]),
        np.concatenate([one.centre_um for one in volumes]),
        np.zeros(sum(counts), bool),
    )
    return numbers, neurons


def _pair(subject: Subject, answers: dict[int, Identities], volumes: Sequence[int]) -> tuple[Pairing, ...]:
    def name(volume: int) -> Annotation:
        answer = answers[volume]
        return replace(subject.seen[volume], identity=answer.identity, probability=answer.probability)

    return tuple(pair_volume(name(volume), subject.truth.annotations[volume]) for volume in volumes)
