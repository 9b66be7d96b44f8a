"""The paper's recognition network: features of a neuron to a point on a hypersphere (Stage 4)."""

import json
from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from cender.errors import ModelError
from cender.types import Weights

KIND = "paper recognizer"
WIDTH = 128
"""Width of the hidden layers."""
GROUPS = 4
"""Groups that a hidden layer is normalised in."""
BLOCKS = 3
"""Residual blocks."""


class GroupNorm(nn.Module):
    """Group normalisation of rows; torch's own takes twice as long for so few values."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x: Float[Tensor, "b w"]) -> Float[Tensor, "b w"]:
        """The same width, b 128."""
        grouped = x.reshape(len(x), GROUPS, WIDTH // GROUPS)  # b 4 32
        even = functional.layer_norm(grouped, grouped.shape[2:]).flatten(1)  # b 128
        return torch.addcmul(self.bias, even, self.weight)


class Dropout(nn.Module):
    """Dropout; torch's own spends half as much time again on random numbers that are finer than needed."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Float[Tensor, "b w"]) -> Float[Tensor, "b w"]:
        """Some values zero and the others larger in training, all as they are after it."""
        if not self.training or self.share == 0:
            return x
        return x * ((torch.rand(x.shape) >= self.share) / (1 - self.share))


class Layer(nn.Sequential):
    """Normalisation, CELU and dropout after a linear map, or alone."""

    def __init__(self, dropout: float, before: int | None = None) -> None:
        linear = [] if before is None else [nn.Linear(before, WIDTH, bias=False)]
        super().__init__(*linear, GroupNorm(), nn.CELU(), Dropout(dropout))


class Block(nn.Module):
    """Three linear maps beside one shortcut."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.body = nn.Sequential(Layer(dropout, WIDTH), Layer(dropout, WIDTH), nn.Linear(WIDTH, WIDTH))
        self.shortcut = nn.Linear(WIDTH, WIDTH)
        self.end = Layer(dropout)

    def forward(self, x: Float[Tensor, "b w"]) -> Float[Tensor, "b w"]:
        """The same width, b 128."""
        return torch.as_tensor(self.end(self.body(x) + self.shortcut(x)))


class EmbeddingNet(nn.Module):
    """Density and neighbours through a layer each, three blocks that each see the neighbours again, d dimensions."""

    def __init__(self, density: int, neighbours: int, d: int, classes: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.lengths = density, neighbours
        self.density = Layer(dropout, density)
        self.neighbours = Layer(dropout, neighbours)
        self.norms = nn.ModuleList(GroupNorm() for _ in range(BLOCKS))
        self.blocks = nn.ModuleList(Block(dropout) for _ in range(BLOCKS))
        self.last = nn.Linear(WIDTH, d)
        self.classes = nn.Parameter(torch.empty(classes, d))
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter)

    def forward(self, features: Float[Tensor, "b f"]) -> Float[Tensor, "b d"]:
        """Unit vectors, b d."""
        near = self.neighbours(features[:, self.lengths[0] :])  # b 128
        x = self.density(features[:, : self.lengths[0]])  # b 128
        for norm, block in zip(self.norms, self.blocks, strict=True):
            x = block(functional.relu(norm(near + x)))  # b 128
        return functional.normalize(self.last(x), dim=1)  # b d

    def compare(self, features: Float[Tensor, "b f"]) -> Float[Tensor, "b n"]:
        """Cosine between every embedding and every class."""
        return torch.as_tensor(self(features) @ functional.normalize(self.classes, dim=1).T)


def build_embedder(weights: Weights) -> Callable[[np.ndarray], np.ndarray]:
    """The trained network as a function: features ``m f`` to embeddings of length 1, ``m d``."""
    net = _restore(weights)
    expected = sum(net.lengths)

    def embed(features: Float[np.ndarray, "m f"]) -> Float[np.ndarray, "m d"]:
        if features.shape[1] != expected:
            raise ModelError(
                f"the recognizer expects {expected} features per neuron, found {features.shape[1]}; make them with the "
                "settings (k and q) that it was trained with"
            )
        with torch.inference_mode():
            return np.asarray(net(torch.from_numpy(features.astype(np.float32))).numpy())

    return embed


def read_classes(weights: Weights) -> tuple[Float[np.ndarray, "n1 d"], Int[np.ndarray, " n"]]:
    """Direction of every class (unit vectors; the last is "another neuron"), and the identities of all but the last."""
    try:
        classes = np.asarray(weights.arrays["classes"], np.float32)
        identities = np.array(json.loads(weights.metadata["identities"]), int)
    except (KeyError, ValueError) as error:
        raise ModelError(
            f"expected weights of a {KIND} with its classes, found {error}; train the recognizer again"
        ) from None
    if len(classes) != len(identities) + 1:
        raise ModelError(
            f"expected a class for each of {len(identities)} identities and one for all others, found "
            f"{len(classes)} classes; train the recognizer again"
        )
    return classes / np.linalg.norm(classes, axis=1, keepdims=True), identities


def _restore(weights: Weights) -> EmbeddingNet:
    arrays = weights.arrays
    try:
        classes, d = arrays["classes"].shape
        net = EmbeddingNet(arrays["density.0.weight"].shape[1], arrays["neighbours.0.weight"].shape[1], d, classes)
        net.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in arrays.items()})
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(f"expected weights of a {KIND}, found others: {error}; train the recognizer again") from None
    return net.eval()
