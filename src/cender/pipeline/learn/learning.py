"""Training with files: annotated folders in, weights out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cender.config import Config
from cender.detect.normalise import GRIDS, Grids, lacks_background
from cender.errors import DataError
from cender.io import load_weights
from cender.merge.judge import NEURON_WEIGHTS
from cender.nets.scoring import KIND, build_score
from cender.pipeline.learn.annotated import Annotated, find_known, has_usual_rig, load_annotated, make_samples
from cender.pipeline.volumes.detector import load_network, shipped_detector
from cender.training.detector.neurons import Known, fit_neuron_judge
from cender.training.detector.samples import ENOUGH, Sample
from cender.training.detector.simulated import draw_samples, make_simulated_samples, match_rig
from cender.training.detector.train import Progress, find_grid, train_detector
from cender.types import Stack, Weights

TRAINING_SEED, REPLAY_SEED = 1000, 3000
"""First seeds of simulated animals to learn from, and of those that keep a network from forgetting."""
ANIMALS_VOLUMES = 2
"""Volumes of each simulated animal."""


@dataclass(frozen=True, slots=True)
class Heads:
    """What a detector learns from: annotated heads, simulated ones to replay besides, and weights to start from.

    ``known`` are the annotated volumes in which every neuron is marked.
    """

    samples: tuple[Sample, ...]
    replay: tuple[Sample, ...]
    start: Weights | None
    known: tuple[Known, ...] = ()


def collect_heads(
    folders: Sequence[Path],
    config: Config,
    simulated: int = 0,
    partial: bool = False,
    from_scratch: bool = False,
    seed: int = 0,
) -> Heads:
    """Every annotated volume of the folders, then of simulated animals.

    Parameters
    ----------
    simulated
        Number of simulated animals.
    partial
        Whether no volume counts as completely annotated.
    from_scratch
        Whether training starts from nothing; partly annotated volumes are then refused.
    seed
        Which animals are simulated: far apart, seeds share none.
    """
    known = [load_annotated(folder, config.recording, partial) for folder in folders]
    start = None if from_scratch else _find_start(known, config)
    score = None if start is None else build_score(start, "cpu", "float32")
    grids = GRIDS[find_grid(config.train, start)]
    samples = [sample for one in known for sample in make_samples(one, score, grids)]
    samples += make_simulated_samples(simulated, ANIMALS_VOLUMES, TRAINING_SEED + seed, config.train.rigs, grids)
    if not samples:
        raise DataError(f"{', '.join(map(str, folders))}: no volume in which a neuron is marked or one was removed")
    replay = draw_replay(known[0].first, config.train.replay, grids) if known and not from_scratch else []
    return Heads(tuple(samples), tuple(replay), start, tuple(volume for one in known for volume in find_known(one)))


def learn_detector(
    heads: Heads, config: Config, seed: int, target: Path, on_step: Callable[[Progress], None]
) -> tuple[Weights, list[list[float]]]:
    """Weights learnt from the heads, resuming from the checkpoint beside ``target`` if there is one."""
    checkpoint, start = target.with_suffix(".checkpoint"), heads.start
    weights, history = train_detector(heads.samples, config.train, seed, start, checkpoint, on_step, heads.replay)
    if start is None:
        return weights, history
    # The network that has learnt from these volumes is too sure of them: the one before it is asked. Few tell little.
    network = load_network(start, config.detect)
    judge = NEURON_WEIGHTS if network.neuron_judge is None else network.neuron_judge
    if len(heads.known) >= ENOUGH:
        judge = fit_neuron_judge([(one, network) for one in heads.known], config.detect, config.merge, judge)
    return Weights(weights.arrays, {**weights.metadata, "neuron_judge": json.dumps(judge.round(4).tolist())}), history


def _find_start(known: Sequence[Annotated], config: Config) -> Weights:
    """Weights to begin with: those of the settings (``detect.weights``), or the shipped ones for the folders' rig."""
    given = config.detect.weights
    if given:
        return load_weights(Path(given), KIND)
    if config.detect.network != "auto":
        return shipped_detector(config.detect.network == "fast")
    return shipped_detector(not known or has_usual_rig(known[0]))


def draw_replay(stack: Stack, animals: int, grids: Grids) -> list[Sample]:
    """Heads of simulated animals on a microscope like the one that took a volume."""
    heads: list[Sample] = []
    for seed in range(REPLAY_SEED, REPLAY_SEED + 100 * animals, 100):
        params = match_rig(stack.voxel_um, len(stack.image), lacks_background(stack.image), seed)
        heads += draw_samples(params, 1, np.random.default_rng(seed), grids)
    return heads
