"""Interrupted training: its state in one safetensors file, so that it goes on as if nothing had happened."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from cender.errors import ModelError
from cender.io.weights import load_weights, save_weights
from cender.types import Weights

if TYPE_CHECKING:
    from cender.training.detector.train import Run

KIND = "detector checkpoint"


def save_checkpoint(path: Path, run: "Run", about: str) -> None:
    """Write the state of training, whole or not at all."""
    arrays = {f"net.{name}": value.detach().numpy() for name, value in run.net.state_dict().items()}
    arrays |= {f"average.{name}": value.detach().numpy() for name, value in run.average.state_dict().items()}
    arrays |= {f"best.{name}": value for name, value in run.best_arrays.items()}
    for index, moments in run.optimiser.state_dict()["state"].items():
        arrays |= {f"optimiser.{index}.{name}": np.asarray(value) for name, value in moments.items()}
    progress = {"step": run.step, "best": run.best, "waited": run.waited, "history": run.history}
    save_weights(Weights(arrays, {"kind": KIND, "about": about, "progress": json.dumps(progress)}), path)


def load_checkpoint(path: Path, run: "Run", about: str) -> bool:
    """Put training back where it was; False where there is nothing to resume."""
    if not path.exists():
        return False
    stored = load_weights(path, KIND)
    if stored.metadata.get("about") != about:
        raise ModelError(
            f"{path} is the checkpoint of another training (other data, settings or seed); remove it to start anew, "
            "or give the same data and settings to resume it"
        )

    def part(prefix: str) -> dict[str, np.ndarray]:
        return {name.removeprefix(prefix): value for name, value in stored.arrays.items() if name.startswith(prefix)}

    run.net.load_state_dict({name: torch.from_numpy(value) for name, value in part("net.").items()})
    run.average.load_state_dict({name: torch.from_numpy(value) for name, value in part("average.").items()})
    run.best_arrays = part("best.")
    state: dict[int, dict[str, Any]] = {}
    for name, value in part("optimiser.").items():
        index, moment = name.split(".")
        state.setdefault(int(index), {})[moment] = torch.from_numpy(np.asarray(value))
    run.optimiser.load_state_dict({**run.optimiser.state_dict(), "state": state})
    progress = json.loads(stored.metadata["progress"])
    run.step, run.best, run.waited = progress["step"], progress["best"], progress["waited"]
    run.history = progress["history"]
    return True
