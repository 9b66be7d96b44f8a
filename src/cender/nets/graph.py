"""The default detector's network as an OpenVINO graph, built straight from its weights."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float, Float32, Shaped, UInt8

from cender.nets.runtime import ops, ov

NEIGHBOURS = 2
STRIDE = 2
# Brightness of the highest of the 256 levels in which int8 graphs see frames.
TOP = 2.0
Weights = Mapping[str, Float[np.ndarray, "..."]]
Frames = Float32[np.ndarray, "z y x"] | UInt8[np.ndarray, "z y x"]
Score = Callable[[Frames], Float32[np.ndarray, "z m yh xh"]]


def build_graph(weights: Weights, ranges: Mapping[str, float] | None = None) -> ov.Model:
    """Graph from packed frames ``z, 20, y/2, x/2`` (`pack_frames`) to maps ``z, 7, y/2, x/2``.

    Parameters
    ----------
    weights
        Weights and biases of every layer of `DenseNet`, by name.
    ranges
        Largest input of every convolution; with them the graph takes levels and computes in int8.
    """
    count = STRIDE**2 * (2 * NEIGHBOURS + 1)
    frames = ops.parameter([-1, count, -1, -1], np.float32 if ranges is None else np.uint8, name="frames")

    def convolve(name: str, node: ov.Node, stride: int = 1, dilation: int = 1) -> ov.Node:
        kernel = np.ascontiguousarray(weights[f"{name}.weight"], np.float32)
        bias = np.ascontiguousarray(weights[f"{name}.bias"], np.float32).reshape(1, -1, 1, 1)
        reach = dilation * (kernel.shape[2] // 2)
        filters = ops.constant(kernel) if ranges is None else _quantise_filters(kernel)
        out = ops.convolution(node, filters, [stride] * 2, [reach] * 2, [reach] * 2, [dilation] * 2)
        return ops.add(out, ops.constant(bias))

    def meet(name: str, node: ov.Node) -> ov.Node:
        # Everything that a convolution reads is rounded once and shared with whatever else reads it: a second copy in
        # single precision would cost as much as a convolution.
        return node if ranges is None else _quantise(node, ranges[name])

    node = frames
    if ranges is not None:
        node = ops.multiply(ops.convert(frames, np.float32), ops.constant(np.float32(TOP / 255)))
    skip = meet("down", ops.relu(convolve("enter", node)))
    deep = meet("deep1", ops.relu(convolve("down", skip, stride=2)))
    deep = meet("deep2", ops.relu(convolve("deep1", deep)))
    deep = meet("deep3", ops.add(deep, ops.relu(convolve("deep2", deep, dilation=2))))
    back = _enlarge(convolve("back", meet("back", ops.relu(convolve("deep3", deep)))))
    mixed = meet("blend", ops.relu(ops.add(back, skip)))
    maps = convolve("out", meet("out", ops.relu(convolve("blend", mixed))))
    return ov.Model([maps], [frames], "dense")


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

    def score(frames: Frames) -> Float32[np.ndarray, "z m yh xh"]:
        seen = to_levels(frames) if takes_levels else to_brightness(frames)
        request.infer([pack_frames(seen)], share_inputs=True)
        return np.array(request.get_output_tensor(0).data)

    return score


def to_levels(frames: Frames) -> UInt8[np.ndarray, "z y x"]:
    """Frames as levels from 0 to 255."""
    if frames.dtype == np.uint8:
        return frames
    return np.asarray(np.rint(np.clip(frames, 0, TOP) * np.float32(255 / TOP)).astype(np.uint8))


def to_brightness(frames: Frames) -> Float32[np.ndarray, "z y x"]:
    """Frames as brightness from 0 on."""
    return np.asarray(frames * np.float32(TOP / 255)) if frames.dtype == np.uint8 else frames


def pack_frames(frames: Frames) -> Shaped[np.ndarray, "z 20 yh xh"]:
    """Squares of two by two pixels of every frame and its neighbours as channels; darkness beyond all ends."""
    count, rows, columns = frames.shape
    tall, wide = -(-rows // 4) * 2, -(-columns // 4) * 2
    packed = np.zeros((count + 2 * NEIGHBOURS, STRIDE, STRIDE, tall, wide), frames.dtype)
    for down in range(STRIDE):
        for right in range(STRIDE):
            every = frames[:, down::STRIDE, right::STRIDE]
            packed[NEIGHBOURS:-NEIGHBOURS, down, right, : every.shape[1], : every.shape[2]] = every
    views = np.lib.stride_tricks.sliding_window_view(packed, 2 * NEIGHBOURS + 1, axis=0)  # z 2 2 yh xh 5
    return np.ascontiguousarray(np.moveaxis(views, -1, 1)).reshape(count, -1, tall, wide)


def _enlarge(node: ov.Node) -> ov.Node:
    return ops.interpolate(
        node,
        ops.constant(np.array([2.0, 2.0], np.float32)),
        "nearest",
        "scales",
        axes=ops.constant(np.array([2, 3])),
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


def _quantise(node: ov.Node, largest: float) -> ov.Node:
    low, high = (ops.constant(np.float32(value)) for value in (0.0, largest))
    return ops.fake_quantize(node, low, high, low, high, 256)


def _quantise_filters(kernel: Float32[np.ndarray, "o i h w"]) -> ov.Node:
    reach = np.maximum(np.abs(kernel).max((1, 2, 3), keepdims=True), 1e-8).astype(np.float32)
    low, high = ops.constant(-reach), ops.constant(reach)
    return ops.fake_quantize(ops.constant(kernel), low, high, low, high, 255)
