"""Training with files: annotated folders in, weights out."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cender.config import Config
from cender.io import load_weights
from cender.io.exchange.format import mark_partial
from cender.nets.scoring import KIND, build_score
from cender.pipeline.learn.annotated import has_usual_rig, load_annotated, make_samples
from cender.pipeline.volumes.detector import shipped_detector
from cender.training.detector.samples import Sample
from cender.training.detector.simulated import make_simulated_samples
from cender.training.detector.train import Progress, train_detector
from cender.types import Weights

TRAINING_SEED = 1000
ANIMALS_VOLUMES = 3


def collect_samples(
    folders: Sequence[Path], config: Config, start: Weights | None, simulated: int, partial: bool
) -> Iterator[Sample]:
    """Heads to learn from: every annotated volume of the folders, then of simulated animals.

    Parameters
    ----------
    start
        Weights that complete what is annotated in part; None where training starts from nothing.
    """
    score = None if start is None else build_score(start, "cpu", "float32")
    for folder in folders:
        truth, recording = load_annotated(folder, config.recording)
        yield from make_samples(mark_partial(truth) if partial else truth, recording, score)
    yield from make_simulated_samples(simulated, ANIMALS_VOLUMES, TRAINING_SEED, config.train.rigs)


def find_start(folders: Sequence[Path], config: Config) -> Weights:
    """Weights to begin with: those of the settings (``detect.weights``), or the shipped ones for the folders' rig."""
    given = config.detect.weights
    if given:
        return load_weights(Path(given), KIND)
    return shipped_detector(not folders or has_usual_rig(folders[0], config.recording))


def learn_detector(
    samples: Sequence[Sample],
    config: Config,
    start: Weights | None,
    seed: int,
    target: Path,
    on_step: Callable[[Progress], None],
) -> tuple[Weights, list[list[float]]]:
    """Weights learnt from the samples, resuming from the checkpoint beside ``target`` if there is one."""
    return train_detector(samples, config.train, seed, start, target.with_suffix(".checkpoint"), on_step)
