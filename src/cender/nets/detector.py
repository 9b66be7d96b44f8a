"""The networks of the default detector by their weights: the fast one and the one that looks deeper."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from jaxtyping import Float32, UInt8
from torch.nn import functional

from cender.nets.deep import DeepNet
from cender.nets.dense import DenseNet, read_sizes, widen_net
from cender.nets.sizes import PACKED, TOP, find_multiple, is_deep
from cender.types import Maps
from cender.types.maps import CELL

DetectorNet = DenseNet | DeepNet


def build_net(arrays: Mapping[str, np.ndarray]) -> DetectorNet:
    """The network with these weights; its sizes are read off their shapes."""
    net = DeepNet(len(arrays["enter.bias"])) if is_deep(arrays) else DenseNet(*read_sizes(arrays))
    net.load_state_dict({name: torch.from_numpy(np.array(value, np.float32)) for name, value in arrays.items()})
    return net.eval()


def grow_net(arrays: Mapping[str, np.ndarray], width: int, reach: tuple[int, int]) -> DetectorNet:
    """The network with these weights, a fast one of at least this width and reach."""
    return build_net(arrays if is_deep(arrays) else widen_net(arrays, width, reach))


def build_torch_score(
    arrays: Mapping[str, np.ndarray], device: str = "cpu"
) -> Callable[[Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]], Maps]:
    """A callable that scores whole volumes with torch."""
    net, multiple = build_net(arrays).to(device), find_multiple(arrays)

    def score(frames: Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]) -> Maps:
        tall, wide = (-size % multiple for size in frames.shape[1:])
        rows, columns = (CELL * -(-size // PACKED) for size in frames.shape[1:])
        given = torch.from_numpy(frames).to(device)
        lit = given * (TOP / 255) if given.dtype == torch.uint8 else given
        # Frames go on as they end: an edge to darkness looks like that of a nucleus.
        padded = functional.pad(lit[None], (0, wide, 0, tall), mode="replicate")[0]
        with torch.inference_mode():
            return Maps.pack(net(padded)[:, :, :rows, :columns].cpu().numpy())

    return score
