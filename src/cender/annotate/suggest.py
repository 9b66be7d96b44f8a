"""Which volumes to annotate next: those that together show all neurons and are like all others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.annotate.candidates import Candidates, SeenNeurons
from cender.annotate.coverage import measure_cover
from cender.annotate.reasons import say_cover, say_doubt, say_number_doubt, say_posture

ALWAYS = 0.25
"""Weight of a neuron that is surely named, against one that surely is not: what is learnt must be right there too."""
LATE = 0.3
"""Spread of time beside that of postures: alike volumes far apart teach a little more than neighbours."""
LEARNT = 0.5
"""Share of the doubt about volumes just like an annotated one that is gone after training, in the forecast."""
FULL = 25
"""Percentile of the neurons in a volume below which it is not suggested: too many identities are missing from it."""
APART_S, APART_SHARE = 5.0, 0.1
"""Volumes that are nearer in time, in seconds and as a share of the recording, are not both suggested."""
MOST_ROWS = 500
"""Volumes that are looked at: in a longer recording so many, spread evenly, stand for all."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A volume to annotate, how much of it is unsure (0 to 1), why, in words, and what it should gain.

    ``gain`` is a forecast: the share of all neurons of the recording that should be rightly identified in addition,
    after this volume and those before it in the list.
    """

    volume: int
    doubt: float
    reason: str
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class NeuronSuggestion:
    """A neuron to look at: where it is in doubt most, under which number (-1: none), and why.

    ``doubt`` is the probability that it is not rightly identified there; ``gain`` the share of all neurons of the
    recording that are probably not rightly identified under this number, which is what one correction can lead to at
    most.
    """

    volume: int
    row: int
    identity: int
    doubt: float
    gain: float
    reason: str


@dataclass(frozen=True, slots=True)
class Field:
    """The volumes among which is chosen: their rows, what each weighs, and how unlike each other they are.

    ``usual`` is the median distance of two volumes; ``clock`` their time, or their number where it is not known.
    """

    row: Int[np.ndarray, " r"]
    clock: Float[np.ndarray, " r"]
    weight: Float[np.ndarray, " r"]
    unlike: Float[np.ndarray, "r r"]
    usual: float


def choose_rows(candidates: Candidates, annotated: Sequence[int] = ()) -> Int[np.ndarray, " r"]:
    """Rows of the volumes with neurons that are looked at: all or an even choice, and annotated ones as well."""
    usable = np.flatnonzero(candidates.neurons > 0)
    if len(usable) <= MOST_ROWS:
        return usable
    even = usable[np.linspace(0, len(usable) - 1, MOST_ROWS).round().astype(int)]
    known = np.intersect1d(usable, np.flatnonzero(np.isin(candidates.volume, list(annotated))))[:MOST_ROWS]
    return np.union1d(even, known)


def suggest_volumes(
    candidates: Candidates,
    row: Int[np.ndarray, " r"],
    posture: Float[np.ndarray, "r p"],
    shown: Float[np.ndarray, "r k"],
    annotated: Sequence[int] = (),
    count: int = 5,
) -> list[Suggestion]:
    """Volumes to annotate next, the best first.

    Volumes are taken one after the other, each time the one that is worth most: that shows identities which no
    annotated or suggested volume shows (as a share of all sightings), and that brings all others nearest to something
    annotated (as a share of the sum over volumes of the distance in posture, and a little in time, to the nearest
    annotated or suggested one, weighted by neurons and doubt). So the first has a usual posture and shows most neurons,
    the next stand for what is unlike it, and neighbours in time are not named twice. Volumes with few neurons or a head
    that is not ok are not suggested while there are others.

    Parameters
    ----------
    row
        The volumes to choose among (`choose_rows`).
    posture
        Their postures, in micrometres.
    shown
        Probability that they show each identity (`cender.annotate.coverage.list_shown`).
    annotated
        Volumes that need no further look.
    """
    doubt = measure_doubt(candidates)
    field = _lay_out(candidates, row, posture, doubt)
    known = np.isin(candidates.volume[row], list(annotated))
    near = field.unlike[:, known].min(axis=1) if known.any() else np.full(len(row), field.unlike.max(initial=1.0))
    free = ~known
    usual = float(np.median(doubt[row[free]])) if free.any() else 0.0
    farthest = max(float(field.weight @ near), 1e-12)
    covered = shown[known].max(axis=0, initial=0.0)
    chosen: list[Suggestion] = []
    while free.any() and len(chosen) < count:
        nearer = field.weight @ np.maximum(near[:, None] - field.unlike, 0.0) / farthest
        cover = measure_cover(shown, covered)
        worth = cover + nearer
        best = int(np.where(_prefer(candidates, field, free), worth, -1.0).argmax())
        closer = np.minimum(near, field.unlike[:, best])
        share = float(field.weight[closer < near].sum() / max(field.weight.sum(), 1e-12))
        taken = [*annotated, *(one.volume for one in chosen)]
        known_words = say_cover(float(cover[best]), bool(taken)) + say_posture(share, bool(taken))
        reason = f"{known_words}; {say_doubt(candidates, int(row[best]), usual)}"
        gain = _forecast_gain(candidates.neurons[row], np.where(free, doubt[row], 0.0), (near, closer), field, best)
        chosen.append(Suggestion(int(candidates.volume[row[best]]), float(doubt[row[best]]), reason, gain))
        near, free[best], covered = closer, False, np.maximum(covered, shown[best])
    return chosen


def _lay_out(
    candidates: Candidates,
    row: Int[np.ndarray, " r"],
    posture: Float[np.ndarray, "r p"],
    doubt: Float[np.ndarray, " n"],
) -> Field:
    time_s = candidates.time_s[row]
    clock = time_s if np.isfinite(time_s).all() else candidates.volume[row].astype(float)
    spread = float(np.sqrt(posture.var(axis=0).sum())) if len(row) else 0.0
    late = clock / max(float(clock.std()), 1e-9) if len(row) else clock
    place = np.concatenate([posture, (LATE * spread if spread > 0 else 1.0) * late[:, None]], axis=1)
    square = (place**2).sum(axis=1)
    unlike = np.sqrt(np.maximum(square[:, None] + square - 2 * place @ place.T, 0.0))
    weight = candidates.neurons[row] * (ALWAYS + doubt[row])
    return Field(row, clock, weight, unlike, float(np.median(unlike)) if len(row) else 1.0)


def _prefer(candidates: Candidates, field: Field, free: Bool[np.ndarray, " r"]) -> Bool[np.ndarray, " r"]:
    """The free volumes that are ok, have no fewer neurons than most and are no neighbours of others in time.

    Where no volume has all of that, neighbours are allowed first, then heads that are not ok, then few neurons.
    """
    row, clock = field.row, field.clock
    full = free & (candidates.neurons[row] >= np.percentile(candidates.neurons[row], FULL))
    ok = np.isfinite(candidates.quality[row])
    apart = min(APART_S, APART_SHARE * float(np.ptp(clock)))
    alone = np.ones(len(row), bool)
    if not free.all():
        alone = np.abs(clock[:, None] - clock[~free]).min(axis=1) >= apart
    wishes = (full & ok & alone, full & ok, full & alone, full, free)
    return next(mask for mask in wishes if mask.any())


def _forecast_gain(
    neurons: Int[np.ndarray, " r"],
    doubt: Float[np.ndarray, " r"],
    near: tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]],
    field: Field,
    best: int,
) -> float:
    """Share of all neurons that should become right: all of the volume itself, part of those that are like it."""
    before, after = (np.exp(-0.5 * (one / max(field.usual, 1e-9)) ** 2) for one in near)
    gone = LEARNT * doubt * np.maximum(after - before, 0.0)
    gone[best] = doubt[best]
    return float((gone * neurons).sum() / max(int(neurons.sum()), 1))


def measure_doubt(candidates: Candidates) -> Float[np.ndarray, " n"]:
    """Share of a volume's neurons that is probably not rightly named; 1 where none has an identity."""
    recognized = candidates.neurons - candidates.refused
    unsure = np.where(recognized > 0, recognized * (1 - np.nan_to_num(candidates.probability)), 0.0)
    return np.asarray((candidates.refused + unsure) / np.maximum(candidates.neurons, 1))


