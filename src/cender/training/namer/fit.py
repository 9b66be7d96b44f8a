"""The loop that teaches the network of the namer."""

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cender.nets.namer import Namer
from cender.training.namer.blend import blend_specimen, collect_places
from cender.training.namer.vary import Sighting, Specimen, collect_palette, vary_specimen
from cender.training.params import TrainNamerParams

# Share of the loss that asks for all names alike, and what the pose weighs beside the names.
SMOOTHING, POSE_WEIGHT = 0.05, 0.2
# Largest norm of a gradient, and steps in which the learning rate rises.
CLIP, WARM_UP = 1.0, 50
MEMORY = 0.998
"""How much of the averaged weights a step leaves as they were."""


def fit_namer(
    net: Namer, pool: Sequence[Specimen], partner: np.ndarray, params: TrainNamerParams, rng: np.random.Generator
) -> Iterator[float]:
    """Teach a network from varied animals; yields the loss of every step.

    ``partner`` is the row of each cell on the other side. In the end the network has the running mean of its weights
    over the last steps, which is steadier than any one.
    """
    palette, places = collect_palette(pool, partner), collect_places(pool, partner)
    optimiser = torch.optim.AdamW(net.parameters(), lr=params.learning_rate, weight_decay=1e-2)
    mean = deepcopy(net)
    net.train()
    for step in range(params.steps):
        pace = min((step + 1) / WARM_UP, 0.5 * (1 + math.cos(math.pi * step / params.steps)) + 5e-3)
        for group in optimiser.param_groups:
            group["lr"] = params.learning_rate * pace
        chosen = [pool[row] for row in rng.integers(len(pool), size=params.batch)]
        sights = [vary_specimen(blend_specimen(one, places, rng), palette, rng) for one in chosen]
        named = sum(int((one.label >= 0).sum()) for one, upright in sights if upright)
        optimiser.zero_grad()
        total = 0.0
        for one, upright in sights:
            loss = _measure_loss(net, one, upright, max(named, 1), params.batch)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimiser.step()
        _follow(mean, net, min(MEMORY, (step + 1) / (step + 10)))
        yield total
    net.load_state_dict(mean.state_dict())


def _follow(mean: Namer, net: Namer, memory: float) -> None:
    with torch.no_grad():
        for average, value in zip(mean.parameters(), net.parameters(), strict=True):
            average.lerp_(value, 1 - memory)


def _measure_loss(net: Namer, one: Sighting, upright: bool, named: int, batch: int) -> Tensor:
    """The share of one animal in the loss of a step; names in a wrong pose teach nothing."""
    position = torch.from_numpy(one.position.astype(np.float32))
    score, pose = net(position, torch.from_numpy(one.colour.astype(np.float32)))
    loss = POSE_WEIGHT / batch * functional.binary_cross_entropy_with_logits(pose, torch.tensor(float(upright)))
    rows = torch.from_numpy(np.flatnonzero(one.label >= 0))
    if upright and len(rows):
        label = torch.from_numpy(one.label)[rows]
        loss = loss + functional.cross_entropy(score[rows], label, label_smoothing=SMOOTHING, reduction="sum") / named
    return loss
