"""Recognizers: learnt from annotated volumes or from nothing, kept in files, applied to whole recordings."""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np

import cender
from cender.config import Config
from cender.errors import DataError, ModelError
from cender.io.results.folder.fingerprints import hash_values
from cender.io.weights import load_weights, shipped_weights
from cender.nets.constellation import (
    Classifier,
    Matcher,
    build_classifier,
    build_matcher,
    export_weights,
    make_score,
    use_threads,
)
from cender.pipeline.volumes.executor import count_workers
from cender.recognize.confidence import Calibration
from cender.recognize.model import Model, Naming, name_neurons
from cender.recognize.pooling import thin_naming
from cender.recognize.references import References
from cender.recognize.together import recognize_together
from cender.training.recognizer.train import Progress, train_recognizer
from cender.training.shipped.matcher import KIND as MATCHER
from cender.types import Annotation, Identities, Weights

KIND, PAPER_KIND = "recognizer", "paper recognizer"
Recognize = Callable[[Sequence[Annotation]], list[Identities]]
OnStep = Callable[[Progress], None]


def ignore_step(progress: Progress) -> None:
    """Take no notice of a training step."""


def learn_recognizer(
    annotated: Sequence[Annotation],
    recording: Sequence[Annotation],
    config: Config,
    seed: int = 0,
    on_step: OnStep = ignore_step,
) -> Recognize:
    """A recognizer for the volumes of a recording, as a function of volumes.

    Parameters
    ----------
    annotated
        Volumes with identities; none at all is enough: then the neurons of the recording are numbered.
    recording
        Volumes of the same recording, whose identities are not looked at.
    """
    weights = train_weights(annotated, recording, config, seed, on_step)
    return build_recognizer(weights, config)


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


def hash_lesson(one: Annotation) -> str:
    """A name for what an annotated volume teaches: who is where, to a tenth of a micrometre."""
    rows = np.flatnonzero(one.identity >= 0)
    places = zip(one.identity[rows].tolist(), np.rint(one.centre_um[rows] * 10).astype(int).tolist(), strict=True)
    return hash_values({"lesson": sorted(places)})[:16]


def find_learnt(config: Config) -> frozenset[str]:
    """Names (as `hash_lesson` gives them) of the volumes that the recognizer of the settings learnt from."""
    if config.recognize.weights is None:
        return frozenset()
    weights = load_recognizer(Path(config.recognize.weights))
    return frozenset(str(json.loads(weights.metadata.get("about", "{}")).get("lessons", "")).split())


def build_recognizer(
    weights: Weights, config: Config, which: Literal["taught", "all"] = "taught", workers: int = 1
) -> Recognize:
    """The recognizer of these weights as a function of the volumes of a recording; ``which`` as in `recognize_neurons`.

    Volumes that it gets together are neighbours, and hear each other where the settings say so (recognize.temporal).
    """
    if weights.metadata["kind"] != KIND:
        return _build_paper(weights)
    model, params = unpack_recognizer(weights), config.recognize

    def recognize(volumes: Sequence[Annotation]) -> list[Identities]:
        namings = _map(lambda one: thin_naming(name_neurons(one, model)), volumes, workers)
        return recognize_together(volumes, namings, model, params.refuse_below, which, pool=params.temporal)

    return recognize


def identify_recording(
    volumes: Sequence[Annotation],
    annotated: Mapping[int, Annotation],
    config: Config,
    seed: int = 0,
    on_step: OnStep = ignore_step,
    workers: int = 0,
) -> dict[int, Identities]:
    """Identities of every volume of a recording.

    With annotated volumes or without any recognizer it learns first; a recognizer that the settings name
    (``recognize.weights``) is otherwise used as it is.

    Parameters
    ----------
    volumes
        All volumes, with the neurons that were found.
    annotated
        Volumes that a person named, by volume.
    workers
        Volumes that are named at a time (0: one a core, but few); they change nothing but the time it takes.
    """
    path = config.recognize.weights
    if path is not None and not annotated:
        weights = load_recognizer(Path(path))
    else:
        rest = [one for one in volumes if one.volume not in annotated]
        weights = train_weights(list(annotated.values()), rest, config, seed, on_step)
    use_threads(config.train_recognizer.threads)
    recognize = build_recognizer(weights, config, "all", count_workers(workers))
    return {one.volume: answer for one, answer in zip(volumes, recognize(volumes), strict=True)}


def _map(name: Callable[[Annotation], Naming], volumes: Sequence[Annotation], workers: int) -> list[Naming]:
    """What was found out about every volume, several at a time: what takes long lets other threads run."""
    if workers < 2:
        return [name(one) for one in volumes]
    pool = ThreadPoolExecutor(workers, "name")
    try:
        return list(pool.map(name, volumes))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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


def load_recognizer(path: Path) -> Weights:
    """Weights of a recognizer, ours or the paper's."""
    return load_weights(path, KIND, PAPER_KIND)


def find_taught(config: Config) -> frozenset[int]:
    """The identities that people taught the recognizer of the settings; none where it has none or began with none."""
    if config.recognize.weights is None:
        return frozenset()
    weights = load_recognizer(Path(config.recognize.weights))
    if weights.metadata["kind"] != KIND:
        return frozenset(json.loads(weights.metadata["identities"]))
    about = json.loads(weights.metadata.get("about", "{}"))
    named = int(weights.arrays["named"][0]) if about.get("annotated", "0") != "0" else 0
    return frozenset(weights.arrays["identities"][:named].tolist())


def pack_recognizer(net: Classifier, model: Model, about: Mapping[str, str]) -> Weights:
    """A trained recognizer as arrays and text."""
    arrays = {f"net.{name}": value for name, value in export_weights(net).items()}
    arrays |= {
        "identities": model.identities.astype(np.int64),
        "named": np.array([model.named]),
        "references.volume": model.references.volume.astype(np.int64),
        "references.position": model.references.position.astype(np.float32),
        "references.other": model.references.other.astype(np.float32),
        "calibration": model.calibration.weights,
        "quality": np.array([model.quality]),
    }
    return Weights(arrays, {"kind": KIND, "version": cender.__version__, "about": json.dumps(dict(about))})


def unpack_recognizer(weights: Weights) -> Model:
    """The recognizer of these weights."""
    arrays = weights.arrays
    try:
        identities = arrays["identities"]
        part = {key.removeprefix("net."): value for key, value in arrays.items() if key.startswith("net.")}
        net = build_classifier(part)
        references = References(
            arrays["references.volume"],
            arrays["references.position"].astype(float),
            arrays["references.other"].astype(float),
        )
        calibration = Calibration(arrays["calibration"])
        named = int(arrays["named"][0])
        quality = float(arrays["quality"][0])
    except (KeyError, RuntimeError) as error:
        raise ModelError(f"this recognizer is not complete: {error}; train it again") from None
    return Model(make_score(net), identities, named, references, calibration, quality)


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


def _build_paper(weights: Weights) -> Recognize:
    from cender.nets.embedding import build_embedder, read_classes
    from cender.recognize.paper.params import read_params
    from cender.recognize.paper.recognize import recognize_with_weights

    embed, params = build_embedder(weights), read_params(weights)
    classes, identities = read_classes(weights)
    return lambda volumes: [recognize_with_weights(one, embed, classes, identities, params) for one in volumes]
