"""What the default detector's networks have in common: packed frames in, seven maps of half their size out."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from cender.nets.sizes import PACKED
from cender.types.maps import CELL

MAPS = ("region", "centre", "width", "height", "dx", "dy", "dz")
"""Maps that a network gives, in their order."""
HEATS = 2
"""How many of them, the first ones, are heat maps of centres."""
# Centres are rare: a network starts by believing in one pixel of a hundred.
_RARE, _TIMID = -4.6, 0.1


def begin_layers(net: nn.Module, out: nn.Conv2d | nn.Conv3d) -> None:
    """Weights to begin with; ``out`` is the layer whose channels are the maps."""
    for layer in net.modules():
        if isinstance(layer, nn.Conv2d | nn.Conv3d):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    with torch.no_grad():
        out.weight.mul_(_TIMID)
        out.bias[: HEATS * CELL**2] = _RARE  # type: ignore[index]


def pack_squares(frames: Float[Tensor, "n y x"]) -> Float[Tensor, "n 16 yq xq"]:
    """Frames at a quarter of their size, four by four pixels as channels."""
    return functional.pixel_unshuffle(frames[:, None], PACKED)


def unpack_cells(cells: Float[Tensor, "n k yq xq"]) -> Float[Tensor, "n m yh xh"]:
    """Maps at half the size of the frames from a last layer at a quarter of it."""
    return functional.pixel_shuffle(cells, CELL)
