"""Small recordings on disk and an executor that needs no images, for tests of the run itself."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cender.io import save_recording
from cender.pipeline.volumes.executor import Processed
from cender.pipeline.volumes.job import VolumeJob
from cender.pipeline.volumes.reading import Unreadable
from cender.types import Crop, Head, Intensities, Neurons, Outcome, Recording, Regions, VoxelSize

VOXEL = VoxelSize(1.5, 0.5, 0.5)


def save_numbers(path: Path, volumes: int, shape: tuple[int, int, int] = (3, 8, 8), seed: int = 0) -> Path:
    """A recording whose pixels are random numbers; a longer one with the same seed begins alike."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 1000, (volumes, 2, *shape)).astype(np.uint16)
    recording = Recording(
        str(path),
        "memory",
        data.shape,
        data.dtype,
        lambda volume, channels: data[volume, list(channels)],
        VOXEL,
        5.0,
        roles=("red", "green"),
    )
    path.unlink(missing_ok=True)
    save_recording(recording, path)
    return path


def make_outcome(volume: int, neurons: int = 3) -> Outcome:
    """Neurons on a line, the same in every volume but for a small drift."""
    centre = np.array([[1.0, 2.0 + 8 * n + 0.01 * volume, 5.0] for n in range(neurons)])
    boxes = np.column_stack([centre[:, 2] - 1, centre[:, 1] - 1, np.full((neurons, 2), 3.0)])
    rows = np.arange(neurons)
    regions = Regions.from_boxes(np.ones(neurons, int), boxes, neuron=rows)
    found = Neurons(centre, np.ones(neurons, int), np.ones(neurons, int), np.full(neurons, 0.9), regions)
    head = Head(Crop(0, 0, 8, 8), np.zeros((0, 2)), np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    level = 100.0 + 10 * rows
    lit = Intensities(level, level * (1 + 0.5 * np.sin(volume / 3 + rows)), np.ones(neurons), np.ones(neurons))
    return Outcome(volume, 0.0, "ok", "", head, found, milliseconds={"detect": 1.0}, intensities=lit)


DAMAGED = Unreadable("damaged", "bad")


@dataclass(slots=True)
class FakeExecutor:
    """Gives made-up outcomes; notes what it was asked for, and breaks where it is told to."""

    break_at: int | None = None
    error: type[BaseException] = KeyboardInterrupt
    unreadable: frozenset[int] = frozenset()
    failed: frozenset[int] = frozenset()
    why: Unreadable = DAMAGED
    sparse: frozenset[int] = frozenset()
    asked: list[int] = field(default_factory=list)

    def process(self, job: VolumeJob, recording: Recording, volumes: Iterable[int]) -> Iterator[Processed]:
        """Outcomes in order."""
        for volume in volumes:
            if volume == self.break_at:
                raise self.error("stopped on purpose")
            self.asked.append(volume)
            if volume in self.unreadable:
                yield Processed(Outcome(volume, 0.0, "failed", self.why.reason, flags=("unreadable",)), self.why)
            elif volume in self.failed:
                yield Processed(Outcome(volume, 0.0, "failed", "no head", flags=("no head",)))
            else:
                yield Processed(make_outcome(volume, 1 if volume in self.sparse else 3))
