"""Recordings of few neurons, and a learner that knows one reference volume."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cender.bench.identity.measure import Learn, Recognize
from cender.types import Annotation, Annotations, Identities


def make_truth(volumes: int = 60, neurons: int = 12, rate_hz: float | None = 2.0, drift: float = 0.0) -> Annotations:
    """Neurons 10 µm apart on a line that drifts; the last two of them have no identity."""
    rng = np.random.default_rng(3)
    line = np.stack([np.zeros(neurons), np.zeros(neurons), 10.0 * np.arange(neurons)], axis=1)
    identity = np.where(np.arange(neurons) < neurons - 2, np.arange(neurons) + 20, -1)
    annotations = {
        volume: Annotation.from_points(volume, line + rng.normal(0, 0.5, line.shape) + drift * volume, identity)
        for volume in range(volumes)
    }
    return Annotations("made up", None, rate_hz, annotations)


def learn_nearest(annotated: Sequence[Annotation], recording: Sequence[Annotation], seed: int) -> Recognize:
    """Every neuron is the one that is nearest in a reference volume; numbers are made up where there is none."""
    reference = annotated[0] if annotated else replace(recording[0], identity=np.arange(len(recording[0])))

    def recognize(volumes: Sequence[Annotation]) -> list[Identities]:
        answers = []
        for volume in volumes:
            distance = np.linalg.norm(volume.centre_um[:, None] - reference.centre_um[None], axis=2)
            nearest = distance.argmin(1)
            answers.append(Identities(reference.identity[nearest], np.exp(-distance.min(1))))
        return answers

    return recognize


NEAREST: tuple[str, Learn] = ("nearest", learn_nearest)
