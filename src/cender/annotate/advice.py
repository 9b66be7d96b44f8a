"""What is worth a person's next minute, and what it should gain: one rule for every door."""

from collections.abc import Collection
from dataclasses import dataclass

from cender.annotate.candidates import SeenNeurons, SeenVolumes, count_candidates, find_annotated, keep_known
from cender.annotate.coverage import list_shown
from cender.annotate.postures import describe_postures
from cender.annotate.suggest import (
    NeuronSuggestion,
    Suggestion,
    choose_rows,
    expect_accuracy,
    suggest_neurons,
    suggest_volumes,
)

COUNT = 5
"""Suggestions that are given unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Volumes and neurons to look at, the best first, and the accuracy that the machine expects now (NaN: unknown).

    ``annotated`` are the volumes that people are done with. Accuracies are shares of all neurons, as far as the
    probabilities of identities hold.
    """

    annotated: tuple[int, ...]
    accuracy: float
    volumes: tuple[Suggestion, ...]
    neurons: tuple[NeuronSuggestion, ...]

    @property
    def forecast(self) -> float:
        """The accuracy to expect when all suggested volumes are annotated and the recognizer has learnt from them."""
        return min(self.accuracy + sum(one.gain for one in self.volumes), 1.0)


def give_advice(
    volumes: SeenVolumes,
    neurons: SeenNeurons,
    reviewed: Collection[int] = (),
    count: int = COUNT,
) -> Advice:
    """What to look at next.

    Parameters
    ----------
    volumes, neurons
        What is known now, people's work included.
    reviewed
        Volumes that people are done with, beside those in which they identified most neurons.
    count
        How many volumes, and how many neurons, to name.
    """
    neurons = keep_known(neurons, volumes)
    candidates, annotated = count_candidates(volumes, neurons), find_annotated(neurons, reviewed)
    row = choose_rows(candidates, annotated)
    posture = describe_postures(neurons, candidates.volume[row])
    shown = list_shown(neurons, candidates.volume[row])
    chosen = suggest_volumes(candidates, row, posture, shown, annotated, count)
    return Advice(annotated, expect_accuracy(candidates), tuple(chosen), tuple(suggest_neurons(neurons, count)))
