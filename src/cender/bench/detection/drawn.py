"""A detector in heads that people drew, as the paper's figures of detection were made."""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from cender.bench.detection.measure import Clock, Task
from cender.errors import UnusableVolume
from cender.merge import merge_regions
from cender.merge.params import MergeParams
from cender.pipeline.volumes.volume import Detector
from cender.types import Annotation, Crop, Head, Outcome, Volume


def make_drawn_task(name: str, detector: Detector, merge: MergeParams, clock: Clock = perf_counter) -> Task:
    """Stages 2 and 3 in the head of the truth, which every volume must have."""
    return Task(name, _run_drawn(detector, merge, clock))


def _run_drawn(detector: Detector, merge: MergeParams, clock: Clock) -> Callable[[Volume, Annotation], Outcome]:
    def find(volume: Volume, truth: Annotation) -> Outcome:
        stack = volume.stack
        if truth.head is None:
            raise UnusableVolume(f"volume {volume.index} has no drawn head", "no head")
        head = _fit_crop(truth.head, (stack.image.shape[1], stack.image.shape[2]))
        start = clock()
        found = detector(stack.image, head, stack.voxel_um)
        middle = clock()
        neurons = merge_regions(found, stack.voxel_um, merge)
        spent = {"detect": 1e3 * (middle - start), "merge": 1e3 * (clock() - middle)}
        return Outcome(volume.index, volume.time_s, "ok", head=head, neurons=neurons, milliseconds=spent)

    return find


def _fit_crop(head: Head, frame: tuple[int, int]) -> Head:
    """The same head with a crop that ends at the edges of the frame: outlines drawn by hand may reach over them."""
    x, y, w, h = head.crop
    left, top = min(max(x, 0), frame[1] - 1), min(max(y, 0), frame[0] - 1)
    right, bottom = min(x + w, frame[1]), min(y + h, frame[0])
    return replace(head, crop=Crop(left, top, max(right - left, 1), max(bottom - top, 1)))
