"""A network over all neurons of an animal at once: which cell is each, and is the pose the usual one?"""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from cender.nets.constellation import REACHES, PairAttention

WIDTH, PAIR, LAYERS = 96, 16, 3


class Namer(nn.Module):
    """Scores of every cell name for every neuron, and one score that the animal lies in the frame of the atlas."""

    def __init__(self, names: int, features: int) -> None:
        super().__init__()
        self.token = nn.Sequential(nn.Linear(3 + features, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        self.pair = nn.Sequential(nn.Linear(4 + len(REACHES), PAIR), nn.GELU(), nn.Linear(PAIR, PAIR))
        self.layers = nn.ModuleList(PairAttention(WIDTH, PAIR) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, names)
        self.upright = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1))

    def forward(
        self, position: Float[Tensor, "b n 3"], colour: Float[Tensor, "b n f"], there: Bool[Tensor, "b n"]
    ) -> tuple[Float[Tensor, "b n k"], Float[Tensor, " b"]]:
        """Scores before the softmax of the names, and the log-odds that the pose is the usual one."""
        offset = position[:, :, None] - position[:, None]  # b n n 3
        distance = offset.norm(dim=3, keepdim=True)  # b n n 1
        near = torch.cat([torch.exp(-0.5 * (distance / (2 * reach)) ** 2) for reach in REACHES], 3)  # b n n 3
        pair = self.pair(torch.cat([offset * 2, distance * 2, near], 3))  # b n n p
        x = self.token(torch.cat([position * 2, colour], 2))  # b n w
        for layer in self.layers:
            x = layer(x, pair, there)
        x = self.norm(x)
        weight = there[:, :, None].float()
        mean = (x * weight).sum(1) / weight.sum(1).clamp(min=1)  # b w
        return self.head(x), self.upright(mean)[:, 0]


NameScore = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def build_namer(arrays: Mapping[str, np.ndarray]) -> Namer:
    """A namer with these weights."""
    net = Namer(len(arrays["head.bias"]), arrays["token.0.weight"].shape[1] - 3)
    net.load_state_dict({name: torch.from_numpy(value.astype(np.float32)) for name, value in arrays.items()})
    return net.eval()


def make_name_score(nets: list[Namer]) -> NameScore:
    """The networks' mean as a function of positions ``p n 3`` and colours ``n f``: ``p n k`` and ``p``."""

    def score(position: np.ndarray, colour: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        poses = torch.from_numpy(np.ascontiguousarray(position, np.float32))
        looks = torch.from_numpy(np.ascontiguousarray(colour, np.float32)).expand(len(position), -1, -1)
        there = torch.ones(position.shape[:2], dtype=torch.bool)
        with torch.inference_mode():
            answers = [net(poses, looks, there) for net in nets]
            names = torch.stack([answer[0].log_softmax(2) for answer in answers]).logsumexp(0) - np.log(len(nets))
            upright = torch.stack([answer[1] for answer in answers]).mean(0)
        return names.numpy(), upright.numpy()

    return score
