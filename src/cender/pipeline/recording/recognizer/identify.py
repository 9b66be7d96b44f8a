"""Giving the neurons of a recording their identities."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from cender.config import Config
from cender.nets.threads import limit_threads
from cender.pipeline.recording.recognizer.learn import OnStep, ignore_step, train_weights
from cender.pipeline.recording.recognizer.weights import KIND, load_recognizer, unpack_recognizer
from cender.pipeline.volumes.executor import count_workers
from cender.recognize import recognize_neurons
from cender.recognize.foreign import TRUST, trust_foreign, turn_over
from cender.recognize.model import Model, Recognition, classify_neurons
from cender.types import Annotation, Identities, Weights

Recognize = Callable[[Sequence[Annotation]], list[Identities]]


def identify_recording(
    volumes: Sequence[Annotation],
    annotated: Mapping[int, Annotation],
    config: Config,
    on_step: OnStep = ignore_step,
    workers: int = 0,
    on_weights: Callable[[Weights], None] = lambda weights: None,
    *,
    foreign: bool = False,
) -> dict[int, Identities]:
    """Identities of every volume of a recording.

    With annotated volumes or without any recognizer it learns first; a recognizer that the settings name
    (``recognize.weights``) is otherwise used as it is.

    Parameters
    ----------
    volumes
        All volumes, with the neurons that were found.
    annotated
        Volumes that a person annotated, by volume.
    workers
        Volumes that are recognized at a time (0: one per core, but few); they change nothing but the time it takes.
    on_weights
        Gets the recognizer that is used.
    foreign
        Whether the recognizer of the settings is that of another animal.
    """
    with limit_threads(config.train_recognizer.threads):
        weights = _settle_weights(volumes, annotated, config, on_step)
        on_weights(weights)
        taken_over = foreign and not annotated
        build = build_foreign if taken_over else partial(build_recognizer, which="all")
        recognize = build(weights, config, workers=count_workers(workers))
        return {one.volume: answer for one, answer in zip(volumes, recognize(volumes), strict=True)}


def _settle_weights(
    volumes: Sequence[Annotation], annotated: Mapping[int, Annotation], config: Config, on_step: OnStep
) -> Weights:
    path = config.recognize.weights
    if path is not None and not annotated:
        return load_recognizer(Path(path))
    rest = [one for one in volumes if one.volume not in annotated]
    return train_weights(list(annotated.values()), rest, config, on_step=on_step)


def learn_recognizer(
    annotated: Sequence[Annotation],
    recording: Sequence[Annotation],
    config: Config,
    seed: int = 0,
) -> Recognize:
    """A recognizer for the volumes of a recording, as a function of volumes.

    Parameters
    ----------
    annotated
        Volumes with identities; none at all is enough: then the neurons of the recording are numbered.
    recording
        Volumes of the same recording, whose identities are not looked at.
    """
    weights = train_weights(annotated, recording, config, seed)
    return build_recognizer(weights, config)


def build_recognizer(
    weights: Weights, config: Config, which: Literal["taught", "all"] = "taught", workers: int = 1
) -> Recognize:
    """The recognizer of these weights as a function of volumes of a recording; ``which`` as in `recognize_neurons`."""
    if weights.metadata["kind"] != KIND:
        return _build_paper(weights)
    model, params = unpack_recognizer(weights), config.recognize

    each = partial(_map, workers=workers)
    return lambda volumes: recognize_neurons(volumes, model, params, which, each=each)


def build_foreign(weights: Weights, config: Config, workers: int = 1) -> Recognize:
    """The recognizer of another animal: the identities that people taught it, as probable as they are in this one."""
    recognize, params = recognize_untrusted(weights, config, workers), config.recognize
    trust = TRUST["default" if weights.metadata["kind"] == KIND else "paper"]

    def settle(volumes: Sequence[Annotation]) -> list[Identities]:
        return trust_foreign(recognize(volumes), trust, params.refuse_below)

    return settle


def recognize_untrusted(weights: Weights, config: Config, workers: int = 1) -> Recognize:
    """All identities of another animal's recognizer, with the probabilities that they would have in its own animal.

    Two animals may lie on different sides. The paper's method knows the side from the head's axes; ours looks at every
    volume as it is and turned over, and takes what it recognizes better.
    """
    if weights.metadata["kind"] != KIND:
        return _build_paper(weights)
    # What is usual in the template's recording says nothing of another animal: no volume is doubted beside it.
    model = replace(unpack_recognizer(weights), quality=0.0)
    params = config.recognize.model_copy(update={"refuse_below": 0.0})
    each = partial(_map, workers=workers)
    return lambda volumes: recognize_neurons(volumes, model, params, classify=_classify_lying, each=each)


def _classify_lying(one: Annotation, model: Model) -> Recognition:
    """A volume as it is or turned over, whichever is recognized better."""
    lying = [classify_neurons(seen, model) for seen in (one, turn_over(one))]
    return max(lying, key=lambda recognition: recognition.quality)


def _build_paper(weights: Weights) -> Recognize:
    from cender.nets.embedding import build_embedder, read_classes
    from cender.recognize.paper.params import read_params
    from cender.recognize.paper.recognize import recognize_with_weights

    embed, params = build_embedder(weights), read_params(weights)
    classes, identities = read_classes(weights)
    return lambda volumes: [recognize_with_weights(one, embed, classes, identities, params) for one in volumes]


def _map(
    classify: Callable[[Annotation], Recognition], volumes: Sequence[Annotation], workers: int
) -> list[Recognition]:
    """What was found out about every volume, several at a time: what takes long lets other threads run."""
    if workers < 2:
        return [classify(one) for one in volumes]
    pool = ThreadPoolExecutor(workers, "classify")
    try:
        return list(pool.map(classify, volumes))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
