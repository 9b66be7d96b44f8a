"""The paper's margin-penalty loss (Eq. of L'; Stage 4)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

# The arc cosine has no finite slope at ±1, and rounding may even put a cosine beyond.
CLOSEST = 1 - 1e-6


def margin_loss(
    cosine: Float[Tensor, "b n"], target: Int[Tensor, " b"], margins: tuple[float, float, float], scale: float
) -> Float[Tensor, ""]:
    """Mean cross-entropy in which the true class counts as ``cos(m1 θ + m2) - m3``, all others as ``cos θ``.

    Parameters
    ----------
    cosine
        Between every embedding and every class; values a rounding error outside -1 … 1 are allowed.
    target
        Column of the true class.
    margins
        ``m1``, ``m2`` and ``m3``; (1, 0, 0) is the softmax loss on the sphere.
    scale
        Radius ``s`` of the sphere.
    """
    m1, m2, m3 = margins
    column = target[:, None]
    angle = torch.acos(cosine.gather(1, column).clamp(-CLOSEST, CLOSEST))
    harder = torch.cos(m1 * angle + m2) - m3
    return functional.cross_entropy(scale * cosine.scatter(1, column, harder), target)
