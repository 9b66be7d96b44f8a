"""The default detector's network: small, dense, every frame seen with its neighbours.

All is computed at a quarter of the image size: four by four pixels of a frame are its channels, and every pixel of the
last layer speaks for four of the maps. Layers in the image and layers along z take turns. The maps have half the
lateral size of the frames: logits of region and neuron centres, log width and height, and offsets of the centre.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from cender.nets.maps import MAPS, begin_layers, pack_squares, unpack_cells
from cender.nets.sizes import PACKED
from cender.types.maps import CELL

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
        begin_layers(self, self.out)

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
        node = pack_squares(frames)  # n, 16, y/4, x/4
        node = functional.relu(self.enter(node))
        node = functional.relu(self.along1(gather_neighbours(node, lengths, self.reach[0])))
        node = functional.relu(self.deep1(node))
        node = functional.relu(node + self.deep2(node))
        node = functional.relu(self.along2(gather_neighbours(node, lengths, self.reach[1])))
        node = functional.relu(self.deep3(node))
        return unpack_cells(self.out(node))  # n, 7, y/2, x/2


def gather_neighbours(node: Float[Tensor, "n c y x"], lengths: Sequence[int], reach: int) -> Float[Tensor, "n k y x"]:
    """Every frame with its neighbours in z as channels; beyond the ends of a volume there is darkness."""
    volumes = []
    for part in torch.split(node, list(lengths)):
        padded = functional.pad(part, (0, 0, 0, 0, 0, 0, reach, reach))
        shifted = [padded[step : step + len(part)] for step in range(2 * reach + 1)]
        volumes.append(torch.cat(shifted, dim=1))
    return torch.cat(volumes)


def widen_net(arrays: Mapping[str, np.ndarray], width: int, reach: tuple[int, int]) -> dict[str, np.ndarray]:
    """Weights of at least this width and reach of a network that begins by saying nearly what these say.

    New channels see what chance makes them see, and what reads them hardly listens at first.
    """
    narrow, (first, second) = read_sizes(arrays)
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
    return grown


def read_sizes(arrays: Mapping[str, np.ndarray]) -> tuple[int, tuple[int, int]]:
    """Width and reach of the network with these weights."""
    width = len(arrays["enter.bias"])
    first, second = (arrays[f"along{number}.weight"].shape[1] // width // 2 for number in (1, 2))
    return width, (first, second)
