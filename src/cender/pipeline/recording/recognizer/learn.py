"""Learning a recognizer from annotated volumes, or from the recording alone."""

from collections.abc import Callable, Sequence
from pathlib import Path

from cender.config import Config
from cender.errors import DataError
from cender.io.weights import shipped_weights
from cender.nets.constellation import Matcher, build_matcher
from cender.pipeline.recording.recognizer.weights import KIND, hash_lesson, load_recognizer, pack_recognizer
from cender.pipeline.resources import settle_resources
from cender.training.recognizer.train import Progress, train_recognizer
from cender.training.shipped.matcher import KIND as MATCHER
from cender.types import Annotation, Weights

OnStep = Callable[[Progress], None]


def ignore_step(progress: Progress) -> None:
    """Take no notice of a training step."""


@settle_resources()
def train_weights(
    annotated: Sequence[Annotation],
    recording: Sequence[Annotation],
    config: Config,
    seed: int = 0,
    on_step: OnStep = ignore_step,
    checkpoint: Path | None = None,
) -> Weights:
    """Weights of a recognizer trained by the method of the settings.

    ``checkpoint`` is where ours keeps its state, to go on after an interruption; the paper's begins anew.
    """
    if config.recognize.method == "paper":
        return _train_paper(annotated, config, seed, on_step)
    params, matcher = config.train_recognizer, load_matcher(config)
    net, model = train_recognizer(annotated, recording, params, matcher, seed, on_step, checkpoint)
    learnt = " ".join(sorted({hash_lesson(one) for one in annotated}))
    return pack_recognizer(net, model, {"annotated": str(len(annotated)), "seed": str(seed), "lessons": learnt})


def load_matcher(config: Config) -> Matcher:
    """What training starts from: the recognizer that the settings name, or the shipped matcher."""
    arrays = dict(shipped_weights("matcher", MATCHER).arrays)
    path = config.recognize.weights
    if path is not None:
        trained = load_recognizer(Path(path))
        if trained.metadata["kind"] == KIND:
            net = {key.removeprefix("net."): value for key, value in trained.arrays.items()}
            arrays |= {key: net[key] for key in arrays if key.startswith("constellation.")}
    return build_matcher(arrays)


def _train_paper(annotated: Sequence[Annotation], config: Config, seed: int, on_step: OnStep) -> Weights:
    from cender.recognize.paper.params import choose_params
    from cender.training.paper.embedding import EmbeddingProgress, train_embedding

    def tell(progress: EmbeddingProgress) -> None:
        on_step(Progress(progress.step, progress.steps, "the paper's embedding", progress.loss))

    if not any((one.identity >= 0).any() for one in annotated):
        raise DataError(
            "the paper's method needs annotated volumes, found none; annotate some, or leave recognize.method at "
            "'default', which can begin with nothing"
        )
    return train_embedding(annotated, choose_params(config.recognize.paper, annotated), seed, tell)
