"""What the named cases are made of: neurons of 1 µm voxels that can be counted by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cender.types import Annotation, Annotations, Crop, Head, Regions, VoxelSize


@dataclass(frozen=True)
class Neuron:
    """A bar of equal boxes: ``size`` wide, 4 high (or ``height``), in these frames."""

    x: float
    y: float = 0.0
    frames: Sequence[int] = (0, 1, 2)
    identity: int = -1
    probability: float = 1.0
    size: float = 4.0
    height: float = 4.0

    @property
    def centre_um(self) -> list[float]:
        middle = float(np.mean(list(self.frames)))
        return [middle, self.y + (self.height - 1) / 2, self.x + (self.size - 1) / 2]


@dataclass(frozen=True)
class Case:
    """Annotations and prediction with the figures that a person works out by looking at them.

    ``expected`` maps a dotted path into the result's JSON to its value.
    """

    name: str
    story: str
    truth: Annotations
    predicted: Annotations
    expected: Mapping[str, float | int | None]
    options: Mapping[str, Any] = field(default_factory=dict)


def volume(
    index: int,
    *neurons: Neuron,
    head: Head | None = None,
    complete: bool = True,
    flagged: bool = False,
    boxes: bool = True,
) -> Annotation:
    """One volume holding these neurons, with boxes or with their centres only."""
    rows = [(row, z, n) for row, n in enumerate(neurons) for z in n.frames] if boxes else []
    regions = Regions.from_boxes(
        np.array([z for _, z, _ in rows], int),
        np.array([[n.x, n.y, n.size, n.height] for _, _, n in rows], float).reshape(-1, 4),
        neuron=np.array([row for row, _, _ in rows], int),
    )
    return Annotation(
        index,
        np.array([n.centre_um for n in neurons], float).reshape(-1, 3),
        np.array([n.identity for n in neurons], int),
        np.array([n.probability for n in neurons], float),
        regions,
        head,
        complete,
        flagged,
        VoxelSize(1.0, 1.0, 1.0),
    )


def recording(
    *annotations: Annotation, source: str = "case", ratio: Mapping[tuple[int, int], float] | None = None
) -> Annotations:
    """These volumes as one recording with voxels of 1 µm."""
    return Annotations(source, VoxelSize(1.0, 1.0, 1.0), 5.0, {a.volume: a for a in annotations}, ratio or {})


def head(anterior_yx: tuple[float, float], ventral_yx: tuple[float, float]) -> Head:
    """A head at the origin with these axes."""
    return Head(
        Crop(0, 0, 20, 20),
        np.zeros((0, 2)),
        np.zeros(2),
        np.array(anterior_yx, float),
        np.array(ventral_yx, float),
    )


Builder = Callable[[], Case]


def detection(prefix: str, precision: float | None, recall: float | None, f1: float | None) -> dict[str, float | None]:
    """The three expected figures of one kind of detection."""
    return {f"{prefix}.precision": precision, f"{prefix}.recall": recall, f"{prefix}.f1": f1}


def errors(kind: str, **counts: int) -> dict[str, int]:
    """Expected numbers of errors of one group; those not named are expected to be 0."""
    names = {
        "detection": ("missed", "false", "split", "merged"),
        "identity": ("right", "wrong", "swapped", "missed", "refused", "misplaced"),
    }[kind]
    assert set(counts) <= set(names)
    return {f"errors.{kind}.{name}": counts.get(name, 0) for name in names}
