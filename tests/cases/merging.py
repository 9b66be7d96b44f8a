"""Cases of merging: stacks of boxes whose neurons a person sees at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cender.types import Regions, VoxelSize

VOXEL_UM = VoxelSize(1.5, 0.3, 0.3)


@dataclass(frozen=True)
class Column:
    """One neuron: equal square boxes in consecutive frames, with an intensity for each."""

    x: float
    first: int
    intensity: Sequence[float]
    y: float = 100.0
    size: float = 9.0
    shift: float = 0.0


@dataclass(frozen=True)
class MergeCase:
    """Regions with their true neurons; ``paper_wrong`` says that the published rule errs."""

    name: str
    story: str
    regions: Regions
    paper_wrong: bool = False


def stack(*columns: Column) -> Regions:
    """Regions of these neurons, a row of calm neurons beside them so that a volume's usual overlap is known."""
    calm = [Column(150.0 + 20 * k, 2, (40, 60, 40), y=150.0) for k in range(8)]
    rows = [
        (z, c.x + c.shift * k, c.y, c.size, light, number)
        for number, c in enumerate((*columns, *calm))
        for k, (z, light) in enumerate(zip(range(c.first, c.first + len(c.intensity)), c.intensity, strict=True))
    ]
    table = np.array(rows, float)
    z, x, y, size, light, number = table.T
    boxes = np.stack([x, y, size, size], axis=1)
    return Regions(z.astype(int), boxes, np.ones(len(z)), number.astype(int), light)


def touching_in_z() -> MergeCase:
    upper, lower = Column(100, 2, (30, 60, 20)), Column(103, 5, (25, 70, 30), y=103)
    return MergeCase("touching in z", "Two neurons, one right under the other.", stack(upper, lower))


def flat_top() -> MergeCase:
    neuron = Column(100, 2, (58, 60, 59, 60, 58), size=13)
    story = "A wide nucleus with a flat top: noise gives its profile a minimum that means nothing."
    return MergeCase("flat top", story, stack(neuron), paper_wrong=True)


def gap_in_z() -> MergeCase:
    story = "The same place at z = 3 and z = 9 with nothing between: two neurons."
    return MergeCase("gap in z", story, stack(Column(100, 3, (50,)), Column(100, 9, (50,))))


def drift_during_scan() -> MergeCase:
    row = [Column(60.0 + 11 * k, 4, (40, 60, 40), y=60.0, shift=6.0) for k in range(5)]
    alone = [Column(60.0 + 40 * k, 4, (40, 60, 40), y=20.0, shift=6.0) for k in range(10)]
    story = "The head moves by more than half a neuron a frame; in a row of neurons each meets its neighbour's place."
    # No calm neurons: the whole head moves.
    regions = stack(*row, *alone)
    moving = regions.select(regions.neuron < len(row) + len(alone))
    return MergeCase("drift during the scan", story, moving, paper_wrong=True)


def single_frames() -> MergeCase:
    story = "Neurons that are seen in one frame only."
    return MergeCase("single frames", story, stack(Column(60, 4, (50,)), Column(90, 5, (50,))))


BUILDERS = (touching_in_z, flat_top, gap_in_z, drift_during_scan, single_frames)
MERGE_CASES = {case.name: case for case in (build() for build in BUILDERS)}
