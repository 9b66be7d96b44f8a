"""Points as a detector on a difficult recording would give them: some missing, some spurious, all a little off."""

from dataclasses import dataclass, replace

import numpy as np

from cender.bench.identity.subject import Subject, hide_identities
from cender.types import Annotation

NEAR_UM = 3.0
"""Spurious points lie this near to a true one, as the halves of a split nucleus do."""


@dataclass(frozen=True, slots=True)
class Corruption:
    """Shares of the neurons that are dropped and that get a spurious one nearby, and the jitter of each coordinate."""

    drop: float = 0.0
    spurious: float = 0.0
    jitter_um: float = 0.0

    def __bool__(self) -> bool:
        return self.drop > 0 or self.spurious > 0 or self.jitter_um > 0

    def __str__(self) -> str:
        return f"{100 * self.drop:g} % dropped, {100 * self.spurious:g} % spurious, {self.jitter_um:g} µm jitter"


NO_CORRUPTION = Corruption()
"""Points as they are."""


def corrupt_subject(subject: Subject, corruption: Corruption, seed: int) -> Subject:
    """The recording with corrupted points, the same for the same seed.

    Where the true neurons themselves are to be recognized, the truth has the same points: a dropped neuron counts
    neither as right nor as wrong, and a spurious one has no identity. Where neurons were found in images, the truth
    stays and the findings are corrupted on top.
    """
    if not corruption:
        return subject
    taught = {
        volume: corrupt_volume(one, corruption, np.random.default_rng([seed, 0xC0, volume]))
        for volume, one in subject.taught.items()
    }
    seen = {volume: hide_identities(taught[volume]) for volume in subject.seen}
    truth = replace(subject.truth, annotations=taught) if subject.truth.annotations is subject.taught else subject.truth
    return Subject(truth, seen, taught, subject.time_s)


def corrupt_volume(annotation: Annotation, corruption: Corruption, rng: np.random.Generator) -> Annotation:
    """One volume with corrupted points, in random order; at least one neuron stays, spurious ones have no region."""
    count = len(annotation)
    kept = rng.random(count) >= corruption.drop
    if not kept.any():
        kept[:1] = True
    true = annotation.centre_um[kept] + rng.normal(size=(int(kept.sum()), 3)) * corruption.jitter_um
    near = np.flatnonzero(rng.random(len(true)) < corruption.spurious)
    direction = rng.normal(size=(len(near), 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-12
    away = NEAR_UM * rng.random((len(near), 1)) ** (1 / 3)
    order = rng.permutation(len(true) + len(near))
    # Where each row of before went; the last entry is for regions that belong to no neuron.
    row = np.full(count + 1, -1)
    row[:-1][kept] = np.argsort(order)[: len(true)]
    owner = row[annotation.regions.neuron]
    regions = replace(annotation.regions, neuron=owner)
    return replace(
        annotation,
        centre_um=np.concatenate([true, true[near] + away * direction])[order],
        identity=np.concatenate([annotation.identity[kept], np.full(len(near), -1)])[order],
        probability=np.concatenate([annotation.probability[kept], np.ones(len(near))])[order],
        regions=regions.select((owner >= 0) | (annotation.regions.neuron < 0)),
    )
