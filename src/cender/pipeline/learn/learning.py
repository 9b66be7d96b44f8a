"""Training with files: annotated folders in, weights out."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cender.config import Config
from cender.io import shipped_weights
from cender.io.exchange.format import mark_partial
from cender.nets.scoring import KIND, build_score
from cender.pipeline.learn.annotated import load_annotated, make_samples
from cender.training.detector.samples import Sample
from cender.training.detector.simulated import make_simulated_samples
from cender.training.detector.train import Progress, train_detector
from cender.types import Weights

TRAINING_SEED = 1000
ANIMALS_VOLUMES = 3


def collect_samples(
    folders: Sequence[Path], config: Config, from_scratch: bool, simulated: int, partial: bool
) -> Iterator[Sample]:
    """Heads to learn from: every annotated volume of the folders, then of simulated animals."""
    score = None if from_scratch else build_score(shipped_weights("dense", KIND), "cpu", "float32")
    for folder in folders:
        truth, recording = load_annotated(folder, config.recording)
        yield from make_samples(mark_partial(truth) if partial else truth, recording, score)
    yield from make_simulated_samples(simulated, ANIMALS_VOLUMES, TRAINING_SEED)


def learn_detector(
    samples: Sequence[Sample],
    config: Config,
    from_scratch: bool,
    seed: int,
    target: Path,
    on_step: Callable[[Progress], None],
) -> tuple[Weights, list[list[float]]]:
    """Weights learnt from the samples, resuming from the checkpoint beside ``target`` if there is one."""
    start = None if from_scratch else shipped_weights("dense", KIND)
    return train_detector(samples, config.train, seed, start, target.with_suffix(".checkpoint"), on_step)
