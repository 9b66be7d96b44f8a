"""Teaching a classifier of constellations: clouds in batches, a loss that forgives, steps that shrink."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int
from torch import Tensor

from cender.nets.constellation import Classifier
from cender.training.journal import Journal, State
from cender.training.recognizer.clouds import Cloud, vary_cloud

# Share of the loss that asks for all classes alike, so that none is ever ruled out.
SMOOTHING = 0.05
# What a neuron that is none of the identities weighs, beside 1 for one that is.
NONE_WEIGHT = 0.3
# Largest norm of a gradient.
CLIP = 1.0
# Steps in which the learning rate rises.
WARM_UP = 30


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast to learn: largest learning rate, clouds a step, and whether what pairs look like is learnt as well.

    That last part is the one that a matcher knows best already, and nearly half of the time of a step.
    """

    learning_rate: float = 2e-3
    batch: int = 4
    pairs: bool = True


DEFAULT = Pace()
"""The pace of training unless it is told otherwise."""


def fit_classifier(
    net: Classifier,
    pool: Sequence[Cloud],
    steps: int,
    rng: np.random.Generator,
    *,
    pace: Pace = DEFAULT,
    journal: Journal | None = None,
    on_step: Callable[[float], None] = lambda loss: None,
) -> None:
    """Teach the network from varied clouds of the pool, each as often as the others; changes the network.

    Parameters
    ----------
    steps
        At most so many; it stops early when the loss no longer falls (no volumes are kept aside for that).
    journal
        Where to go on from, and what is kept for going on later; says when the loss no longer falls.
    on_step
        Told the loss of every step; a KeyboardInterrupt that it raises ends training with its state kept.
    """
    journal = journal or Journal()
    none = net.head.out_features - 1
    net.constellation.pair.requires_grad_(pace.pairs)
    learnt = [one for one in net.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(learnt, lr=pace.learning_rate, weight_decay=1e-2)
    weight = torch.ones(none + 1)
    weight[none] = NONE_WEIGHT
    share = np.full(len(pool), 1 / len(pool))
    state = State(net, optimiser, rng)
    learning = journal.begin(state, on_step)
    net.train()
    while learning and len(state.losses) < steps:
        for group in optimiser.param_groups:
            group["lr"] = pace.learning_rate * _schedule(len(state.losses), steps)
        clouds = [vary_cloud(pool[row], none, rng) for row in rng.choice(len(pool), pace.batch, p=share)]
        position, evidence, there, label = stack_clouds(clouds)
        loss = measure_loss(net(position, evidence, there), label, weight)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learnt, CLIP)
        optimiser.step()
        learning = journal.add(state, float(loss.detach()))
        try:
            on_step(state.losses[-1])
        except KeyboardInterrupt:
            journal.keep(state, done=not learning)
            raise
    journal.end(state)
    net.constellation.pair.requires_grad_(True)
    net.eval()


def stack_clouds(
    clouds: Sequence[Cloud],
) -> tuple[Float[Tensor, "b n 3"], Float[Tensor, "b n e"], Bool[Tensor, "b n"], Int[Tensor, "b n"]]:
    """Clouds of different sizes as one stack: positions, evidence, which rows are there, labels (-1 elsewhere)."""
    most = max(len(cloud) for cloud in clouds)
    position: Float32[np.ndarray, "b n 3"] = np.zeros((len(clouds), most, 3), np.float32)
    evidence = np.zeros((len(clouds), most, clouds[0].evidence.shape[1]), np.float32)
    there = np.zeros((len(clouds), most), bool)
    label = np.full((len(clouds), most), -1)
    for row, cloud in enumerate(clouds):
        count = len(cloud)
        position[row, :count], evidence[row, :count] = cloud.position, cloud.evidence
        there[row, :count], label[row, :count] = True, cloud.label
    return torch.from_numpy(position), torch.from_numpy(evidence), torch.from_numpy(there), torch.from_numpy(label)


def measure_loss(
    score: Float[Tensor, "b n k"], label: Int[Tensor, "b n"], weight: Float[Tensor, " k"]
) -> Float[Tensor, ""]:
    """Cross-entropy with label smoothing over the neurons whose class is known."""
    known = label >= 0
    if not bool(known.any()):
        return score.sum() * 0
    wanted, score = label[known], score[known]  # m, m k
    counts = weight[wanted]
    exact = -(score.gather(1, wanted[:, None])[:, 0] * counts).sum() / counts.sum()
    return (1 - SMOOTHING) * exact - SMOOTHING * score.mean()


def _schedule(step: int, steps: int) -> float:
    """Up over the first steps, then down along a cosine."""
    return min((step + 1) / WARM_UP, 0.5 * (1 + math.cos(math.pi * step / steps)) + 5e-3)
