"""The two ways to recognize neurons as a benchmark calls them: ours, and the paper's."""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from cender.bench.identity.across import LearnAcross
from cender.bench.identity.measure import Learn, Recognize
from cender.config import Config
from cender.nets.embedding import build_embedder, read_classes
from cender.pipeline.recording.recognizer.identify import learn_recognizer
from cender.recognize.paper.params import PaperParams, choose_params, read_params
from cender.recognize.paper.recognize import describe_neurons, recognize_with_template
from cender.training.paper.embedding import train_embedding
from cender.types import Annotation, Identities, Weights

Method = Literal["default", "paper"]
Train = Callable[[Sequence[Annotation], PaperParams, int], Weights]
METHODS: tuple[Method, ...] = get_args(Method)
Features = tuple[str, str]
"""What neighbours and what density are made of: 'objects' or 'regions'."""


def make_learner(method: Method, config: Config, features: Features | None = None) -> Learn:
    """How a method learns from annotated volumes of the recording that it is used on."""
    chosen = choose_method(config, method, features)
    return lambda annotated, recording, seed: learn_recognizer(annotated, recording, chosen, seed)


def make_across_learner(
    method: Method, config: Config, features: Features | None = None, train: Train = train_embedding
) -> LearnAcross:
    """How a method uses a model of another animal; ``train`` trains the paper's, or remembers what it trained.

    The paper's embeds with a network trained on animal A and assigns to the template of B (its Stage 4, across
    animals). Ours starts from the shipped matcher, learns from the template and, unlabelled, from the recording of B.
    """
    if method == "paper":
        params = choose_features(config, features)
        return lambda annotated, template, recording, seed: _match_template(
            train(annotated, choose_params(params, annotated), seed), template
        )
    learn = make_learner(method, config)
    return lambda annotated, template, recording, seed: learn([template], recording, seed)


def choose_method(config: Config, method: Method, features: Features | None = None) -> Config:
    """The settings with this method, and with these features of the paper's."""
    update = {"method": method, "paper": choose_features(config, features)}
    return config.model_copy(update={"recognize": config.recognize.model_copy(update=update)})


def choose_features(config: Config, features: Features | None = None) -> PaperParams:
    """Settings of the paper's method, with neighbours and density of other things where these are given."""
    params = config.recognize.paper
    return (
        params if features is None else params.model_copy(update=dict(zip(("knn", "density"), features, strict=True)))
    )


def embed_neurons(
    annotated: Sequence[Annotation], shown: Sequence[Annotation], params: PaperParams, seed: int = 0
) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "m d"], Int[np.ndarray, " m"]]:
    """Direction of every identity that the paper's network learns, and embeddings and identities of other volumes."""
    chosen = choose_params(params, annotated)
    weights = train_embedding(annotated, chosen, seed)
    embed = build_embedder(weights)
    classes, _ = read_classes(weights)
    points = np.concatenate([embed(describe_neurons(one, chosen)) for one in shown])
    return classes[:-1], points, np.concatenate([one.identity for one in shown])


def _match_template(weights: Weights, template: Annotation) -> Recognize:
    embed, params = build_embedder(weights), read_params(weights)

    def recognize(volumes: Sequence[Annotation]) -> list[Identities]:
        return [recognize_with_template(volume, template, embed, params) for volume in volumes]

    return recognize
