"""What people say of volumes, laid over what the machine found there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from cender.annotate.join import JoinedNeuron, align_marks, join_volume
from cender.annotate.marks import NO_IDENTITY
from cender.annotate.state import VolumeState
from cender.types import Annotation, Head, Identities, Regions


@dataclass(frozen=True, slots=True)
class Corrected:
    """A volume that a person has worked on.

    ``annotation`` has the neurons that the machine found, then those that only the person saw; places and boxes are the
    person's where there are such. ``given`` is the person's identity of each, -1 where none was given; ``denied`` have
    none, according to a person; ``refused`` are no neurons, either because a person removed them or because all neurons
    were marked and these were not. ``shaped`` have a place or boxes of a person, ``redrawn`` boxes. ``found``
    counts the machine's. ``shift_um`` is how far (``z y x``) all places that people gave lie beside what it found.
    """

    annotation: Annotation
    given: Int[np.ndarray, " m"]
    denied: Bool[np.ndarray, " m"]
    refused: Bool[np.ndarray, " m"]
    shaped: Bool[np.ndarray, " m"]
    redrawn: Bool[np.ndarray, " m"]
    found: int
    shift_um: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.zeros(3))

    @property
    def lesson(self) -> Annotation:
        """The volume as something to learn from: what is no neuron is left out."""
        return replace(self.annotation.select(~self.refused), identity=self.given[~self.refused])

    @property
    def settled(self) -> Annotation:
        """The volume with the identities of people, and the machine's where they do not contradict them."""
        known = self.settle(Identities(self.annotation.identity, self.annotation.probability))
        whole = replace(self.annotation, identity=known.identity, probability=known.probability)
        return whole.select(~self.refused)

    def settle(self, known: Identities | None) -> Identities:
        """Identities of all neurons: the person's, then the machine's where they do not contradict them."""
        count = len(self.annotation)
        machine = known or Identities(np.full(count, -1), np.full(count, np.nan))
        named = self.given >= 0
        free = ~np.isin(machine.identity, self.given[named]) & ~self.refused & ~self.denied
        identity = np.where(named, self.given, np.where(free, machine.identity, -1))
        return Identities(identity, np.where(named, 1.0, machine.probability))


def lay_over(found: Annotation, said: VolumeState) -> Corrected:
    """A volume as a person left it; who is meant is decided by place, one to one and within a nucleus' size."""
    marks = list(said.marks.values())
    joined = join_volume(found.centre_um, marks)
    count, machine = len(joined), len(found)
    centre = np.concatenate([found.centre_um, np.zeros((count - machine, 3))])
    given = np.full(count, -1)
    denied, refused, shaped, redrawn = (np.zeros(count, bool) for _ in range(4))
    for row, one in enumerate(joined):
        mark = one.mark
        if mark is None:
            refused[row] = said.complete
            continue
        given[row] = -1 if mark.identity is None else mark.identity
        denied[row], refused[row] = mark.identity == NO_IDENTITY, mark.removed
        redrawn[row] = mark.boxes is not None
        # A point that somebody put on a neuron of the machine's names it; only who takes hold of one moves it.
        moved = mark.centre_um is not None and mark.anchor_um is not None
        shaped[row] = one.row is None or moved or redrawn[row]
        if shaped[row]:
            centre[row] = mark.place_um
    new = count - machine
    annotation = replace(
        found,
        centre_um=centre,
        identity=np.concatenate([found.identity, given[machine:]]),
        probability=np.concatenate([found.probability, np.ones(new)]),
        regions=_join_regions(found.regions, joined),
        head=_turn_head(found.head, said),
        complete=said.complete or said.reviewed,
        flagged=found.flagged or said.unusable is not None,
    )
    shift_um = align_marks(found.centre_um, marks).shift_um
    return Corrected(annotation, given, denied, refused, shaped, redrawn, machine, shift_um)


def count_corrections(corrected: Iterable[Corrected]) -> Mapping[str, int]:
    """How many neurons people named, added and refused."""
    volumes = list(corrected)
    return {
        "named": sum(int((one.given >= 0).sum()) for one in volumes),
        "added": sum(len(one.annotation) - one.found for one in volumes),
        "refused": sum(int(one.refused.sum()) for one in volumes),
    }


def _join_regions(found: Regions, joined: list[JoinedNeuron]) -> Regions:
    """The machine's boxes, those of neurons with boxes of a person replaced by these."""
    redrawn = {row: one.mark.boxes for row, one in enumerate(joined) if one.mark and one.mark.boxes is not None}
    kept = found.select(~np.isin(found.neuron, list(redrawn)))
    drawn = [(row, box) for row, boxes in redrawn.items() for box in boxes]
    added = Regions.from_boxes(
        np.array([box.z for _, box in drawn], int),
        np.array([(box.x, box.y, box.w, box.h) for _, box in drawn], float).reshape(-1, 4),
        neuron=np.array([row for row, _ in drawn], int),
    )
    names = ("z", "box_px", "score", "neuron", "intensity")
    return Regions(*(np.concatenate([getattr(kept, name), getattr(added, name)]) for name in names))


def _turn_head(head: Head | None, said: VolumeState) -> Head | None:
    """The head with the axes and the outline that a person set."""
    if head is None or said.head is None:
        return head
    anterior, ventral = np.array(said.head.anterior_yx, float), np.array(said.head.ventral_yx, float)
    outline = np.array(said.head.outline_yx, float).reshape(-1, 2) if said.head.outline_yx else head.outline_yx
    return replace(
        head,
        origin_yx=np.array(said.head.origin_yx, float),
        anterior_yx=anterior / np.linalg.norm(anterior),
        ventral_yx=ventral / np.linalg.norm(ventral),
        outline_yx=outline,
        quality=1.0,
        confidence=1.0,
    )
