"""A network over all neurons of an animal at once: which cell is each, and is the pose the usual one?

One animal at a time: what is said about its pairs then fits into the cache of a core, which is worth more than a batch.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from cender.nets.threads import limit_threads

WIDTH, PAIR, LAYERS, HEADS = 96, 16, 3, 4
"""Widths of the descriptions of a neuron and of a pair, layers, and attention heads per layer."""
REACHES = (0.1, 0.2, 0.5)
"""Distances, in units of the atlas, around which nearness is told apart."""


class PairAttention(nn.Module):
    """Attention among the neurons of one animal that also sees, and carries on, how each pair lies to each other."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.bias = nn.Linear(PAIR, HEADS)
        self.out = nn.Linear(WIDTH + HEADS * PAIR, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.feed = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x: Float[Tensor, "n w"], pair: Float[Tensor, "n n p"]) -> Float[Tensor, "n w"]:
        """Tokens after one round of looking at each other."""
        n = len(x)
        q, k, v = self.qkv(self.norm(x)).view(n, 3, HEADS, WIDTH // HEADS).permute(1, 2, 0, 3)  # h n c
        near = self.bias(pair).permute(2, 0, 1)  # h n n
        attention = torch.baddbmm(near, q, k.transpose(1, 2), alpha=(WIDTH // HEADS) ** -0.5).softmax(2)  # h n n
        seen = (attention @ v).transpose(0, 1).reshape(n, WIDTH)  # n w
        # For each neuron: (h n) @ (n p), the mean geometry of what every head looks at.
        geometry = (attention.transpose(0, 1) @ pair).reshape(n, HEADS * PAIR)  # n h·p
        x = x + self.out(torch.cat([seen, geometry], 1))
        return torch.as_tensor(x + self.feed(self.norm2(x)))


class Namer(nn.Module):
    """Scores of every cell name for every neuron, and one score that the animal lies in the frame of the atlas."""

    def __init__(self, names: int, features: int) -> None:
        super().__init__()
        self.token = nn.Sequential(nn.Linear(3 + features, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        self.pair = nn.Sequential(nn.Linear(4 + len(REACHES), PAIR), nn.ReLU(), nn.Linear(PAIR, PAIR))
        self.layers = nn.ModuleList(PairAttention() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, names)
        self.upright = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1))

    def forward(
        self, position: Float[Tensor, "n 3"], colour: Float[Tensor, "n f"]
    ) -> tuple[Float[Tensor, "n k"], Float[Tensor, ""]]:
        """Scores before the softmax of the names, and the log-odds that the pose is the usual one."""
        offset = position[:, None] - position[None]  # n n 3
        squared = (offset**2).sum(2, keepdim=True)  # n n 1
        near = [torch.exp(-0.5 * squared / reach**2) for reach in REACHES]  # each n n 1
        # The small number keeps the gradient of the root finite on the diagonal.
        pair = self.pair(torch.cat([2 * offset, 2 * (squared + 1e-8).sqrt(), *near], 2))  # n n p
        x = self.token(torch.cat([2 * position, colour], 1))  # n w
        for layer in self.layers:
            x = layer(x, pair)
        x = self.norm(x)
        return self.head(x), self.upright(x.mean(0))[0]


NameScore = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def build_namer(arrays: Mapping[str, np.ndarray]) -> Namer:
    """A namer with these weights."""
    net = Namer(len(arrays["head.bias"]), arrays["token.0.weight"].shape[1] - 3)
    net.load_state_dict({name: torch.from_numpy(value.astype(np.float32)) for name, value in arrays.items()})
    return net.eval()


def make_name_score(nets: Sequence[Namer]) -> NameScore:
    """Networks as a function of positions ``p n 3`` and colours ``n f``: mean log-chances ``p n k``, poses ``p``."""

    def score(position: np.ndarray, colour: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        looks = torch.from_numpy(np.ascontiguousarray(colour, np.float32))
        names, upright = [], []
        # Threads would spend more on waiting for each other than such a small network takes, on a busy machine tenfold.
        with limit_threads(1), torch.inference_mode():
            for pose in torch.from_numpy(np.ascontiguousarray(position, np.float32)):
                found = [net(pose, looks) for net in nets]
                names.append(torch.stack([name.log_softmax(1) for name, _ in found]).mean(0))
                upright.append(torch.stack([usual for _, usual in found]).mean())
        return torch.stack(names).numpy(), torch.stack(upright).numpy()

    return score
