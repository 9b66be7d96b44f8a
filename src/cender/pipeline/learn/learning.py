"""Training with files: annotated folders in, weights out."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cender.config import Config
from cender.io import load_weights, shipped_weights
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
    score = None if from_scratch else build_score(find_start(config), "cpu", "float32")
    for folder in folders:
        truth, recording = load_annotated(folder, config.recording)
        yield from make_samples(mark_partial(truth) if partial else truth, recording, score)
    yield from make_simulated_samples(simulated, ANIMALS_VOLUMES, TRAINING_SEED, config.train.rigs)


def find_start(config: Config) -> Weights:
    """Weights to begin with: those of the settings (``detect.weights``), or the shipped ones."""
    given = config.detect.weights
    return load_weights(Path(given), KIND) if given else shipped_weights("dense", KIND)


def learn_detector(
    samples: Sequence[Sample],
    config: Config,
    from_scratch: bool,
    seed: int,
    target: Path,
    on_step: Callable[[Progress], None],
) -> tuple[Weights, list[list[float]]]:
    """Weights learnt from the samples, resuming from the checkpoint beside ``target`` if there is one."""
    start = None if from_scratch else find_start(config)
    return train_detector(samples, config.train, seed, start, target.with_suffix(".checkpoint"), on_step)
