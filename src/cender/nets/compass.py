"""The network behind `preprocess.compass`, for training; `compass_graph` runs it."""

from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

WIDTHS = (1, 10, 16, 24)
"""Channels before and after each convolution."""
HIDDEN = 32
"""Width of the layer between convolutions and answer."""


class Compass(nn.Module):
    """Three convolutions of stride 2 and two dense layers: a score and a bend for each patch.

    Batch normalisation makes training several times faster; it is folded into the weights that are exported.
    """

    def __init__(self, side: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv2d(before, after, 5 if index == 0 else 3, stride=2, padding=2 if index == 0 else 1, bias=False)
            for index, (before, after) in enumerate(pairwise(WIDTHS))
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for width in WIDTHS[1:])
        self.dense1 = nn.Linear(WIDTHS[-1] * (side // 8) ** 2, HIDDEN, bias=False)
        self.norm1 = nn.BatchNorm1d(HIDDEN)
        self.dense2 = nn.Linear(HIDDEN, 2)

    def forward(self, patches: Float[Tensor, "n s s"]) -> Float[Tensor, "n 2"]:
        """Score and bend of every patch."""
        x = patches[:, None]  # n 1 s s
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = functional.relu(norm(conv(x)))  # halves s
        # Channels last, as the exported weights have them.
        x = x.permute(0, 2, 3, 1).flatten(1)  # n (s/8)(s/8)24
        x = functional.relu(self.norm1(self.dense1(x)))  # n 32
        x = functional.dropout(x, 0.1, self.training)
        return torch.as_tensor(self.dense2(x))

    def export(self) -> dict[str, np.ndarray]:
        """Weights for `compass_graph`: convolutions ``k k in out``, dense layers ``in out``; half precision."""
        stored: dict[str, np.ndarray] = {}
        for index, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True), 1):
            factor, shift = _fold(norm)
            weight = conv.state_dict()["weight"].numpy().transpose(2, 3, 1, 0)
            stored |= {f"conv{index}.weight": weight * factor, f"conv{index}.bias": shift}
        factor, shift = _fold(self.norm1)
        stored |= {"dense1.weight": self.dense1.weight.detach().numpy().T * factor, "dense1.bias": shift}
        stored["dense2.weight"] = self.dense2.weight.detach().numpy().T
        stored["dense2.bias"] = self.dense2.bias.detach().numpy()
        return {name: np.ascontiguousarray(value).astype(np.float16) for name, value in stored.items()}


def _fold(norm: nn.Module) -> tuple[np.ndarray, np.ndarray]:
    """Factor and shift that a batch normalisation amounts to once trained."""
    state = {name: value.detach().numpy() for name, value in norm.state_dict().items()}
    factor = state["weight"] / np.sqrt(state["running_var"] + 1e-5)
    return factor, state["bias"] - state["running_mean"] * factor
