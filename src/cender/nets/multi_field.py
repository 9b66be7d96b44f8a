"""The paper's detection network: a residual network on five concentric fields around one peak."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from cender.errors import ModelError
from cender.nets.devices import has_gpu

KIND = "multi-field detector"
FIELDS = 5
"""Fields of view of a candidate, one channel each."""
# Share of the last features that training drops.
DROPPED = 0.4

Scorer = Callable[[Float[np.ndarray, "n 5 41 41"]], tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n 4"]]]


def convolve(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """A 3×3 convolution with bias and batch normalisation."""
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1), nn.BatchNorm2d(outputs))


class ResidualBlock(nn.Module):
    """Two 3×3 convolutions beside a third, which is the shortcut even where the shape stays."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.body = nn.Sequential(convolve(inputs, outputs, stride), nn.ReLU(), convolve(outputs, outputs), nn.ReLU())
        self.shortcut = convolve(inputs, outputs, stride)

    def forward(self, values: Tensor) -> Tensor:
        """Same rows and columns divided by the stride."""
        return torch.relu(self.body(values) + self.shortcut(values))


class MultiFieldNet(nn.Module):
    """Score and box corrections of one anchor from its five fields (paper, Stage 2, network "41").

    Parameters
    ----------
    width
        Factor on all channels; 1 is the paper's network of 48.7 million parameters.
    """

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()

        def channels(full: int) -> int:
            return max(round(full * width), 1)

        c32, c64, c128, c256, c512, c1024 = (channels(c) for c in (32, 64, 128, 256, 512, 1024))
        self.stem = nn.Sequential(
            nn.BatchNorm2d(FIELDS),
            convolve(FIELDS, c32),
            nn.ReLU(),
            convolve(c32, c32),
            nn.ReLU(),
            convolve(c32, c64),
            nn.ReLU(),
        )
        self.blocks = nn.Sequential(
            ResidualBlock(c64, c64),
            ResidualBlock(c64, c128, 2),
            ResidualBlock(c128, c128),
            ResidualBlock(c128, c256, 2),
            ResidualBlock(c256, c256),
            ResidualBlock(c256, c512, 2),
            ResidualBlock(c512, c512),
            ResidualBlock(c512, c1024, 2),
            ResidualBlock(c1024, c512),
        )
        self.gather = nn.Conv2d(c512, c512, 3)
        self.features = nn.Sequential(nn.BatchNorm1d(c512), nn.ReLU(), nn.Dropout(DROPPED))
        self.score = nn.Linear(c512, 1)
        self.corrections = nn.Linear(c512, 4)
        self.apply(_initialise)
        # Without evidence the answer is the anchor itself.
        nn.init.constant_(self.corrections.bias[2:], 1.0)

    def forward(self, fields: Float[Tensor, "n 5 41 41"]) -> tuple[Float[Tensor, " n"], Float[Tensor, "n 4"]]:
        """Logit of the score, and Δx, Δy, ω, η of the paper's region correction."""
        values = self.blocks(self.stem(fields))  # n c 3 3
        values = self.gather(values).flatten(1)  # n c
        values = self.features(values)
        return self.score(values).squeeze(1), self.corrections(values)


def choose_device(name: str) -> str:
    """The device of a setting: 'auto' is a GPU where torch finds one, else the CPU."""
    if name == "auto":
        return "cuda" if has_gpu() else "cpu"
    if name == "cuda" and not has_gpu():
        raise ModelError("device = 'cuda', but torch finds no GPU here; use 'auto' or install torch's CUDA build")
    return name


def build_scorer(state: Mapping[str, np.ndarray], width: float, *, device: str = "cpu") -> Scorer:
    """A function from fields to scores (0 to 1, one sigmoid) and corrections, run in batches.

    Parameters
    ----------
    state
        The network's arrays by name, of any float type.
    width
        Factor on the channels that the network was trained with.
    """
    net = MultiFieldNet(width)
    try:
        net.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in state.items()})
    except RuntimeError as error:
        raise ModelError(
            f"weights do not fit the multi-field network of width {width:g}: {error}. "
            "Give the width that they were trained with (it is in their metadata)"
        ) from None
    return wrap_network(net.to(device))


def wrap_network(net: MultiFieldNet, *, batch: int = 256) -> Scorer:
    """The same for a network that is already in memory; it is put into its inference mode."""
    net.eval()
    device = next(net.parameters()).device

    def score(
        fields: Float[np.ndarray, "n 5 41 41"],
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n 4"]]:
        scores, corrections = [np.zeros(0, np.float32)], [np.zeros((0, 4), np.float32)]
        with torch.inference_mode():
            for start in range(0, len(fields), batch):
                part = torch.from_numpy(np.ascontiguousarray(fields[start : start + batch], np.float32))
                logits, offsets = net(part.to(device))
                scores.append(torch.sigmoid(logits).cpu().numpy())
                corrections.append(offsets.cpu().numpy())
        return np.concatenate(scores), np.concatenate(corrections)

    return score


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Conv2d | nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
