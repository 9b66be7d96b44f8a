"""What the detector's training minimises."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional


def focal_loss(
    logits: Float[Tensor, "*shape"], heat: Float[Tensor, "*shape"], weight: Float[Tensor, "*shape"]
) -> Float[Tensor, ""]:
    """Penalty-reduced focal loss of centre heat maps, a sum per centre; places with weight 0 do not count."""
    log_yes, log_no = functional.logsigmoid(logits), functional.logsigmoid(-logits)
    chance = torch.sigmoid(logits)
    centre = (heat >= 1).to(logits.dtype)
    yes = centre * (1 - chance) ** 2 * log_yes
    no = (1 - centre) * (1 - heat) ** 4 * chance**2 * log_no
    count = (centre * weight).sum().clamp(min=1)
    return -((yes + no) * weight).sum() / count


def value_loss(
    maps: Float[Tensor, "z 5 y x"], values: Float[Tensor, "z 5 y x"], weight: Float[Tensor, "z y x"]
) -> Float[Tensor, ""]:
    """Smooth absolute difference of sizes and offsets near region centres."""
    distance = functional.smooth_l1_loss(maps, values, reduction="none", beta=0.1).sum(1)
    return (distance * weight).sum() / weight.sum().clamp(min=1)


def keep_heat_loss(
    logits: Float[Tensor, "*shape"], before: Float[Tensor, "*shape"], weight: Float[Tensor, "*shape"]
) -> Float[Tensor, ""]:
    """How far heat has moved from what a trained network says: divergence of chances, a sum per neuron it sees."""
    chance = torch.sigmoid(before)
    now = functional.binary_cross_entropy_with_logits(logits, chance, reduction="none")
    least = functional.binary_cross_entropy_with_logits(before, chance, reduction="none")
    return ((now - least) * weight).sum() / (chance * weight).sum().clamp(min=1)
