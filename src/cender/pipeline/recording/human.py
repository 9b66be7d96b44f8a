"""What people say of volumes, laid over what the machine found there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Int
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from cender.pipeline.recording.numbering import NEAR_UM
from cender.types import Annotation, Identities, Regions


@dataclass(frozen=True, slots=True)
class Corrected:
    """A volume that a person has worked on.

    ``annotation`` has the neurons that the machine found, then those that only the person saw. ``given`` is the
    person's identity of each, -1 where none was given; ``refused`` are findings that are no neurons, according to a
    person who has marked all of them. ``found`` counts the machine's.
    """

    annotation: Annotation
    given: Int[np.ndarray, " m"]
    refused: Bool[np.ndarray, " m"]
    found: int

    @property
    def lesson(self) -> Annotation:
        """The volume as something to learn from: what is no neuron is left out."""
        kept = np.flatnonzero(~self.refused)
        row = np.full(len(self.annotation), -1)
        row[kept] = np.arange(len(kept))
        regions = self.annotation.regions
        mine = regions.neuron >= 0
        owner = np.where(mine, row[np.where(mine, regions.neuron, 0)], -1)
        return replace(
            self.annotation,
            centre_um=self.annotation.centre_um[kept],
            identity=self.given[kept],
            probability=np.ones(len(kept)),
            regions=replace(regions, neuron=owner),
        )

    def settle(self, known: Identities | None) -> Identities:
        """Identities of all neurons: the person's, then the machine's where they do not contradict them."""
        count = len(self.annotation)
        machine = known or Identities(np.full(count, -1), np.full(count, np.nan))
        named = self.given >= 0
        free = ~np.isin(machine.identity, self.given[named]) & ~self.refused
        identity = np.where(named, self.given, np.where(free, machine.identity, -1))
        return Identities(identity, np.where(named, 1.0, machine.probability))


def lay_over(found: Annotation, said: Annotation) -> Corrected:
    """A volume as a person left it; who is meant is decided by place, one to one and within a nucleus' size."""
    theirs, mine = _match(said, found)
    given = np.full(len(found), -1)
    given[mine] = said.identity[theirs]
    refused = np.full(len(found), said.complete)
    refused[mine] = False
    new = np.setdiff1d(np.arange(len(said)), theirs)
    annotation = replace(
        found,
        centre_um=np.concatenate([found.centre_um, said.centre_um[new]]),
        identity=np.concatenate([found.identity, said.identity[new]]),
        probability=np.concatenate([found.probability, np.ones(len(new))]),
        regions=_join_regions(found, said, new),
        complete=said.complete,
    )
    return Corrected(
        annotation,
        np.concatenate([given, said.identity[new]]),
        np.concatenate([refused, np.zeros(len(new), bool)]),
        len(found),
    )


def count_corrections(corrected: Iterable[Corrected]) -> Mapping[str, int]:
    """How many neurons people named, added and refused."""
    volumes = list(corrected)
    return {
        "named": sum(int((one.given >= 0).sum()) for one in volumes),
        "added": sum(len(one.annotation) - one.found for one in volumes),
        "refused": sum(int(one.refused.sum()) for one in volumes),
    }


def _match(said: Annotation, found: Annotation) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    distance = cdist(said.centre_um, found.centre_um)
    # Beyond the limit all are equally far, so that they do not decide who gets the near ones.
    theirs, mine = linear_sum_assignment(np.minimum(distance, NEAR_UM))
    near = distance[theirs, mine] < NEAR_UM
    return theirs[near], mine[near]


def _join_regions(found: Annotation, said: Annotation, new: Int[np.ndarray, " k"]) -> Regions:
    row = np.full(len(said) + 1, -1)
    row[new] = len(found) + np.arange(len(new))
    # The last entry catches regions that belong to nobody.
    owner = row[said.regions.neuron]
    added = replace(said.regions, neuron=owner).select(owner >= 0)
    return Regions(
        *(
            np.concatenate([getattr(found.regions, name), getattr(added, name)])
            for name in ("z", "box_px", "score", "neuron", "intensity")
        )
    )
