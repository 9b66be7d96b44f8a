"""The compass as an OpenVINO graph, built straight from its weights."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float32

from cender.errors import ModelError
from cender.nets.runtime import ops, ov
from cender.types import Weights

KIND = "compass"
LAYERS = ("conv1", "conv2", "conv3")
Score = Callable[[Float32[np.ndarray, "n s s"]], Float32[np.ndarray, "n 2"]]


def build_compass(weights: Weights) -> Score:
    """A callable from patches to their score and bend; several threads may call it at a time.

    Parameters
    ----------
    weights
        As `cender.nets.compass.Compass` exports them: convolutions ``k k in out``, dense layers ``in out``.
    """
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}
    # The network is too small to share: threads would cost more than they bring, and be tied to the same first cores.
    settings["ENABLE_CPU_PINNING"] = "NO"
    compiled = ov.Core().compile_model(_build_graph(weights), "CPU", settings)

    def score(patches: Float32[np.ndarray, "n s s"]) -> Float32[np.ndarray, "n 2"]:
        request = compiled.create_infer_request()
        request.infer([np.ascontiguousarray(patches[:, None])])
        return np.array(request.get_output_tensor(0).data)

    return score


def _build_graph(weights: Weights) -> ov.Model:
    try:
        arrays = {name: np.asarray(value, np.float32) for name, value in weights.arrays.items()}
        patches = ops.parameter([-1, 1, -1, -1], np.float32, name="patches")
        node = patches
        for layer in LAYERS:
            kernel = np.ascontiguousarray(arrays[f"{layer}.weight"].transpose(3, 2, 0, 1))  # out in k k
            reach = [kernel.shape[-1] // 2] * 2
            node = ops.convolution(node, ops.constant(kernel), [2, 2], reach, reach, [1, 1])  # halves s
            node = ops.relu(ops.add(node, ops.constant(arrays[f"{layer}.bias"].reshape(1, -1, 1, 1))))
        node = ops.transpose(node, ops.constant(np.array([0, 2, 3, 1])))  # channels last
        node = ops.reshape(node, ops.constant(np.array([0, -1])), True)  # n (s/8)(s/8)24
        node = ops.matmul(node, ops.constant(arrays["dense1.weight"]), False, False)  # n 32
        node = ops.relu(ops.add(node, ops.constant(arrays["dense1.bias"])))
        node = ops.matmul(node, ops.constant(arrays["dense2.weight"]), False, False)  # n 2
        node = ops.add(node, ops.constant(arrays["dense2.bias"]))
    except KeyError as error:
        raise ModelError(f"these weights of a compass lack {error}; train it again") from None
    return ov.Model([node], [patches], "compass")
