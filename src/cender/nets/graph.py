"""The default detector's network as an OpenVINO graph, built straight from its weights."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float, Float32, Shaped, UInt8

from cender.nets.runtime import ops, ov
from cender.types import Maps
from cender.types.maps import CELL

PACKED = 4
"""Side of the squares of pixels that are laid into channels."""
# Brightness of the highest of the 256 levels in which int8 graphs see frames.
TOP = 2.0
FINEST = 127
"""Largest number that int8 has."""
Weights = Mapping[str, Float[np.ndarray, "..."]]
Frames = Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]
Score = Callable[[Frames], Maps]


def build_graph(weights: Weights, ranges: Mapping[str, float] | None = None, finest: int = FINEST) -> ov.Model:
    """Graph from packed frames ``1, 16, z, y/4, x/4`` (`pack_frames`) to packed maps ``1, 28, z, y/4, x/4``.

    Parameters
    ----------
    weights
        Weights and biases of every layer of `DenseNet`, by name.
    ranges
        Largest input of every convolution; with them the graph takes levels and computes in int8.
    finest
        Largest number that filters have in int8.
    """
    frames = ops.parameter([1, PACKED**2, -1, -1, -1], np.float32 if ranges is None else np.uint8, name="frames")

    def convolve(name: str, node: ov.Node, dilation: int = 1) -> ov.Node:
        kernel = _to_volume(name, np.asarray(weights[f"{name}.weight"], np.float32))
        bias = np.ascontiguousarray(weights[f"{name}.bias"], np.float32).reshape(1, -1, 1, 1, 1)
        spacing = [1, dilation, dilation]
        reach = [step * (size // 2) for step, size in zip(spacing, kernel.shape[2:], strict=True)]
        filters = ops.constant(kernel) if ranges is None else quantise_filters(kernel, finest)
        out = ops.convolution(node, filters, [1, 1, 1], reach, reach, spacing)
        return ops.add(out, ops.constant(bias))

    def meet(name: str, node: ov.Node) -> ov.Node:
        # Everything that a convolution reads is rounded once and shared with whatever else reads it: a second copy in
        # single precision would cost as much as a convolution.
        return node if ranges is None else quantise(node, ranges[name])

    node = frames
    if ranges is not None:
        node = ops.multiply(ops.convert(frames, np.float32), ops.constant(np.float32(TOP / 255)))
    node = meet("along1", ops.relu(convolve("enter", node)))
    node = meet("deep1", ops.relu(convolve("along1", node)))
    node = meet("deep2", ops.relu(convolve("deep1", node)))
    node = meet("along2", ops.relu(ops.add(node, convolve("deep2", node, dilation=2))))
    node = meet("deep3", ops.relu(convolve("along2", node)))
    node = meet("out", ops.relu(convolve("deep3", node)))
    return ov.Model([convolve("out", node)], [frames], "dense")


def compile_graph(graph: ov.Model, threads: int = 0) -> Score:
    """A callable that scores whole volumes on the CPU; 0 threads means all cores.

    Frames may be brightness or, at a quarter of the memory, levels of it (255 is 2.0).
    """
    core = ov.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if threads:
        settings["INFERENCE_NUM_THREADS"] = str(threads)
        # Networks side by side would otherwise all be tied to the same first cores.
        settings["ENABLE_CPU_PINNING"] = "NO"
    request = core.compile_model(graph, "CPU", settings).create_infer_request()
    takes_levels = graph.inputs[0].get_element_type() == ov.Type.u8

    def score(frames: Frames) -> Maps:
        seen = to_levels(frames) if takes_levels else to_brightness(frames)
        request.infer([pack_frames(seen)], share_inputs=True)
        found = np.array(request.get_output_tensor(0).data)[0]
        return Maps(found.reshape(-1, CELL, CELL, *found.shape[1:]))

    return score


def to_levels(frames: Frames) -> UInt8[np.ndarray, "z y x"]:
    """Frames as levels from 0 to 255."""
    if frames.dtype == np.uint8:
        return frames
    return np.asarray(np.rint(np.clip(frames, 0, TOP) * np.float32(255 / TOP)).astype(np.uint8))


def to_brightness(frames: Frames) -> Float32[np.ndarray, "z y x"]:
    """Frames as brightness from 0 on."""
    return np.asarray(frames * np.float32(TOP / 255)) if frames.dtype == np.uint8 else frames


def pack_frames(frames: Frames) -> Shaped[np.ndarray, "1 16 z yq xq"]:
    """Squares of four by four pixels of every frame as channels; darkness beyond all ends."""
    count, rows, columns = frames.shape
    tall, wide = -(-rows // PACKED), -(-columns // PACKED)
    packed = np.zeros((1, PACKED**2, count, tall, wide), frames.dtype)
    for down in range(PACKED):
        for right in range(PACKED):
            every = frames[:, down::PACKED, right::PACKED]
            packed[0, PACKED * down + right, :, : every.shape[1], : every.shape[2]] = every
    return packed


def _to_volume(name: str, kernel: Float32[np.ndarray, "o i h w"]) -> Float32[np.ndarray, "o c d h w"]:
    """The kernel of a layer in the image, or, from frames side by side as channels, of a layer along z."""
    if not name.startswith("along"):
        return np.ascontiguousarray(kernel[:, :, None])
    outputs, inputs = kernel.shape[:2]
    return np.ascontiguousarray(kernel.reshape(outputs, inputs // outputs, outputs, 1, 1).transpose(0, 2, 1, 3, 4))


def quantise(node: ov.Node, largest: float) -> ov.Node:
    """Values from 0 to the largest in 256 steps, which int8 graphs compute with."""
    low, high = (ops.constant(np.float32(value)) for value in (0.0, largest))
    return ops.fake_quantize(node, low, high, low, high, 256)


def quantise_filters(kernel: Float32[np.ndarray, "o i d h w"], finest: int = FINEST) -> ov.Node:
    """Filters in steps about 0, those of every output to its own largest value, which becomes ``finest``."""
    reach = np.maximum(np.abs(kernel).max((1, 2, 3, 4), keepdims=True), 1e-8).astype(np.float32)
    reach = reach * np.float32(FINEST / finest)
    low, high = ops.constant(-reach), ops.constant(reach)
    return ops.fake_quantize(ops.constant(kernel), low, high, low, high, 2 * FINEST + 1)
