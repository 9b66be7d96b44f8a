"""The default detector's network: small, dense, every frame seen with its neighbours.

Frames of a volume are a batch; the channels of each are the frame itself and its neighbours in z. Output maps have
half the lateral size: logits of region and neuron centres, log width and height, and offsets of the centre (`MAPS`).
"""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from jaxtyping import Float, Float32, UInt8
from torch import Tensor, nn
from torch.nn import functional

MAPS = ("region", "centre", "width", "height", "dx", "dy", "dz")
STRIDE = 2
NEIGHBOURS = 2
# Brightness of the highest level where frames are given as 256 levels.
TOP = 2.0


class DenseNet(nn.Module):
    """Seven maps for every frame, from the frame and two neighbours on either side."""

    def __init__(self, narrow: int = 16, wide: int = 32) -> None:
        super().__init__()
        frames = 2 * NEIGHBOURS + 1
        self.narrow, self.wide = narrow, wide
        self.enter = nn.Conv2d(frames * STRIDE**2, narrow, 3, padding=1)
        self.down = nn.Conv2d(narrow, wide, 3, stride=2, padding=1)
        self.deep1 = nn.Conv2d(wide, wide, 3, padding=1)
        self.deep2 = nn.Conv2d(wide, wide, 3, padding=2, dilation=2)
        self.deep3 = nn.Conv2d(wide, wide, 3, padding=1)
        self.back = nn.Conv2d(wide, narrow, 1)
        self.blend = nn.Conv2d(narrow, narrow, 3, padding=1)
        self.out = nn.Conv2d(narrow, len(MAPS), 1)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
        with torch.no_grad():
            self.out.weight.mul_(0.1)
            # Centres are rare: start by believing in one pixel of a hundred.
            self.out.bias[:2] = -4.6  # type: ignore[index]

    def forward(self, frames: Float[Tensor, "z k y x"]) -> Float[Tensor, "z m yh xh"]:
        """Maps of frames stacked with their neighbours; y and x are multiples of 4."""
        packed = functional.pixel_unshuffle(frames, STRIDE)  # z, 4k, y/2, x/2
        skip = functional.relu(self.enter(packed))  # z, narrow, y/2, x/2
        deep = functional.relu(self.down(skip))  # z, wide, y/4, x/4
        deep = functional.relu(self.deep1(deep))
        deep = deep + functional.relu(self.deep2(deep))
        deep = functional.relu(self.deep3(deep))
        back = functional.interpolate(self.back(deep), scale_factor=2.0, mode="nearest")  # z, narrow, y/2, x/2
        mixed = functional.relu(self.blend(functional.relu(back + skip)))
        maps: Tensor = self.out(mixed)  # z, 7, y/2, x/2
        return maps


def stack_neighbours(frames: Float[Tensor, "z y x"]) -> Float[Tensor, "z k y x"]:
    """Every frame with its neighbours in z as channels; beyond the ends there is darkness."""
    padded = functional.pad(frames, (0, 0, 0, 0, NEIGHBOURS, NEIGHBOURS))
    return padded.unfold(0, 2 * NEIGHBOURS + 1, 1).permute(0, 3, 1, 2)


def has_gpu() -> bool:
    """Whether torch can use a GPU here."""
    return torch.cuda.is_available()


def build_net(arrays: Mapping[str, np.ndarray]) -> DenseNet:
    """The network with these weights; its widths are read off their shapes."""
    net = DenseNet(len(arrays["enter.bias"]), len(arrays["down.bias"]))
    net.load_state_dict({name: torch.from_numpy(np.array(value, np.float32)) for name, value in arrays.items()})
    return net.eval()


def build_torch_score(
    arrays: Mapping[str, np.ndarray], device: str = "cpu"
) -> Callable[[Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]], Float32[np.ndarray, "z m yh xh"]]:
    """A callable that scores whole volumes with torch."""
    net = build_net(arrays).to(device)

    def score(
        frames: Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"],
    ) -> Float32[np.ndarray, "z m yh xh"]:
        tall, wide = (-size % 4 for size in frames.shape[1:])
        given = torch.from_numpy(frames).to(device)
        lit = given * (TOP / 255) if given.dtype == torch.uint8 else given
        padded = functional.pad(lit, (0, wide, 0, tall))
        with torch.inference_mode():
            maps: np.ndarray = net(stack_neighbours(padded)).cpu().numpy()
        return maps

    return score
