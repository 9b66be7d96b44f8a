"""The journal of a training in stages: losses, when a stage has learnt enough, and a state to go on from."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from cender.errors import ModelError
from cender.io.weights import load_weights, save_weights
from cender.types import Weights

KIND = "recognizer checkpoint"
EVERY = 50
"""Steps between two states on disk."""
MEMORY = 0.97
"""Share of the smoothed loss that stays at each step."""
PROGRESS = 0.002
"""Share by which the smoothed loss has to fall to count as progress."""


@dataclass(slots=True)
class State:
    """A stage under way: what its steps change, and the losses so far."""

    net: nn.Module
    optimiser: torch.optim.Optimizer
    rng: np.random.Generator
    losses: list[float] = field(default_factory=list)


class Journal:
    """Keeps the state of every stage in one file, so that an interrupted training ends as if it had not been.

    Parameters
    ----------
    path
        Where; None keeps nothing.
    about
        Data, settings and seed as text: a state of other ones is refused.
    patience
        Steps without progress of the smoothed loss after which a stage has learnt enough; 0 goes on to its end.
    """

    def __init__(self, path: Path | None = None, about: str = "", patience: int = 0) -> None:
        self.path, self.about, self.patience = path, about, patience
        self._stage = -1
        self._stored = _load(path, about)
        self._done: dict[str, np.ndarray] = {}
        self._notes: list[dict[str, Any]] = []

    def begin(self, state: State, tell: Callable[[float], None]) -> bool:
        """Start the next stage, or put it back where it was; False where nothing is left to do in it.

        ``tell`` hears the losses of the steps that were done before, as if they happened now.
        """
        self._stage += 1
        notes = json.loads(self._stored.metadata["stages"])
        if self._stage >= len(notes):
            return True
        note = notes[self._stage]
        _restore(state, self._stored, f"{self._stage}.")
        state.rng.bit_generator.state = note["rng"]
        state.losses.extend(note["losses"])
        for loss in note["losses"]:
            tell(loss)
        if note["done"]:
            self._file(state, done=True)
        return not note["done"]

    def add(self, state: State, loss: float) -> bool:
        """Take down the loss of a step; False when the stage has learnt enough."""
        state.losses.append(loss)
        if len(state.losses) % EVERY == 0:
            self.keep(state, done=False)
        return not (self.patience and has_settled(state.losses, self.patience))

    def end(self, state: State) -> None:
        """Take down that a stage is done."""
        if len(self._notes) > self._stage and self._notes[self._stage]["done"]:
            return
        self.keep(state, done=True)

    def keep(self, state: State, *, done: bool) -> None:
        """Bring the state of the stage under way to disk."""
        self._file(state, done=done)
        if self.path is not None:
            self._save(self.path)

    def _file(self, state: State, *, done: bool) -> None:
        del self._notes[self._stage :]
        self._notes.append({"rng": state.rng.bit_generator.state, "losses": list(state.losses), "done": done})
        kept = {name: value for name, value in self._done.items() if int(name.split(".")[0]) < self._stage}
        # Steps of a stage that is done are never taken again: its optimiser need not be kept.
        self._done = kept | _collect(state, f"{self._stage}.", with_optimiser=not done)

    def _save(self, path: Path) -> None:
        metadata = {"kind": KIND, "about": self.about, "stages": json.dumps(self._notes)}
        save_weights(Weights(self._done, metadata), path)


def has_settled(losses: list[float], patience: int) -> bool:
    """Whether the smoothed loss has not fallen for so many steps."""
    if len(losses) <= patience:
        return False
    smooth, lowest, at = losses[0], losses[0], 0
    for step, loss in enumerate(losses):
        smooth = MEMORY * smooth + (1 - MEMORY) * loss
        if smooth < lowest - PROGRESS * abs(lowest):
            lowest, at = smooth, step
    return len(losses) - 1 - at >= patience


def _load(path: Path | None, about: str) -> Weights:
    if path is None or not path.exists():
        return Weights({}, {"stages": "[]"})
    stored = load_weights(path, KIND)
    if stored.metadata.get("about") != about:
        raise ModelError(
            f"{path} is the checkpoint of another training (other data, settings or seed); remove it to start anew, "
            "or give the same data and settings to resume it"
        )
    return stored


def _collect(state: State, prefix: str, *, with_optimiser: bool) -> dict[str, np.ndarray]:
    arrays = {f"{prefix}net.{name}": value.detach().numpy().copy() for name, value in state.net.state_dict().items()}
    if with_optimiser:
        for index, moments in state.optimiser.state_dict()["state"].items():
            arrays |= {f"{prefix}optimiser.{index}.{name}": value.numpy().copy() for name, value in moments.items()}
    return arrays


def _restore(state: State, stored: Weights, prefix: str) -> None:
    state.net.load_state_dict(
        {name: torch.from_numpy(value) for name, value in _part(stored.arrays, f"{prefix}net.").items()}
    )
    moments: dict[int, dict[str, Any]] = {}
    for name, value in _part(stored.arrays, f"{prefix}optimiser.").items():
        index, moment = name.split(".")
        moments.setdefault(int(index), {})[moment] = torch.from_numpy(np.asarray(value))
    state.optimiser.load_state_dict({**state.optimiser.state_dict(), "state": moments})


def _part(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
