"""The default detector's weights made into a callable: OpenVINO on the CPU, torch on a GPU."""

import json
import shutil
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from jaxtyping import Float32, UInt8

from cender.errors import ModelError
from cender.types import Maps, Weights

KIND = "dense detector"
Score = Callable[[Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]], Maps]
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "int8"]


def build_score(weights: Weights, device: Device = "auto", precision: Precision = "auto", threads: int = 0) -> Score:
    """A callable from frames on the network's grid to its maps.

    Parameters
    ----------
    weights
        Of a `DenseNet`.
    device
        ``auto`` takes a GPU where the machine has one and torch can use it.
    precision
        ``auto`` is int8 where the weights carry the ranges it needs.
    threads
        Of the CPU; 0 is all.
    """
    if device != "cpu" and (device == "cuda" or shutil.which("nvidia-smi")):
        from cender.nets.dense import build_torch_score, has_gpu

        if has_gpu():
            return build_torch_score(weights.arrays, "cuda")
        if device == "cuda":
            raise ModelError(
                "detect.device = 'cuda', but torch finds no GPU here; use 'auto' or install torch's CUDA build"
            )
    from cender.nets.graph import build_graph, compile_graph

    ranges = read_ranges(weights)
    if precision == "int8" and ranges is None:
        raise ModelError("detect.precision = 'int8', but these weights carry no quantisation ranges; use 'float32'")
    return compile_graph(build_graph(weights.arrays, None if precision == "float32" else ranges), threads)


def read_ranges(weights: Weights) -> Mapping[str, float] | None:
    """Largest input of every convolution, as measured after training; None where it was not."""
    text = weights.metadata.get("ranges")
    return None if not text else {name: float(value) for name, value in json.loads(text).items()}
