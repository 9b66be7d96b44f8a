"""The default detector's network: small, dense, every frame seen with its neighbours.

All is computed at a quarter of the image size: four by four pixels of a frame are its channels, and every pixel of the
last layer speaks for four of the maps. Layers in the image and layers along z take turns. The maps have half the
lateral size of the frames: logits of region and neuron centres, log width and height, and offsets of the centre.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float, Float32, UInt8
from torch import Tensor, nn
from torch.nn import functional

from cender.types import Maps
from cender.types.maps import CELL

MAPS = ("region", "centre", "width", "height", "dx", "dy", "dz")
"""Maps that the network gives, in their order."""
PACKED = 4
"""Side of the squares of pixels that become channels."""
# Brightness of the highest level where frames are given as 256 levels.
TOP = 2.0
# Share of their usual size with which weights that read new channels begin.
NEW_SHARE = 0.1


class DenseNet(nn.Module):
    """Seven maps for every frame, from the frame and its neighbours on either side.

    Parameters
    ----------
    width
        Channels of every layer.
    reach
        Neighbours on either side that the two layers along z read.
    """

    def __init__(self, width: int = 24, reach: tuple[int, int] = (2, 1)) -> None:
        super().__init__()
        self.reach = reach
        self.enter = nn.Conv2d(PACKED**2, width, 3, padding=1)
        self.along1 = nn.Conv2d((2 * reach[0] + 1) * width, width, 1)
        self.deep1 = nn.Conv2d(width, width, 3, padding=1)
        self.deep2 = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.along2 = nn.Conv2d((2 * reach[1] + 1) * width, width, 1)
        self.deep3 = nn.Conv2d(width, width, 3, padding=1)
        self.out = nn.Conv2d(width, len(MAPS) * CELL**2, 1)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
                nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
        with torch.no_grad():
            self.out.weight.mul_(0.1)
            # Centres are rare: start by believing in one pixel of a hundred.
            self.out.bias[: 2 * CELL**2] = -4.6  # type: ignore[index]

    def forward(
        self, frames: Float[Tensor, "n y x"], lengths: Sequence[int] | None = None
    ) -> Float[Tensor, "n m yh xh"]:
        """Maps of frames; y and x are multiples of 4.

        Parameters
        ----------
        lengths
            Numbers of frames of the volumes that ``frames`` are of, one after the other; by default it is one volume.
        """
        lengths = lengths or [len(frames)]
        node = functional.pixel_unshuffle(frames[:, None], PACKED)  # n, 16, y/4, x/4
        node = functional.relu(self.enter(node))
        node = functional.relu(self.along1(gather_neighbours(node, lengths, self.reach[0])))
        node = functional.relu(self.deep1(node))
        node = functional.relu(node + self.deep2(node))
        node = functional.relu(self.along2(gather_neighbours(node, lengths, self.reach[1])))
        node = functional.relu(self.deep3(node))
        return functional.pixel_shuffle(self.out(node), CELL)  # n, 7, y/2, x/2


def gather_neighbours(node: Float[Tensor, "n c y x"], lengths: Sequence[int], reach: int) -> Float[Tensor, "n k y x"]:
    """Every frame with its neighbours in z as channels; beyond the ends of a volume there is darkness."""
    volumes = []
    for part in torch.split(node, list(lengths)):
        padded = functional.pad(part, (0, 0, 0, 0, 0, 0, reach, reach))
        shifted = [padded[step : step + len(part)] for step in range(2 * reach + 1)]
        volumes.append(torch.cat(shifted, dim=1))
    return torch.cat(volumes)


def has_gpu() -> bool:
    """Whether torch can use a GPU here."""
    return torch.cuda.is_available()


def build_net(arrays: Mapping[str, np.ndarray]) -> DenseNet:
    """The network with these weights; its width and reach are read off their shapes."""
    net = DenseNet(*_read_sizes(arrays))
    net.load_state_dict({name: torch.from_numpy(np.array(value, np.float32)) for name, value in arrays.items()})
    return net.eval()


def widen_net(arrays: Mapping[str, np.ndarray], width: int, reach: tuple[int, int]) -> DenseNet:
    """A network of at least this width and reach that begins by saying nearly what the one with these weights says.

    New channels see what chance makes them see, and what reads them hardly listens at first.
    """
    narrow, (first, second) = _read_sizes(arrays)
    width, reach = max(width, narrow), (max(reach[0], first), max(reach[1], second))
    net = DenseNet(width, reach)
    grown = {name: value.detach().numpy().copy() for name, value in net.state_dict().items()}
    for name, new in grown.items():
        old = np.asarray(arrays[name], np.float32)
        if name.endswith("bias"):
            new[: len(old)] = old
            continue
        # Along z the channels of frames stand side by side; elsewhere there is one block.
        blocks, before = (new.shape[1] // width, old.shape[1] // narrow) if name.startswith("along") else (1, 1)
        parts = new.reshape(len(new), blocks, -1, *new.shape[2:])
        parts[: len(old)] *= NEW_SHARE
        start, inputs = (blocks - before) // 2, old.shape[1] // before
        known = old.reshape(len(old), before, inputs, *old.shape[2:])
        parts[: len(old), start : start + before, :inputs] = known
    return build_net(grown)


def _read_sizes(arrays: Mapping[str, np.ndarray]) -> tuple[int, tuple[int, int]]:
    width = len(arrays["enter.bias"])
    first, second = (arrays[f"along{number}.weight"].shape[1] // width // 2 for number in (1, 2))
    return width, (first, second)


def build_torch_score(
    arrays: Mapping[str, np.ndarray], device: str = "cpu"
) -> Callable[[Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]], Maps]:
    """A callable that scores whole volumes with torch."""
    net = build_net(arrays).to(device)

    def score(
        frames: Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"],
    ) -> Maps:
        tall, wide = (-size % PACKED for size in frames.shape[1:])
        given = torch.from_numpy(frames).to(device)
        lit = given * (TOP / 255) if given.dtype == torch.uint8 else given
        padded = functional.pad(lit, (0, wide, 0, tall))
        with torch.inference_mode():
            return Maps.pack(net(padded).cpu().numpy())

    return score
