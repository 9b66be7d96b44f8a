"""The loop that teaches one network of the namer."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cender.nets.namer import Namer
from cender.training.namer.vary import Palette, Sighting, Specimen, vary_specimen
from cender.training.params import TrainNamerParams

SMOOTHING, POSE_WEIGHT, CLIP, WARM_UP = 0.05, 0.2, 1.0, 50


def fit_namer(
    net: Namer, pool: Sequence[Specimen], palette: Palette, params: TrainNamerParams, rng: np.random.Generator
) -> Iterator[float]:
    """Teach a network from varied animals; yields the loss of every step."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=params.learning_rate, weight_decay=1e-2)
    net.train()
    for step in range(params.steps):
        pace = min((step + 1) / WARM_UP, 0.5 * (1 + math.cos(math.pi * step / params.steps)) + 5e-3)
        for group in optimiser.param_groups:
            group["lr"] = params.learning_rate * pace
        sights = [vary_specimen(pool[row], palette, rng) for row in rng.integers(len(pool), size=params.batch)]
        named = sum(int((one.label >= 0).sum()) for one, upright in sights if upright)
        optimiser.zero_grad()
        total = 0.0
        for one, upright in sights:
            loss = _measure_loss(net, one, upright, max(named, 1), params.batch)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        optimiser.step()
        yield total


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
