"""Training of the paper's recognizer (Stage 4): no augmentation, no validation volumes, the same for the same seed."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from cender.errors import DataError
from cender.nets.embedding import KIND, EmbeddingNet
from cender.nets.threads import limit_threads
from cender.recognize.paper.density import TERRITORIES
from cender.recognize.paper.params import PaperParams, choose_axes
from cender.recognize.paper.recognize import describe_neurons
from cender.recognize.spread import measure_spread
from cender.training.paper.margin import margin_loss
from cender.types import Annotation, Weights


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """Where training stands: the step that was done, of how many, and its loss."""

    step: int
    steps: int
    loss: float


def train_embedding(
    annotated: Sequence[Annotation],
    params: PaperParams,
    seed: int = 0,
    on_step: Callable[[EmbeddingProgress], None] = lambda progress: None,
) -> Weights:
    """Weights of the paper's recognizer, with the identities they know and the settings in their metadata.

    Every identity of these volumes is a class, all neurons without one are one class more. (The authors take identities
    that most of their volumes have, test volumes included, which is not known in use.)

    Parameters
    ----------
    annotated
        Volumes with identities, each at most once in a volume.
    params
        As they are, but for the axes, which are those that all volumes have; see `choose_params` for data with
        centres only. To recognize with the weights, take the settings back from them (`read_params`).
    seed
        Of everything random.
    on_step
        Told after every step.
    """
    params = choose_axes(params, annotated)
    features, target, identities = _gather(annotated, params)
    # Training must neither depend on nor disturb what others draw.
    with torch.random.fork_rng(devices=[]), limit_threads(params.threads):
        torch.manual_seed(seed)
        net = EmbeddingNet(TERRITORIES * params.q, 3 * params.k, params.d, len(identities) + 1, params.dropout)
        _train(net, torch.from_numpy(features), torch.from_numpy(target), params, on_step)
    arrays = {name: value.detach().numpy() for name, value in net.state_dict().items()}
    return Weights(arrays, _describe(annotated, target, identities, params, seed))


def _gather(
    annotated: Sequence[Annotation], params: PaperParams
) -> tuple[Float[np.ndarray, "b f"], Int[np.ndarray, " b"], Int[np.ndarray, " n"]]:
    """Features and class of every neuron, and the identities of all classes but the last."""
    for annotation in annotated:
        values, count = np.unique(annotation.identity[annotation.identity >= 0], return_counts=True)
        if (count > 1).any():
            raise DataError(
                f"volume {annotation.volume}: expected every identity once, found identity {values[count.argmax()]} "
                f"{count.max()} times; correct the annotation"
            )
    given = np.concatenate([np.zeros(0, int), *(annotation.identity for annotation in annotated)])
    identities = np.unique(given[given >= 0])
    if not len(identities):
        raise DataError(
            f"expected annotated volumes with identities to learn from, found none in {len(annotated)} volumes; "
            "give neurons of at least one volume their identities"
        )
    target = np.where(given >= 0, np.searchsorted(identities, given), len(identities))
    features = np.concatenate([describe_neurons(annotation, params) for annotation in annotated])
    return features.astype(np.float32), target.astype(np.int64), identities.astype(int)


def _train(
    net: EmbeddingNet,
    features: Float[Tensor, "b f"],
    target: Int[Tensor, " b"],
    params: PaperParams,
    on_step: Callable[[EmbeddingProgress], None],
) -> None:
    optimiser = torch.optim.Adam(net.train().parameters(), lr=params.learning_rate, fused=True)
    margins = (params.m1, params.m2, params.m3)
    steps = params.epochs * max(len(target) // params.batch, 1)
    for step, rows in enumerate(_draw_batches(len(target), params), 1):
        loss = margin_loss(net.compare(features[rows]), target[rows], margins, params.s)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        on_step(EmbeddingProgress(step, steps, float(loss.detach())))
    net.eval()


def _draw_batches(count: int, params: PaperParams) -> Iterator[Tensor]:
    """Rows of every step: each epoch in another order, an incomplete last batch left out."""
    batch = min(params.batch, count)
    for _ in range(params.epochs):
        order = torch.randperm(count)
        for first in range(0, count - batch + 1, batch):
            yield order[first : first + batch]


def _describe(
    annotated: Sequence[Annotation],
    target: Int[np.ndarray, " b"],
    identities: Int[np.ndarray, " n"],
    params: PaperParams,
    seed: int,
) -> dict[str, str]:
    spread = measure_spread(annotation.centre_um for annotation in annotated)
    # Features do not know the size of a head: a template of another one is noticed by this.
    size = {} if spread is None else {"spread_um": json.dumps(spread.round(2).tolist())}
    return {
        **size,
        "kind": KIND,
        "identities": json.dumps(identities.tolist()),
        "params": params.model_dump_json(),
        "seed": str(seed),
        "volumes": json.dumps([annotation.volume for annotation in annotated]),
        "neurons": str(len(target)),
    }
