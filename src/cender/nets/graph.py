"""The default detector's network as an OpenVINO graph, built straight from its weights."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float, Float32

from cender.nets.runtime import ops, ov

NEIGHBOURS = 2
STRIDE = 2
Weights = Mapping[str, Float[np.ndarray, "..."]]
Score = Callable[[Float32[np.ndarray, "z y x"]], Float32[np.ndarray, "z m yh xh"]]


def build_graph(weights: Weights, ranges: Mapping[str, float] | None = None) -> ov.Model:
    """Graph from padded frames ``z+4, 1, y, x`` to maps ``z, 7, y/2, x/2``.

    Parameters
    ----------
    weights
        Weights and biases of every layer of `DenseNet`, by name.
    ranges
        Largest input of every convolution; with them the graph computes in int8.
    """
    frames = ops.parameter([-1, 1, -1, -1], np.float32, name="frames")

    def convolve(name: str, node: ov.Node, stride: int = 1, dilation: int = 1) -> ov.Node:
        kernel = np.ascontiguousarray(weights[f"{name}.weight"], np.float32)
        bias = np.ascontiguousarray(weights[f"{name}.bias"], np.float32).reshape(1, -1, 1, 1)
        reach = dilation * (kernel.shape[2] // 2)
        filters = ops.constant(kernel)
        if ranges is not None:
            node = _quantise_input(node, ranges[name])
            filters = _quantise_filters(kernel)
        out = ops.convolution(node, filters, [stride] * 2, [reach] * 2, [reach] * 2, [dilation] * 2)
        return ops.add(out, ops.constant(bias))

    packed = ops.space_to_depth(frames, "blocks_first", STRIDE)
    stop = -2 * NEIGHBOURS
    views = [
        ops.slice(packed, [k], [stop + k if stop + k < 0 else np.iinfo(np.int32).max], [1], [0])
        for k in range(2 * NEIGHBOURS + 1)
    ]
    skip = ops.relu(convolve("enter", ops.concat(views, 1)))
    deep = ops.relu(convolve("down", skip, stride=2))
    deep = ops.relu(convolve("deep1", deep))
    deep = ops.add(deep, ops.relu(convolve("deep2", deep, dilation=2)))
    deep = ops.relu(convolve("deep3", deep))
    back = convolve("back", deep)
    back = ops.interpolate(
        back,
        ops.constant(np.array([2.0, 2.0], np.float32)),
        "nearest",
        "scales",
        axes=ops.constant(np.array([2, 3])),
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    mixed = ops.relu(convolve("blend", ops.relu(ops.add(back, skip))))
    maps = convolve("out", mixed)
    return ov.Model([maps], [frames], "dense")


def compile_graph(graph: ov.Model, threads: int = 0) -> Score:
    """A callable that scores whole volumes on the CPU; 0 threads means all cores."""
    core = ov.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if threads:
        settings["INFERENCE_NUM_THREADS"] = str(threads)
    request = core.compile_model(graph, "CPU", settings).create_infer_request()

    def score(frames: Float32[np.ndarray, "z y x"]) -> Float32[np.ndarray, "z m yh xh"]:
        count, rows, columns = frames.shape
        tall, wide = -(-rows // 4) * 4, -(-columns // 4) * 4
        padded = np.zeros((count + 2 * NEIGHBOURS, 1, tall, wide), np.float32)
        padded[NEIGHBOURS:-NEIGHBOURS, 0, :rows, :columns] = frames
        request.infer([padded], share_inputs=True)
        return np.array(request.get_output_tensor(0).data)

    return score


def _quantise_input(node: ov.Node, largest: float) -> ov.Node:
    low, high = (ops.constant(np.float32(value)) for value in (0.0, largest))
    return ops.fake_quantize(node, low, high, low, high, 256)


def _quantise_filters(kernel: Float32[np.ndarray, "o i h w"]) -> ov.Node:
    reach = np.maximum(np.abs(kernel).max((1, 2, 3), keepdims=True), 1e-8).astype(np.float32)
    low, high = ops.constant(-reach), ops.constant(reach)
    return ops.fake_quantize(ops.constant(kernel), low, high, low, high, 255)
