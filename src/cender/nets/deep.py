"""The detector's network for rigs where time matters less: at three scales, it sees what surrounds a nucleus.

As in the fast network, four by four pixels of a frame are its channels, every pixel of the last layer speaks for four
of the maps, and layers in the image and layers along z take turns. Two coarser scales see as far as the gut, the next
nuclei and their usual distance, which tell a nucleus from a granule and two nuclei from a large one.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from cender.nets.maps import MAPS, begin_layers, pack_squares, unpack_cells
from cender.nets.sizes import BLOCKS, PACKED, SCALES
from cender.types.maps import CELL

COARSER = 2
"""Channels of the coarser scales, relative to those of the finest."""
FIRST_SHARE = 0.3
"""Share of their usual size with which weights that correct what went before begin."""


class Block(nn.Module):
    """A layer in the image and one along z that correct what went before."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.across = nn.Conv3d(width, width, (1, 3, 3), padding=(0, 1, 1))
        self.along = nn.Conv3d(width, width, (3, 1, 1), padding=(1, 0, 0))

    def forward(self, node: Float[Tensor, "b c z y x"]) -> Float[Tensor, "b c z y x"]:
        """Corrected channels, none below 0."""
        return functional.relu(node + self.along(functional.relu(self.across(node))))


class DeepNet(nn.Module):
    """The same seven maps as `DenseNet` gives, from frames whose sides are multiples of 16 (`find_multiple`).

    Parameters
    ----------
    width
        Channels of the finest scale.
    """

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        widths = [width] + [COARSER * width] * (SCALES - 1)
        pairs = list(pairwise(widths))
        self.enter = nn.Conv3d(PACKED**2, width, (1, 3, 3), padding=(0, 1, 1))
        self.down = nn.ModuleList(_stack(one) for one in widths)
        self.coarsen = nn.ModuleList(nn.Conv3d(fine, rough, (1, 2, 2), stride=(1, 2, 2)) for fine, rough in pairs)
        self.refine = nn.ModuleList(nn.Conv3d(rough, fine, 1) for fine, rough in pairs)
        self.up = nn.ModuleList(_stack(one) for one in widths[:-1])
        self.out = nn.Conv3d(width, len(MAPS) * CELL**2, 1)
        begin_layers(self, self.out)
        for layer in self.modules():
            if isinstance(layer, Block):
                layer.along.weight.data.mul_(FIRST_SHARE)

    def forward(
        self, frames: Float[Tensor, "n y x"], lengths: Sequence[int] | None = None
    ) -> Float[Tensor, "n m yh xh"]:
        """Maps of frames.

        Parameters
        ----------
        lengths
            Numbers of frames of the volumes that ``frames`` are of, one after the other; by default it is one volume.
        """
        # Volumes differ in their number of frames, so they cannot make up a batch.
        parts = torch.split(pack_squares(frames), list(lengths or [len(frames)]))  # each n, 16, y/4, x/4
        cells = [self._see(part.transpose(0, 1)[None])[0].transpose(0, 1) for part in parts]  # each n, 28, y/4, x/4
        return unpack_cells(torch.cat(cells))  # n, 7, y/2, x/2

    def _see(self, node: Float[Tensor, "1 c z y x"]) -> Float[Tensor, "1 m z y x"]:
        node = functional.relu(self.enter(node.contiguous(memory_format=torch.channels_last_3d)))
        seen = []
        for scale in range(SCALES):
            node = self.down[scale](node)
            if scale < SCALES - 1:
                seen.append(node)
                node = functional.relu(self.coarsen[scale](node))  # y and x halved
        for scale in reversed(range(SCALES - 1)):
            rough = functional.interpolate(self.refine[scale](node), scale_factor=(1, 2, 2))  # y and x doubled
            node = self.up[scale](functional.relu(seen[scale] + rough))
        return torch.as_tensor(self.out(node))


def _stack(width: int) -> nn.Sequential:
    return nn.Sequential(*(Block(width) for _ in range(BLOCKS)))
