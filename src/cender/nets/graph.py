"""The default detector's networks as OpenVINO graphs, built straight from their weights."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float32, Shaped, UInt8

from cender.nets.runtime import ops, ov
from cender.nets.sizes import BLOCKS, PACKED, SCALES, TOP, is_deep
from cender.types import Maps
from cender.types.maps import CELL

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
        Weights and biases of every layer of `DenseNet` or `DeepNet`, by name.
    ranges
        Largest input of every convolution; with them the graph takes levels and computes in int8.
    finest
        Largest number that filters have in int8.
    """
    frames = ops.parameter([1, PACKED**2, -1, -1, -1], np.float32 if ranges is None else np.uint8, name="frames")
    layers = _Layers(weights, ranges, finest)
    node = frames
    if ranges is not None:
        node = ops.multiply(ops.convert(frames, np.float32), ops.constant(np.float32(TOP / 255)))
    out = _look_deep(layers, node) if is_deep(weights) else _look_fast(layers, node)
    return ov.Model([out], [frames], "detector")


def _look_fast(layers: "_Layers", node: ov.Node) -> ov.Node:
    """What `DenseNet` computes."""
    node = layers.meet("along1", ops.relu(layers.convolve("enter", node)))
    node = layers.meet("deep1", ops.relu(layers.convolve("along1", node)))
    node = layers.meet("deep2", ops.relu(layers.convolve("deep1", node)))
    node = layers.meet("along2", ops.relu(ops.add(node, layers.convolve("deep2", node, dilation=2))))
    node = layers.meet("deep3", ops.relu(layers.convolve("along2", node)))
    node = layers.meet("out", ops.relu(layers.convolve("deep3", node)))
    return layers.convolve("out", node)


def _look_deep(layers: "_Layers", node: ov.Node) -> ov.Node:
    """What `DeepNet` computes."""

    def correct(stack: str, node: ov.Node, after: str) -> ov.Node:
        for block in range(BLOCKS):
            here = f"{stack}.{block}"
            across = layers.meet(f"{here}.along", ops.relu(layers.convolve(f"{here}.across", node)))
            next_ = f"{stack}.{block + 1}.across" if block < BLOCKS - 1 else after
            node = layers.meet(next_, ops.relu(ops.add(node, layers.convolve(f"{here}.along", across))))
        return node

    node = layers.meet("down.0.0.across", ops.relu(layers.convolve("enter", node)))
    seen = []
    for scale in range(SCALES - 1):
        node = correct(f"down.{scale}", node, f"coarsen.{scale}")
        seen.append(node)
        rough = ops.relu(layers.convolve(f"coarsen.{scale}", node, step=2))
        node = layers.meet(f"down.{scale + 1}.0.across", rough)
    node = correct(f"down.{SCALES - 1}", node, f"refine.{SCALES - 2}")
    for scale in reversed(range(SCALES - 1)):
        rough = _double(layers.convolve(f"refine.{scale}", node))
        node = layers.meet(f"up.{scale}.0.across", ops.relu(ops.add(seen[scale], rough)))
        node = correct(f"up.{scale}", node, f"refine.{scale - 1}" if scale else "out")
    return layers.convolve("out", node)


def _double(node: ov.Node) -> ov.Node:
    """Every pixel four times, as a square."""
    twice = np.array([2, 2], np.float32)
    how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return ops.interpolate(node, twice, "nearest", "scales", axes=np.array([3, 4]), **how)


@dataclass(frozen=True, slots=True)
class _Layers:
    """Convolutions with these weights, in single precision or, where ranges are given, in int8."""

    weights: Weights
    ranges: Mapping[str, float] | None
    finest: int

    def convolve(self, name: str, node: ov.Node, dilation: int = 1, step: int = 1) -> ov.Node:
        kernel = _to_volume(name, np.asarray(self.weights[f"{name}.weight"], np.float32))
        bias = np.ascontiguousarray(self.weights[f"{name}.bias"], np.float32).reshape(1, -1, 1, 1, 1)
        spacing = [1, dilation, dilation]
        # Filters of even sides take pixels that no other takes, and reach beyond none.
        reach = [apart * (size // 2) * (size % 2) for apart, size in zip(spacing, kernel.shape[2:], strict=True)]
        filters = ops.constant(kernel) if self.ranges is None else quantise_filters(kernel, self.finest)
        out = ops.convolution(node, filters, [1, step, step], reach, reach, spacing)
        return ops.add(out, ops.constant(bias))

    def meet(self, name: str, node: ov.Node) -> ov.Node:
        """What the convolution of this name reads.

        It is rounded once and shared with whatever else reads it: a second copy in single precision would cost as much
        as a convolution.
        """
        return node if self.ranges is None else quantise(node, self.ranges[name])


def compile_graph(graph: ov.Model, threads: int = 0, multiple: int = PACKED) -> Score:
    """A callable that scores whole volumes on the CPU; 0 threads means all cores.

    Frames may be brightness or, at a quarter of the memory, levels of it (255 is 2.0); ``multiple`` is what the network
    needs their sides to be multiples of.
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
        request.infer([pack_frames(seen, multiple)], share_inputs=True)
        tall, wide = (-(-size // PACKED) for size in frames.shape[1:])
        found = np.array(request.get_output_tensor(0).data[0, :, :, :tall, :wide])
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


def pack_frames(frames: Frames, multiple: int = PACKED) -> Shaped[np.ndarray, "1 16 z yq xq"]:
    """Squares of four by four pixels of every frame as channels; to whole multiples, frames go on as they end.

    Were there darkness instead, the edge to it would look like that of a nucleus.
    """
    down, right = (-size % multiple for size in frames.shape[1:])
    whole = np.pad(frames, ((0, 0), (0, down), (0, right)), mode="edge") if down or right else frames
    count, rows, columns = whole.shape
    packed = np.empty((1, PACKED**2, count, rows // PACKED, columns // PACKED), frames.dtype)
    for down in range(PACKED):
        for right in range(PACKED):
            packed[0, PACKED * down + right] = whole[:, down::PACKED, right::PACKED]
    return packed


def _to_volume(
    name: str, kernel: Float32[np.ndarray, "o i h w"] | Float32[np.ndarray, "o i d h w"]
) -> Float32[np.ndarray, "o c d h w"]:
    """The kernel of a layer in the image, or, from frames side by side as channels, of a layer along z."""
    if kernel.ndim == 5:
        return kernel
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
