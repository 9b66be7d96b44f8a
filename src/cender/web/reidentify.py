"""What the trained recognizer says after a correction: of the volume itself, and of volumes that hear of it."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Int

from cender.annotate.join import join_volume
from cender.annotate.overlay import lay_over
from cender.annotate.state import VolumeState
from cender.pipeline.recording.recognizer.last import LastRecognizer, load_last
from cender.recognize.hold import FREE, STRANGER, hold_classes
from cender.recognize.model import Recognition, classify_neurons
from cender.recognize.pooling import pool_classes
from cender.types import Annotation
from cender.web.desk import MOST_SURE, Desk, Proposals
from cender.web.questions import Question

LEAST_SURE = 0.3
"""An identity that is less probable than this is not proposed."""
DOUBTED = 0.9
"""A person's identity is questioned where the machine is at least this sure of another one."""
HEARD = 1.5
"""Weight of what a corrected volume says against what another volume says itself."""
MOST_KEPT = 80
"""Volumes whose recognitions are kept."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A volume as the recognizer is shown it: its neurons, their keys, and their classes where a person said them."""

    annotation: Annotation
    keys: Sequence[str]
    held: Int[np.ndarray, " n"]


@dataclass(slots=True)
class Reidentifier:
    """The recognizer of the last run, ready to be asked; what it found in a volume is kept until its neurons change."""

    last: LastRecognizer
    _kept: OrderedDict[tuple[int, bytes], Recognition] = field(default_factory=OrderedDict)

    @classmethod
    def open(cls, folder: Path) -> "Reidentifier | None":
        """The recognizer of a run folder, None where its run kept none."""
        last = load_last(folder)
        return None if last is None else cls(last)

    def look_again(self, desk: Desk, volume: int) -> Proposals:
        """Identities that change in a volume because of what people said in it."""
        shown = self._show(desk, volume)
        before = self._classify(shown.annotation)
        after = hold_classes(before, shown.held, self.last.model, volume)
        lost = {
            one["key"] for one in desk.describe_volume(volume, with_proposals=False)["neurons"] if one["identity"] < 0
        }
        unidentified = np.array([key in lost for key in shown.keys], bool)
        return self._collect(shown, after.classes, after.probability, (after.classes != before.classes) | unidentified)

    def hear(self, desk: Desk, volume: int, source: int) -> Proposals:
        """Identities that change in a volume when it hears what people said in another one, the source."""
        here, there = self._show(desk, volume), self._show(desk, source)
        said = self._classify(there.annotation)
        mine = hold_classes(self._classify(here.annotation), here.held, self.last.model, volume)
        told = hold_classes(said, there.held, self.last.model, source)
        before, after = (pool_classes([one, mine], self.last.model.calibration, HEARD)[1] for one in (said, told))
        return self._collect(here, after.classes, after.probability, after.classes != before.classes)

    def question(self, desk: Desk, volume: int) -> tuple[Question, ...]:
        """Identities that people gave in a volume and the machine doubts, given everything else they said there."""
        shown = self._show(desk, volume)
        alone = self._classify(shown.annotation)
        doubted = (shown.held >= 0) & self._differs(alone, shown)
        if not doubted.any():
            return ()
        again = hold_classes(alone, np.where(doubted, FREE, shown.held), self.last.model, volume)
        return tuple(
            Question(
                volume,
                int(self.last.numbers[shown.held[row]]),
                int(self.last.numbers[again.classes[row]]),
                round(float(again.probability[row]), 4),
            )
            for row in np.flatnonzero(doubted & self._differs(again, shown)).tolist()
        )

    def _differs(self, found: Recognition, shown: Shown) -> Bool[np.ndarray, " n"]:
        """Where the machine is sure of another identity than the one that is held."""
        numbered = np.array([number >= 0 for number in self.last.numbers], bool)
        known = (found.classes >= 0) & numbered[np.maximum(found.classes, 0)]
        return np.asarray(known & (found.classes != shown.held) & (found.probability >= DOUBTED))

    def _show(self, desk: Desk, volume: int) -> Shown:
        found = desk.tables.found(volume).annotate(volume, desk.voxel_um)
        state: VolumeState = desk.log.state(volume)
        corrected = lay_over(found, state)
        joined = join_volume(found.centre_um, list(state.marks.values()))
        keep = np.flatnonzero(~corrected.refused)
        class_of = {int(number): row for row, number in enumerate(self.last.numbers) if number >= 0}
        held = np.full(len(joined), FREE)
        for row in np.flatnonzero((corrected.given >= 0) | corrected.denied):
            held[row] = class_of.get(int(corrected.given[row]), STRANGER)
        return Shown(corrected.lesson, [joined[row].key for row in keep], held[keep])

    def _classify(self, annotation: Annotation) -> Recognition:
        plain = replace(annotation, identity=np.full(len(annotation), -1))
        key = (annotation.volume, plain.centre_um.tobytes())
        recognition = self._kept.pop(key, None) or classify_neurons(plain, self.last.model)
        self._kept[key] = recognition
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return recognition

    def _collect(
        self, shown: Shown, classes: Int[np.ndarray, " n"], probability: np.ndarray, wanted: np.ndarray
    ) -> Proposals:
        """Identities of the wanted neurons that no person annotated, where they are known and not quite improbable."""
        rows = np.flatnonzero(wanted & (shown.held == FREE) & (classes >= 0) & (probability >= LEAST_SURE))
        return {
            shown.keys[row]: (int(number), round(float(min(probability[row], MOST_SURE)), 4))
            for row in rows.tolist()
            if (number := self.last.numbers[classes[row]]) >= 0
        }
