"""How well neurons are found: both detectors and both ways of merging, on the same unseen volumes in one run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean
from time import perf_counter
from typing import Any

from cender.bench.detection.crowding import measure_crowding
from cender.config import Config
from cender.detect.measure import measure_regions
from cender.detect.params import DetectParams
from cender.evaluate import evaluate_recording
from cender.merge import merge_regions
from cender.merge.params import MergeParams
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.volume import Detector, annotate_outcome, process_volume
from cender.preprocess.params import PreprocessParams
from cender.simulate import SimulateParams, Simulation, simulate_recording
from cender.types import Annotation, Annotations, Detections, Outcome, Volume, VoxelSize

FIRST_SEED = 9000
"""Seed of the first animal; seeds from 9000 on are for benchmarks."""
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Task:
    """A way to find neurons in a volume whose truth is known (only what is told of it is used)."""

    name: str
    find: Callable[[Volume, Annotation], Outcome]


def choose_method(params: DetectParams, method: str) -> DetectParams:
    """The settings with this detector; weights that they name are those of the method that they name."""
    other = {} if params.method == method else {"weights": None}
    return DetectParams.model_validate({**params.model_dump(), "method": method, **other})


def make_tasks(detectors: Mapping[str, Detector], config: Config, clock: Clock = perf_counter) -> list[Task]:
    """Every detector end to end, the paper's with its own merging; then both ways of merging, from true boxes.

    The same stage 1 stands in front of all detectors, ours unless the settings say otherwise: so detectors are
    compared, and not the heads that they are given.
    """
    tasks = []
    for name, detector in detectors.items():
        method = "paper" if name == "paper" else "default"
        merge = config.merge.model_copy(update={"method": method})
        tasks.append(Task(name, _run_all(detector, config.preprocess, merge, clock)))
    for method in ("paper", "default"):
        merge = config.merge.model_copy(update={"method": method})
        tasks.append(Task(f"true boxes, {method} merging", _merge_true(merge, clock)))
    return tasks


def measure_detection(
    config: Config,
    animals: int,
    volumes: int,
    detectors: Mapping[str, Detector],
    on_volume: Callable[[], None] = lambda: None,
    clock: Clock = perf_counter,
) -> dict[str, Any]:
    """Figures of every task on volumes of unseen simulated animals, drawn far apart in time.

    The animals are those of ``config.simulate``; preprocessing and merging are as set, but for their method.

    Parameters
    ----------
    clock
        Seconds that the stages are timed with.
    """
    params = config.simulate
    drawn = (
        (simulation.recording.volume(index, (0,)), simulation.annotate(index))
        for simulation, index in _draw(params, animals, volumes)
    )
    seeds = f"{FIRST_SEED}–{FIRST_SEED + animals - 1}"
    return {
        "preset": params.preset,
        "preset_hash": params.hash,
        "split": f"unseen animals, seeds {seeds}, {volumes} volumes each",
        **measure_volumes(drawn, make_tasks(detectors, config, clock), on_volume),
    }


def measure_volumes(
    known: Iterable[tuple[Volume, Annotation]], tasks: Sequence[Task], on_volume: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Figures of every task on volumes with their truth, of whatever animals, simulated or real.

    Volumes are numbered as they come, so that those of several animals do not meet under one number. All have one
    voxel size.
    """
    truths: dict[int, Annotation] = {}
    found: dict[str, dict[int, Annotation]] = {task.name: {} for task in tasks}
    spent: dict[str, list[Mapping[str, float]]] = {task.name: [] for task in tasks}
    voxel_um: VoxelSize | None = None
    for number, (volume, truth) in enumerate(known):
        numbered, truths[number] = replace(volume, index=number), replace(truth, volume=number)
        voxel_um = volume.stack.voxel_um
        for task in tasks:
            outcome = task.find(numbered, truths[number])
            found[task.name][number] = annotate_outcome(outcome, voxel_um)
            spent[task.name].append(outcome.milliseconds)
        on_volume()
    truth_side = Annotations("truth", voxel_um, None, truths)
    return {
        "volumes": len(truths),
        "tasks": {
            name: _figures(Annotations(name, voxel_um, None, sides), truth_side, spent[name])
            | {"by_nearest_neighbour": measure_crowding(truths, sides)}
            for name, sides in found.items()
        },
    }


def _draw(params: SimulateParams, animals: int, volumes: int) -> Iterator[tuple[Simulation, int]]:
    for seed in range(FIRST_SEED, FIRST_SEED + animals):
        simulation = simulate_recording(params.model_copy(update={"seed": seed, "volumes": 20 * volumes}))
        for index in range(volumes):
            yield simulation, 20 * index + 10


def _figures(predicted: Annotations, truth: Annotations, laps: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    result = evaluate_recording(predicted, truth).as_json()
    keys = ("detection_2d", "detection_3d", "centre", "axes", "errors", "breakdown")
    return {key: result[key] for key in keys if key in result} | {
        "ms_per_volume": sum(sum(lap.values()) for lap in laps) / max(len(laps), 1),
        "stages_ms": {stage: fmean(lap.get(stage, 0.0) for lap in laps) for stage in dict.fromkeys(chain(*laps))},
    }


def _run_all(
    detector: Detector, preprocess: PreprocessParams, merge: MergeParams, clock: Clock
) -> Callable[[Volume, Annotation], Outcome]:
    compass = load_compass()
    return lambda volume, _: process_volume(volume, compass, detector, preprocess, merge, clock=clock)


def _merge_true(merge: MergeParams, clock: Clock) -> Callable[[Volume, Annotation], Outcome]:
    def find(volume: Volume, truth: Annotation) -> Outcome:
        boxes = replace(truth.regions, neuron=truth.regions.neuron * 0 - 1)
        seen = measure_regions(volume.data[0], boxes)
        start = clock()
        neurons = merge_regions(Detections.from_regions(seen), volume.stack.voxel_um, merge)
        spent = {"merge": 1e3 * (clock() - start)}
        return Outcome(volume.index, volume.time_s, "ok", head=truth.head, neurons=neurons, milliseconds=spent)

    return find
