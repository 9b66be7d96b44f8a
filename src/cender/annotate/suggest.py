"""Which volumes to annotate next: those where the machine is least sure, unlike each other and unlike what is known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from cender.annotate.candidates import Candidates, SeenNeurons

APART_S = 20.0
"""Volumes this far apart in time have little to do with each other; less in a short recording."""
LEARNT = 0.5
"""Share of the doubt about volumes like an annotated one that is gone after training (the forecast of the gain)."""
SAME_POSTURE = 0.3
"""What is left of the gain from a volume whose posture is known already, however far away it is."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A volume to annotate, how much of it is unsure (0 to 1), why, in words, and what it should gain.

    ``gain`` is a forecast: the share of all neurons of the recording that should be rightly named in addition, after
    this volume and those before it in the list.
    """

    volume: int
    doubt: float
    reason: str
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class NeuronSuggestion:
    """A neuron to look at: where it is in doubt most, under which number (-1: none), and why.

    ``doubt`` is the probability that it is not rightly named there; ``gain`` the share of all neurons of the recording
    that are probably not rightly named under this number, which is what one correction can lead to at most.
    """

    volume: int
    row: int
    identity: int
    doubt: float
    gain: float
    reason: str


def suggest_volumes(candidates: Candidates, annotated: Sequence[int] = (), count: int = 5) -> list[Suggestion]:
    """Volumes to annotate next, the best first.

    The *doubt* of a volume is the share of its neurons that is probably not rightly named: a refused neuron counts
    1, another one minus its probability. Volumes are taken one after the other, each time the one with the largest
    doubt times novelty: how far it is in time, and how different in posture, from the nearest volume that is
    annotated or already suggested (0 for a neighbour in time, 1 for another posture at another time). Without any
    identity all volumes are equally doubtful, so that the spread alone decides. Where nothing is annotated yet, a
    clear volume with many neurons comes before all of these: few identities are missing from it.
    """
    doubt = measure_doubt(candidates)
    features = np.concatenate([_scale_time(candidates, count)[:, None], _scale_posture(candidates.posture)], axis=1)
    known = np.isin(candidates.volume, list(annotated))
    novelty = _measure_novelty(features, np.flatnonzero(known))
    free = ~known & (candidates.neurons > 0)
    usual = float(np.median(doubt[free])) if free.any() else 0.0
    chosen: list[Suggestion] = []
    while free.any() and len(chosen) < count:
        # The small constant lets spread decide where nothing is in doubt.
        worth = np.where(free, (doubt + 0.01) * novelty, -1.0)
        first = None if known.any() or chosen else find_clearest(candidates)
        row = int(worth.argmax()) if first is None else first
        reason = _say_why(candidates, row, usual, [*annotated, *(one.volume for one in chosen)])
        if first is not None:
            reason = f"a clear head with more neurons than most volumes, so that few identities are missing; {reason}"
        before = novelty
        novelty = np.minimum(novelty, _measure_novelty(features, np.array([row])))
        gain = _forecast_gain(candidates.neurons, np.where(free, doubt, 0.0), before - novelty, row)
        chosen.append(Suggestion(int(candidates.volume[row]), float(doubt[row]), reason, gain))
        free[row] = False
    return chosen


def _forecast_gain(
    neurons: Int[np.ndarray, " n"], doubt: Float[np.ndarray, " n"], covered: Float[np.ndarray, " n"], row: int
) -> float:
    """Share of all neurons that should become right: all of the volume itself, part of those that are like it."""
    gone = LEARNT * doubt * covered
    gone[row] = doubt[row]
    return float((gone * neurons).sum() / max(int(neurons.sum()), 1))


def find_clearest(candidates: Candidates) -> int | None:
    """Row of the volume with the best head among the quarter with most neurons, None where no volume is ok."""
    ok = np.isfinite(candidates.quality) & (candidates.neurons > 0)
    if not ok.any():
        return None
    full = ok & (candidates.neurons >= np.percentile(candidates.neurons[ok], 75))
    return int(np.where(full, candidates.quality, -1.0).argmax())


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
    number, place = np.unique(neurons.identity[open_rows], return_inverse=True)
    summed, seen = np.bincount(place, weights=doubt[open_rows]), np.bincount(place)
    starts = np.searchsorted(neurons.volume, neurons.volume)
    found = []
    for each in np.argsort(-summed, kind="stable")[:count].tolist():
        mine = open_rows[place == each]
        worst = int(mine[doubt[mine].argmax()])
        words = f"in doubt {summed[each] / seen[each]:.0%} over {seen[each]} volumes, {doubt[worst]:.0%} in this one"
        volume, row = int(neurons.volume[worst]), int(worst - starts[worst])
        gain = float(summed[each] / len(doubt))
        found.append(NeuronSuggestion(volume, row, int(number[each]), float(doubt[worst]), gain, words))
    return found


def _scale_time(candidates: Candidates, count: int) -> Float[np.ndarray, " n"]:
    time_s = candidates.time_s
    clock = time_s if np.isfinite(time_s).all() else candidates.volume.astype(float)
    apart = float(np.ptp(clock)) / (2 * max(count, 1)) if len(clock) else 1.0
    return np.asarray(clock / max(min(apart, APART_S), 1e-6))


def _scale_posture(posture: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "n 4"]:
    """Directions as they are (opposite ones are 2 apart), arc and elongation in units of their spread."""
    if not len(posture):
        return posture
    low, high = np.percentile(posture[:, 2:], (10, 90), axis=0)
    return np.concatenate([posture[:, :2], posture[:, 2:] / np.maximum(high - low, 1e-6)], axis=1)


def _measure_novelty(features: Float[np.ndarray, "n 5"], to: Int[np.ndarray, " k"]) -> Float[np.ndarray, " n"]:
    """How new each volume is beside those in ``to``; columns are time, then posture."""
    novelty = np.ones(len(features))
    for row in to.tolist():
        squared = (features - features[row]) ** 2
        late = 1 - np.exp(-squared[:, 0] / 2)
        unlike = 1 - np.exp(-squared[:, 1:].sum(axis=1) / 2)
        novelty = np.minimum(novelty, late * (SAME_POSTURE + (1 - SAME_POSTURE) * unlike))
    return novelty


def _say_why(candidates: Candidates, row: int, usual: float, taken: Sequence[int]) -> str:
    neurons, refused = int(candidates.neurons[row]), int(candidates.refused[row])
    probability = float(candidates.probability[row])
    if refused == neurons:
        words = [f"none of its {neurons} neurons has an identity"]
    else:
        words = [f"{refused} of {neurons} neurons without an identity", f"mean probability {probability:.2f}"]
        words.append(
            f"in doubt {(refused + (neurons - refused) * (1 - probability)) / neurons:.0%} (usual {usual:.0%})"
        )
    direction = candidates.posture[row, :2]
    if np.any(direction):
        words.append(f"head points {_say_direction(direction)}")
    others = np.isin(candidates.volume, list(taken))
    if others.any() and np.isfinite(candidates.time_s[row]):
        apart = float(np.nanmin(np.abs(candidates.time_s[others] - candidates.time_s[row])))
        words.append(f"{apart:.0f} s from the nearest other one")
    return "; ".join(words)


def _say_direction(direction_yx: Float[np.ndarray, " 2"]) -> str:
    names = ("right", "down right", "down", "down left", "left", "up left", "up", "up right")
    angle = np.degrees(np.arctan2(direction_yx[0], direction_yx[1]))
    return names[round(float(angle) / 45) % 8]