def expect_accuracy(candidates: Candidates) -> float:
    """Share of all neurons that are probably rightly named, as far as the machine's probabilities hold; NaN without."""
    total = int(candidates.neurons.sum())
    return 1.0 - float((measure_doubt(candidates) * candidates.neurons).sum()) / total if total else float("nan")


def suggest_neurons(neurons: SeenNeurons, count: int = 5) -> list[NeuronSuggestion]:
    """Neurons to look at next, the best first: numbers with most doubt in the whole recording.

    Each is shown in the volume where that number is least probable. Neurons without a number are the business of
    whole volumes and are not among them.
    """
    doubt, open_rows = neurons.doubt, np.flatnonzero((neurons.identity >= 0) & ~neurons.human)
    if not len(open_rows):
        return []
    given = neurons.identity[open_rows]
    summed, seen = np.bincount(given, weights=doubt[open_rows]), np.bincount(given)
    found = []
    for each in np.argsort(np.where(seen > 0, -summed, np.inf), kind="stable")[: min(count, (seen > 0).sum())].tolist():
        mine = open_rows[given == each]
        worst = int(mine[doubt[mine].argmax()])
        words = say_number_doubt(float(summed[each]), int(seen[each]), float(doubt[worst]))
        volume = int(neurons.volume[worst])
        row = worst - int(np.searchsorted(neurons.volume, volume))
        gain = float(summed[each] / len(doubt))
        found.append(NeuronSuggestion(volume, row, each, float(doubt[worst]), gain, words))
    return found
