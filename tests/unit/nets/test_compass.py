"""The compass runs as it was trained."""

import numpy as np
import pytest
import torch

from cender.errors import ModelError
from cender.nets.compass import Compass
from cender.nets.compass_graph import build_compass
from cender.types import Weights

SIDE = 40


def test_graph_and_torch_agree() -> None:
    torch.manual_seed(3)
    network = Compass(SIDE).eval()
    patches = np.random.default_rng(0).random((6, SIDE, SIDE), dtype=np.float32)
    with torch.no_grad():
        expected = network(torch.from_numpy(patches)).numpy()
    found = build_compass(Weights(network.export()))(patches)
    assert np.ptp(expected) > 1e-3
    assert np.allclose(found, expected, atol=3e-3), "half precision is all that is lost"


def test_incomplete_weights_are_refused() -> None:
    arrays = Compass(SIDE).eval().export()
    del arrays["dense1.bias"]
    with pytest.raises(ModelError, match=r"dense1\.bias"):
        build_compass(Weights(arrays))
