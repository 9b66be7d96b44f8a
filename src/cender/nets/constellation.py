"""A network over all neurons of a volume at once: each is described by where it lies among the others."""

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 64
"""Width of the description of a neuron inside the network."""
PAIR = 16
"""Width of the description of two neurons relative to each other."""
HEADS = 4
"""Attention heads per layer."""
LAYERS = 3
"""Layers of attention."""
REACHES = (0.05, 0.1, 0.25)
"""Distances, in the unit of `place_points`, over which nearness to another neuron falls off."""
LENGTH = 8.0
"""Length of every description: only its direction counts."""


class PairAttention(nn.Module):
    """Attention among neurons that also sees, and carries on, how each pair lies to each other."""

    def __init__(self) -> None:
        super().__init__()
        width, pair = WIDTH, PAIR
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.bias = nn.Linear(pair, HEADS)
        self.out = nn.Linear(width + HEADS * pair, width)
        self.norm2 = nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(
        self, x: Float[Tensor, "b n w"], pair: Float[Tensor, "b n n p"], there: Bool[Tensor, "b n"]
    ) -> Float[Tensor, "b n w"]:
        """Tokens after one round of looking at each other."""
        return self.attend(x, self.bias(pair).permute(0, 3, 1, 2), pair, there)

    def attend(
        self,
        x: Float[Tensor, "b n w"],
        bias: Float[Tensor, "b h n n"],
        pair: Float[Tensor, "b n n p"],
        there: Bool[Tensor, "b n"],
        mix: nn.Module | None = None,
    ) -> Float[Tensor, "b n w"]:
        """The same, with what pairs add to the attention known already; ``mix`` maps means of the pairs' codes."""
        b, n, width = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, n, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)  # b h n c
        logits = q @ k.transpose(2, 3) / (width // HEADS) ** 0.5 + bias  # b h n n
        if not bool(there.all()):
            logits = logits.masked_fill(~there[:, None, None, :], -1e9)
        attention = logits.softmax(3)  # b h n n
        seen = (attention @ v).transpose(1, 2).reshape(b, n, width)  # b n w
        # For each neuron: (h n) @ (n p), the mean geometry of what every head looks at.
        geometry = attention.transpose(1, 2) @ pair  # b n h p
        geometry = (geometry if mix is None else mix(geometry)).flatten(2)  # b n h·p
        x = x + self.out(torch.cat([seen, geometry], 2))
        return torch.as_tensor(x + self.feed(self.norm2(x)))


class Constellation(nn.Module):
    """Descriptions of neurons from positions (frame units) and, where there is any, evidence of the image."""

    def __init__(self, evidence: int = 0) -> None:
        super().__init__()
        self.evidence = evidence
        self.token = nn.Sequential(nn.Linear(3 + evidence, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        self.pair = nn.Sequential(nn.Linear(4 + len(REACHES), PAIR), nn.GELU(), nn.Linear(PAIR, PAIR))
        self.layers = nn.ModuleList(PairAttention() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(
        self, position: Float[Tensor, "b n 3"], evidence: Float[Tensor, "b n e"], there: Bool[Tensor, "b n"]
    ) -> Float[Tensor, "b n w"]:
        """One description per neuron; those of absent rows mean nothing."""
        offset = position[:, :, None] - position[:, None]  # b n n 3
        distance = offset.norm(dim=3, keepdim=True)  # b n n 1
        near = torch.cat([torch.exp(-0.5 * (distance / reach) ** 2) for reach in REACHES], 3)  # b n n 3
        code = self.pair[:2](torch.cat([offset * 4, distance * 4, near], 3))  # b n n p
        x = self.token(torch.cat([position * 4, evidence], 2))  # b n w
        # The last map of the pairs is linear, and so is what follows it: both are taken in one step for all layers, and
        # the pairs' codes are mapped after they were averaged. That is exact, and spares most of the work on pairs.
        mix, layers = cast(nn.Linear, self.pair[2]), cast(list[PairAttention], list(self.layers))
        weight = torch.cat([layer.bias.weight for layer in layers]) @ mix.weight  # l·h p
        shift = torch.cat([layer.bias(mix.bias) for layer in layers])  # l·h
        biases = weight @ code.flatten(1, 2).transpose(1, 2) + shift[:, None]  # b l·h n·n
        count = position.shape[1]
        for layer, bias in zip(layers, biases.unflatten(2, (count, count)).split(HEADS, 1), strict=True):
            x = layer.attend(x, bias, code, there, mix)
        return functional.normalize(self.norm(x), dim=2) * LENGTH


class Matcher(nn.Module):
    """A constellation that tells which neurons of two volumes are the same, whatever the animal."""

    def __init__(self, evidence: int = 0) -> None:
        super().__init__()
        self.constellation = Constellation(evidence)
        self.none = nn.Linear(WIDTH, 1)
        self.scale = nn.Parameter(torch.tensor(2.5))

    def forward(
        self,
        here: Float[Tensor, "b n w"],
        there: Float[Tensor, "b m w"],
        present: Bool[Tensor, "b m"],
    ) -> Float[Tensor, "b n k"]:
        """Log-probabilities that each neuron here is one of those there, or none of them (last), by descriptions."""
        likeness = here @ there.transpose(1, 2) * (self.scale.exp() / LENGTH**2)  # b n m
        likeness = likeness.masked_fill(~present[:, None], -1e9)
        return functional.log_softmax(torch.cat([likeness, self.none(here)], 2), 2)  # b n m+1


class Classifier(nn.Module):
    """A constellation and what it should answer: one score per identity, and one for none of them (last)."""

    def __init__(self, identities: int, evidence: int = 0) -> None:
        super().__init__()
        self.constellation = Constellation(evidence)
        self.head = nn.Linear(WIDTH, identities + 1)

    def start_from(self, matcher: Matcher, examples: Float[Tensor, "i w"]) -> None:
        """Begin with what a matcher knows: an identity is what resembles its example, by the matcher's own measure."""
        self.constellation.load_state_dict(matcher.constellation.state_dict())
        with torch.no_grad():
            self.head.weight[:-1] = functional.normalize(examples, dim=1) * (matcher.scale.exp() / LENGTH)
            self.head.weight[-1] = matcher.none.weight[0]
            self.head.bias.zero_()
            self.head.bias[-1] = matcher.none.bias[0]

    def forward(
        self, position: Float[Tensor, "b n 3"], evidence: Float[Tensor, "b n e"], there: Bool[Tensor, "b n"]
    ) -> Float[Tensor, "b n k"]:
        """Logarithms of the probabilities of every identity, and of none."""
        return functional.log_softmax(self.head(self.constellation(position, evidence, there)), 2)


def build_matcher(arrays: Mapping[str, np.ndarray]) -> Matcher:
    """A matcher with these weights."""
    net = Matcher(arrays["constellation.token.0.weight"].shape[1] - 3)
    net.load_state_dict(_to_tensors(arrays))
    return net.eval()


def build_classifier(arrays: Mapping[str, np.ndarray]) -> Classifier:
    """A classifier with these weights."""
    net = Classifier(len(arrays["head.bias"]) - 1, arrays["constellation.token.0.weight"].shape[1] - 3)
    net.load_state_dict(_to_tensors(arrays))
    return net.eval()


def export_weights(net: nn.Module) -> dict[str, np.ndarray]:
    """Weights of a network by name."""
    return {name: value.detach().numpy().copy() for name, value in net.state_dict().items()}


def make_score(net: Classifier) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The network as a function of positions ``p n 3`` and evidence ``p n e``: log-probabilities ``p n k``."""

    def score(position: np.ndarray, evidence: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            answer: np.ndarray = net(
                torch.from_numpy(np.ascontiguousarray(position, np.float32)),
                torch.from_numpy(np.ascontiguousarray(evidence, np.float32)),
                torch.ones(position.shape[:2], dtype=torch.bool),
            ).numpy()
            return answer

    return score


def _to_tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    return {name: torch.from_numpy(value.astype(np.float32)) for name, value in arrays.items()}
