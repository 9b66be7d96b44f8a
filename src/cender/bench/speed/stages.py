"""How fast stages 1 to 3 are: beside merely reading and projecting a volume, and beside the paper's network."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import cv2
import numpy as np
from jaxtyping import Shaped

from cender.bench.speed.reading import measure_peak_mb
from cender.detect.params import DetectParams
from cender.merge.params import MergeParams
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.volume import Detector, process_volume
from cender.preprocess.compass import Compass
from cender.preprocess.params import PreprocessParams
from cender.simulate import SimulateParams, simulate_recording
from cender.types import Volume

SEED = 9500
"""Seed of the simulated recording whose volumes are timed."""
DRAWN = 4
"""Volumes that are timed, 20 volumes apart."""
ROUNDS = 5
"""Times that every volume is processed."""
ANCHORS_TIMED = 64
"""Candidates that the paper's network scores when it is timed."""


def draw_volumes(count: int = DRAWN) -> list[Volume]:
    """Red volumes of 1024 × 1024 × 18 in memory."""
    recording = simulate_recording(SimulateParams(seed=SEED, volumes=20 * count)).recording
    return [recording.volume(20 * index, (0,)) for index in range(count)]


def measure_stages(
    params: DetectParams, rounds: int = ROUNDS, clock: Callable[[], float] = perf_counter
) -> dict[str, Any]:
    """Milliseconds of every stage, and of reading the same volumes from a file with one projection, taken in turn.

    Parameters
    ----------
    clock
        Seconds that all is timed with; `time.process_time` counts those of all cores, whatever else they do.
    """
    volumes = draw_volumes()
    compass, detector = load_compass(), build_detector(params)
    before = measure_peak_mb()
    spent: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "volume.npy"
        for volume in volumes:
            _process(volume, compass, detector, clock)
        for _ in range(rounds):
            for volume in volumes:
                np.save(path, volume.data[0])
                spent.setdefault("read", []).append(_time(lambda: _read_and_project(path), clock))
                for stage, milliseconds in _process(volume, compass, detector, clock).items():
                    spent.setdefault(stage, []).append(milliseconds)
    after = measure_peak_mb()
    stages = {stage: median(values) for stage, values in spent.items() if stage != "read"}
    total = median([sum(values) for values in zip(*(spent[stage] for stage in stages), strict=True)])
    read = median(spent["read"])
    return {
        "volumes": len(volumes),
        "seed": SEED,
        "stages_ms": stages,
        "total_ms": total,
        "read_and_project_ms": read,
        "ratio_to_reading": total / read,
        "peak_mb_above_volumes": None if before is None or after is None else after - before,
    }


def measure_paper_network(total_ms: float) -> dict[str, Any]:
    """The paper's network at full width: time for a sample of the anchors of a volume, scaled to all of them."""
    from cender.detect.fields import cut_fields, pad_frames, stack_fields
    from cender.detect.peaks import fill_hull, find_peaks, resample_head, standardise_head
    from cender.nets.multi_field import MultiFieldNet, wrap_network
    from cender.preprocess import find_head

    (volume,) = draw_volumes(1)
    stack = volume.stack
    head = find_head(stack.image, stack.voxel_um, load_compass())
    cut, scale = resample_head(stack.image, head, stack.voxel_um)
    fields = DetectParams().multi_field
    inside = fill_hull(head, (cut.shape[1], cut.shape[2]), scale, fields.hull_margin_px)
    scaled = standardise_head(cut, inside)
    peaks = find_peaks(scaled, fields.peak_above, fields.blur_px)
    timed = peaks[np.linspace(0, len(peaks) - 1, ANCHORS_TIMED).astype(int)]
    near, wide = cut_fields(pad_frames(scaled), timed)
    inputs = stack_fields(near, wide, np.full(len(timed), 9))
    score = wrap_network(MultiFieldNet(width=1.0).eval(), batch=16)
    score(inputs[:16])
    per_anchor = _time(lambda: score(inputs)) / len(timed)
    return {
        "anchors": len(peaks),
        "anchors_timed": len(timed),
        "parameters": 48_687_727,
        "network_ms": per_anchor * len(peaks),
        "times_slower_than_our_stages": per_anchor * len(peaks) / total_ms,
    }


def _process(volume: Volume, compass: Compass, detector: Detector, clock: Callable[[], float]) -> dict[str, float]:
    outcome = process_volume(volume, compass, detector, PreprocessParams(), MergeParams(), clock=clock)
    return dict(outcome.milliseconds)


def _read_and_project(path: Path) -> Shaped[np.ndarray, "y x"]:
    stack = np.load(path)
    projection = stack[0].copy()
    for frame in stack[1:]:
        cv2.max(projection, frame, dst=projection)
    return np.asarray(projection)


def _time(work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    start = clock()
    work()
    return 1e3 * (clock() - start)
