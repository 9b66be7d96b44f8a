"""Fits how likely what was found is a neuron: ``python -m cender.training.shipped.judge`` prints the weights.

They stand in `cender.merge.judge`, and are fitted anew whenever the shipped detector changes.
"""

import sys
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from cender.detect.dense import detect_regions
from cender.detect.params import DetectParams
from cender.evaluate.match import match_neurons
from cender.io.weights import shipped_weights
from cender.merge import DepthBounds, MergeParams, gather_neurons
from cender.merge.assemble import order_regions
from cender.merge.judge import describe_neurons
from cender.merge.learn import fit_odds
from cender.nets.compass_graph import KIND as COMPASS
from cender.nets.compass_graph import build_compass
from cender.nets.scoring import KIND, build_score
from cender.preprocess.head import find_head
from cender.simulate import SimulateParams, simulate_recording
from cender.training.detector.simulated import vary_params
from cender.types import Annotation, Detections, Volume

FIRST_SEED = 4000
USUAL, OTHERS = 18, 30
"""Animals of either preset, and of random ones."""
FEWEST = 40


def draw_animals() -> Iterator[SimulateParams]:
    """Usual animals, and others on other microscopes, none of which the detector was trained or is tested with."""
    for preset in ("typical", "hard"):
        for seed in range(FIRST_SEED, FIRST_SEED + USUAL):
            yield SimulateParams.model_validate({"preset": preset, "seed": seed, "volumes": 100})
    for seed in range(FIRST_SEED + USUAL, FIRST_SEED + USUAL + OTHERS):
        yield vary_params(seed, np.random.default_rng(seed))


def draw_volumes() -> Iterator[tuple[Volume, Annotation]]:
    """One volume of every animal, with its truth."""
    for params in draw_animals():
        simulation = simulate_recording(params)
        index = int(np.random.default_rng(params.seed).integers(5, params.volumes - 5))
        truth = simulation.annotate(index)
        if len(truth) >= FEWEST:
            yield simulation.recording.volume(index, (0,)), truth


def fit_neuron_weights(detect: DetectParams, merge: MergeParams) -> Float[np.ndarray, " k"]:
    """Weights of the columns of `describe_neurons` for what the shipped detector finds."""
    compass = build_compass(shipped_weights("orientation", COMPASS))
    score = build_score(shipped_weights("dense", KIND), "cpu")
    depth = DepthBounds(merge.depth_offset_um, merge.depth_slope, merge.depth_spread_um)
    tables, right = [], []
    for volume, truth in draw_volumes():
        red, voxel_um = volume.stack.image, volume.stack.voxel_um
        found = detect_regions(red, find_head(red, voxel_um, compass), voxel_um, score, detect)
        regions = found.regions.select(order_regions(found.regions))
        neurons, whole = gather_neurons(Detections(regions, found.centre_px, found.centre_score), merge, voxel_um)
        tables.append(describe_neurons(neurons, whole, depth, voxel_um))
        given = Annotation(
            truth.volume,
            neurons.centre_px * np.array(voxel_um),
            np.full(len(neurons), -1),
            np.zeros(len(neurons)),
            neurons.regions,
            voxel_um=voxel_um,
        )
        right.append(match_neurons(truth, given).partner_of_predicted >= 0)
    return fit_odds(np.concatenate(tables), np.concatenate(right))


if __name__ == "__main__":
    sys.stdout.write(f"{fit_neuron_weights(DetectParams(), MergeParams()).round(2).tolist()}\n")
