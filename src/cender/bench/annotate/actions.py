"""What a correction costs: actions of a scripted annotator who makes proposed volumes right, beside drawing them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cender.annotate.advice import give_advice
from cender.annotate.candidates import SeenNeurons, SeenVolumes
from cender.bench.identity.measure import Learn, collect_identities
from cender.bench.identity.subject import Subject
from cender.evaluate.pairing import Pairing, pair_volume
from cender.evaluate.rename import find_renaming, rename_pairings
from cender.types import Annotation, Identities

EACH = 2
"""Actions for one thing to put right: select or draw it, then type its number or delete it."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Actions in some volumes: to correct what was proposed, and to annotate them from nothing."""

    correcting: int
    drawing: int

    @property
    def share(self) -> float:
        """Correcting as a share of drawing."""
        return self.correcting / max(self.drawing, 1)


def count_effort(pairings: Sequence[Pairing]) -> Effort:
    """Actions of a scripted annotator.

    From nothing every true neuron takes two: draw it (the page follows it through z) and type its number. Of a proposal
    each wrong or lacking number takes two (select, type), each missing neuron two (draw, type), each named object
    that is none two (select, delete); one more marks the volume as reviewed, which accepts the rest.
    """
    correcting = drawing = 0
    for pairing in pairings:
        truth, predicted = pairing.truth, pairing.predicted
        partner = pairing.partners.partner_of_predicted
        named = np.flatnonzero(truth.identity >= 0)
        given = np.full(len(truth), -2)
        given[partner[partner >= 0]] = predicted.identity[np.flatnonzero(partner >= 0)]
        wrong = int((given[named] != truth.identity[named]).sum())
        spurious = int(((partner < 0) & (predicted.identity >= 0)).sum())
        correcting += EACH * (wrong + spurious) + 1
        drawing += EACH * len(named) + 1
    return Effort(correcting, drawing)


def measure_effort(
    subject: Subject, learn: Learn, rounds: int, each: int, seed: int, on_round: Callable[[], None] = lambda: None
) -> list[dict[str, Any]]:
    """Effort in the volumes that are suggested next, before any annotation and after each further training.

    Every round the suggested volumes are corrected and then learnt from. The numbers of the first proposal are
    arbitrary and are matched to the true ones once, as a person who begins takes over the machine's numbers.
    """
    taught: list[int] = []
    found = []
    for _ in range(rounds + 1):
        recognize = learn([subject.taught[volume] for volume in taught], list(subject.seen.values()), seed)
        answers = dict(zip(subject.seen, recognize(list(subject.seen.values())), strict=True))
        advice = give_advice(*describe_subject(subject, answers), reviewed=taught, count=each)
        chosen = [one.volume for one in advice.volumes]
        left = [volume for volume in subject.seen if volume not in taught]
        pairings = _pair(subject, answers, left)
        if not taught:
            pairings = rename_pairings(pairings, find_renaming(pairings))
        effort = count_effort([one for one in pairings if one.truth.volume in chosen])
        overall = count_effort(pairings)
        known = sorted(collect_identities([subject.taught[volume] for volume in taught]))
        found.append(
            {
                "annotated": len(taught),
                "known_identities": len(known),
                "volumes": chosen,
                "correcting": effort.correcting,
                "drawing": effort.drawing,
                "share": round(effort.share, 4),
                "share_of_all_volumes": round(overall.share, 4),
            }
        )
        taught += chosen
        on_round()
    return found


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
