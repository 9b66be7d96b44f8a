"""Fits how likely what weights find is a neuron: ``python -m cender.training.shipped.judge FILE [--any]``.

Both judges are written into the file: of candidates, after the examiner's second look, and of what they gather.
``--any`` fits them to random rigs instead of usual ones, and lets the network look four times, since time matters less
there. They are fitted anew whenever the shipped weights change.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from cender.detect.candidates import PLAIN_JUDGE
from cender.detect.flips import LOOKS, average_flips
from cender.detect.measure import has_large_nuclei
from cender.detect.network import JUDGE, Network, find_grids
from cender.detect.normalise import is_usual
from cender.detect.params import DetectParams
from cender.io.weights import load_weights, save_weights, shipped_weights
from cender.merge import MergeParams
from cender.nets.compass_graph import KIND as COMPASS
from cender.nets.compass_graph import build_compass
from cender.nets.scoring import KIND, build_score
from cender.preprocess.head import find_head
from cender.simulate import SimulateParams, simulate_recording
from cender.simulate.rigs import draw_rig
from cender.training.detector.judge import fit_judge, load_examiner
from cender.training.detector.neurons import Known, fit_neuron_judge
from cender.training.detector.samples import make_sample
from cender.training.detector.simulated import match_rig, vary_params, vary_spacing
from cender.types import VoxelSize, Weights

FIRST_SEED = 4000
"""First seed of the animals and rigs that the judges learn from."""
EACH = 6
"""Animals of every preset; of varied ones, and of usual microscopes with random light, twice as many, of random
rigs eight times."""
USUAL_UM, USUAL_FRAMES = VoxelSize(1.5, 0.3, 0.3), 18
"""Voxel size and frames of a usual rig."""
FEWEST = 20
"""Neurons that a volume must show to be learnt from."""


def draw_animals(usual: bool) -> Iterator[SimulateParams]:
    """Usual animals, or random rigs, none of which the detector was trained or is tested with."""
    if not usual:
        yield from (draw_rig(seed) for seed in range(FIRST_SEED + 100, FIRST_SEED + 100 + 8 * EACH))
        return
    for preset in ("typical", "hard", "crowded"):
        for seed in range(FIRST_SEED, FIRST_SEED + EACH):
            yield SimulateParams.model_validate({"preset": preset, "seed": seed, "volumes": 100})
    for seed in range(FIRST_SEED + EACH, FIRST_SEED + 3 * EACH):
        rng = np.random.default_rng(seed)
        yield vary_spacing(vary_params(seed, rng), rng)
        yield match_rig(USUAL_UM, USUAL_FRAMES, removed=False, seed=seed)


def draw_known(usual: bool) -> Iterator[Known]:
    """One volume of every animal that shows enough and is of the kind that is asked for."""
    compass = build_compass(shipped_weights("orientation", COMPASS))
    for params in draw_animals(usual):
        simulation = simulate_recording(params)
        index = int(np.random.default_rng(params.seed).integers(5, params.volumes - 5))
        truth, voxel_um = simulation.annotate(index), VoxelSize(*params.voxel_um)
        if len(truth) < FEWEST:
            continue
        red = simulation.recording.volume(index, (0,)).data[0]
        head = find_head(red, voxel_um, compass)
        small = not has_large_nuclei(truth.regions, voxel_um)
        if (is_usual(red, head.crop, voxel_um) and small) == usual:
            yield Known(red, voxel_um, head, truth, simulation.others_um(index))


def judge_weights(weights: Weights, volumes: Sequence[Known], looks: int = 1) -> Weights:
    """The same weights with judges of their candidates and of what these gather, fitted to volumes that are known.

    ``looks`` is how often the network is to look at a volume.
    """
    grids = find_grids(weights)
    heads = [
        make_sample(one.red, one.truth, one.voxel_um, one.head.crop, one.others_um, grids=grids) for one in volumes
    ]
    examine = load_examiner()
    judge = fit_judge(weights.arrays, heads, PLAIN_JUDGE, looks, examine).round(4)
    once = build_score(weights, "cpu")
    network = Network(average_flips(once) if looks > 1 else once, grids, looks, examine, judge)
    neurons = fit_neuron_judge(((one, network) for one in volumes), DetectParams(), MergeParams()).round(4)
    judges = {JUDGE: json.dumps(judge.tolist()), "neuron_judge": json.dumps(neurons.tolist())}
    return Weights(weights.arrays, {**weights.metadata, **judges, "looks": str(looks)})


if __name__ == "__main__":
    path, usual = Path(sys.argv[1]), "--any" not in sys.argv
    judged = judge_weights(load_weights(path, KIND), list(draw_known(usual)), 1 if usual else LOOKS)
    save_weights(judged, path)
