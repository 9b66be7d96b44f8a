"""How well neurons are found on microscopes drawn at random: the mean over rigs, and the worst tenth of them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from cender.bench.detection.crowding import measure_blended
from cender.config import Config
from cender.evaluate import match_neurons
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.volume import Detector, annotate_outcome, process_volume
from cender.simulate import Simulation, simulate_recording
from cender.simulate.rigs import draw_rig, name_rigs
from cender.types import Annotation, Outcome, VoxelSize

FIRST_SEED = 9000
"""Seed of the first rig; seeds from 9000 on are for benchmarks."""
# A rig is measured in the first of these volumes that shows so many neurons, and passed over where none does.
VOLUMES = (20, 10, 30, 5)
FEWEST = 20
"""Neurons that a volume must show to be measured."""
# What is found as near as this to a nucleus of another animal is neither right nor wrong.
NEAR_UM = 2.5


def measure_rigs(
    count: int,
    detector: Detector,
    config: Config,
    on_rig: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """3D F1 (IoU > 0.3) on one volume of each of ``count`` random rigs: mean, and mean of the worst tenth."""
    compass = load_compass()
    rigs = []
    for simulation, volume, truth in draw_volumes(count):
        outcome = process_volume(
            simulation.recording.volume(volume, (0,)), compass, detector, config.preprocess, config.merge
        )
        rigs.append(_measure_rig(simulation, truth, outcome))
        on_rig()
    f1 = np.sort([rig["f1"] for rig in rigs])
    return {
        "preset": "rigs",
        "preset_hash": name_rigs(),
        "split": f"{count} rigs, seeds from {FIRST_SEED} on, one volume each",
        "mean_f1": float(f1.mean()),
        "worst_tenth_f1": float(f1[: max(1, round(count / 10))].mean()),
        "blended": float(np.mean([rig["blended"] for rig in rigs])),
        "rigs": rigs,
    }


def draw_volumes(count: int) -> Iterator[tuple[Simulation, int, Annotation]]:
    """Random rigs with one volume each that shows neurons, and its truth."""
    seed = FIRST_SEED
    while count:
        simulation = simulate_recording(draw_rig(seed))
        seed += 1
        for volume in VOLUMES:
            truth = simulation.annotate(volume)
            if len(truth) >= FEWEST:
                yield simulation, volume, truth
                count -= 1
                break


def _measure_rig(simulation: Simulation, truth: Annotation, outcome: Outcome) -> dict[str, Any]:
    params = simulation.world.params
    found = annotate_outcome(outcome, VoxelSize(*params.voxel_um))
    matching = match_neurons(truth, found)
    wrong = found.centre_um[matching.unmatched_predicted]
    others = simulation.others_um(truth.volume)
    if len(others) and len(wrong):
        wrong = wrong[cKDTree(others).query(wrong)[0] > NEAR_UM]
    right = len(matching)
    return {
        "seed": params.seed,
        "voxel_um": list(params.voxel_um),
        "storage": params.storage.model_dump(exclude_defaults=True),
        "neurons": len(truth),
        "blended": measure_blended(truth, VoxelSize(*params.voxel_um)),
        "status": outcome.status,
        "precision": right / max(right + len(wrong), 1),
        "recall": right / len(truth),
        "f1": 2 * right / (right + len(wrong) + len(truth)),
    }
