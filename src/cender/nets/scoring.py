"""The default detector's weights made into a callable: OpenVINO on the CPU, torch on a GPU."""

import json
import shutil
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from jaxtyping import Float32, UInt8

from cender.errors import ModelError
from cender.nets.sizes import find_multiple
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
        Of a `DenseNet` or a `DeepNet`.
    device
        ``auto`` takes a GPU where the machine has one and torch can use it.
    precision
        ``auto`` is int8 where the weights carry the ranges it needs.
    threads
        Of the CPU; 0 is all.
    """
    if takes_gpu(device):
        from cender.nets.detector import build_torch_score

        return build_torch_score(weights.arrays, "cuda")
    from cender.nets.graph import build_graph, compile_graph

    ranges, multiple = read_ranges(weights), find_multiple(weights.arrays)
    if precision == "int8" and ranges is None:
        raise ModelError("detect.precision = 'int8', but these weights carry no quantisation ranges; use 'float32'")
    if precision == "float32" or ranges is None:
        return compile_graph(build_graph(weights.arrays), threads, multiple)
    from cender.nets.arithmetic import find_finest

    return compile_graph(build_graph(weights.arrays, ranges, find_finest()), threads, multiple)


def takes_gpu(device: Device) -> bool:
    """Whether networks run on a GPU; asking for one where torch finds none is an error."""
    if device == "cpu" or not (device == "cuda" or shutil.which("nvidia-smi")):
        return False
    from cender.nets.devices import has_gpu

    if not has_gpu() and device == "cuda":
        raise ModelError(
            "detect.device = 'cuda', but torch finds no GPU here; use 'auto' or install torch's CUDA build"
        )
    return has_gpu()


def name_arithmetic(weights: Weights, device: Device = "auto", precision: Precision = "auto") -> str:
    """The arithmetic that `build_score` computes with here: float32, or int8 as this CPU has it."""
    if precision == "float32" or read_ranges(weights) is None or takes_gpu(device):
        return "float32"
    from cender.nets.arithmetic import name_int8

    return name_int8()


def read_ranges(weights: Weights) -> Mapping[str, float] | None:
    """Largest input of every convolution, as measured after training; None where it was not."""
    text = weights.metadata.get("ranges")
    return None if not text else {name: float(value) for name, value in json.loads(text).items()}
