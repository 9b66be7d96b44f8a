"""Interrupted training: its state in one safetensors file, in the same form for every training."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from cender.errors import ModelError
from cender.io.weights import load_weights, save_weights
from cender.types import Weights


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Arrays of networks and optimisers under prefixes such as ``net.``, and whatever else is known, as plain values.

    ``kind`` says of which training; ``about`` are its data, settings and seed as text.
    """

    kind: str
    about: str
    arrays: Mapping[str, np.ndarray]
    progress: Any

    def part(self, prefix: str) -> dict[str, np.ndarray]:
        """The arrays under a prefix, without it."""
        return {name.removeprefix(prefix): value for name, value in self.arrays.items() if name.startswith(prefix)}


def save_checkpoint(path: Path, one: Checkpoint) -> None:
    """Write the state of a training, whole or not at all."""
    about = {"kind": one.kind, "about": one.about, "progress": json.dumps(one.progress)}
    save_weights(Weights(one.arrays, about), path)


def load_checkpoint(path: Path, kind: str, about: str) -> Checkpoint | None:
    """The state of a training, None where there is nothing to resume.

    Raises
    ------
    ModelError
        The file is the state of another training.
    """
    if not path.exists():
        return None
    stored = load_weights(path, kind)
    if stored.metadata.get("about") != about or "progress" not in stored.metadata:
        raise ModelError(
            f"{path} is the checkpoint of another training (other data, settings or seed); remove it to start anew, "
            "or give the same data and settings to resume it"
        )
    return Checkpoint(kind, about, stored.arrays, json.loads(stored.metadata["progress"]))


def pack_net(net: nn.Module, prefix: str) -> dict[str, np.ndarray]:
    """A copy of the weights of a network, under a prefix."""
    return {f"{prefix}{name}": value.detach().numpy().copy() for name, value in net.state_dict().items()}


def unpack_net(net: nn.Module, kept: Checkpoint, prefix: str) -> None:
    """Put the weights under a prefix into a network."""
    net.load_state_dict({name: torch.from_numpy(value) for name, value in kept.part(prefix).items()})


def pack_optimiser(optimiser: torch.optim.Optimizer, prefix: str) -> dict[str, np.ndarray]:
    """A copy of what an optimiser remembers of its steps, under a prefix."""
    return {
        f"{prefix}{index}.{name}": value.numpy().copy()
        for index, moments in optimiser.state_dict()["state"].items()
        for name, value in moments.items()
    }


def unpack_optimiser(optimiser: torch.optim.Optimizer, kept: Checkpoint, prefix: str) -> None:
    """Give an optimiser back what it remembered."""
    moments: dict[int, dict[str, Any]] = {}
    for name, value in kept.part(prefix).items():
        index, moment = name.split(".")
        moments.setdefault(int(index), {})[moment] = torch.from_numpy(np.asarray(value))
    optimiser.load_state_dict({**optimiser.state_dict(), "state": moments})
