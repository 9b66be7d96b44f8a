"""The network that takes a second look at candidates, for training; `examiner_arrays` runs it."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 64
"""Width of every hidden layer."""
_DROPPED = 0.1
"""Share of the hidden values that training leaves out by chance."""


class Examiner(nn.Module):
    """Two dense layers read the surroundings, two more these and the facts: log-odds that a candidate is a neuron.

    Parameters
    ----------
    facts, samples
        Facts and surroundings of many candidates, by whose mean and spread the inputs are scaled.
    """

    def __init__(self, facts: Float[Tensor, "n f"], samples: Float[Tensor, "n s"]) -> None:
        super().__init__()
        for name, known, least in (("facts", facts, 1e-6), ("samples", samples, 1e-2)):
            self.register_buffer(f"{name}_mean", known.mean(0))
            self.register_buffer(f"{name}_spread", known.std(0) + least)
        self.samples1 = nn.Linear(samples.shape[1], WIDTH)
        self.samples2 = nn.Linear(WIDTH, WIDTH)
        self.facts1 = nn.Linear(facts.shape[1] + WIDTH, WIDTH)
        self.facts2 = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, facts: Float[Tensor, "n f"], samples: Float[Tensor, "n s"]) -> Float[Tensor, " n"]:
        """Log-odds of each candidate."""
        known = self.get_buffer
        seen = functional.relu(self.samples1((samples - known("samples_mean")) / known("samples_spread")))  # n 64
        seen = self._drop(functional.relu(seen + self.samples2(seen)))
        node = torch.cat([(facts - known("facts_mean")) / known("facts_spread"), seen], dim=1)  # n f+64
        node = self._drop(functional.relu(self.facts1(node)))
        node = self._drop(functional.relu(self.facts2(node)))
        return torch.as_tensor(self.out(node)[:, 0])

    def _drop(self, node: Float[Tensor, "n w"]) -> Float[Tensor, "n w"]:
        return functional.dropout(node, _DROPPED, self.training)

    def export(self) -> dict[str, np.ndarray]:
        """Weights for `examiner_arrays`, ``in out``, with the scaling of the inputs in the first layers."""
        state = {name: value.detach().numpy().astype(np.float64) for name, value in self.state_dict().items()}
        stored: dict[str, np.ndarray] = {}
        for layer in ("samples1", "samples2", "facts1", "facts2", "out"):
            stored |= {f"{layer}.weight": state[f"{layer}.weight"].T.copy(), f"{layer}.bias": state[f"{layer}.bias"]}
        for name in ("samples", "facts"):
            weight, mean = stored[f"{name}1.weight"], state[f"{name}_mean"]
            weight[: len(mean)] /= state[f"{name}_spread"][:, None]
            stored[f"{name}1.bias"] = stored[f"{name}1.bias"] - mean @ weight[: len(mean)]
        # Facts are few and their scales differ; of the many samples half precision is enough.
        return {
            name: value.astype(np.float16 if name == "samples1.weight" else np.float32)
            for name, value in stored.items()
        }
