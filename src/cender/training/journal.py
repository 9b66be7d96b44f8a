"""The journal of a training in stages: losses, when a stage has learnt enough, and a state to go on from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from cender.training.checkpoint import (
    Checkpoint,
    load_checkpoint,
    pack_net,
    pack_optimiser,
    save_checkpoint,
    unpack_net,
    unpack_optimiser,
)

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
        kept = None if path is None else load_checkpoint(path, KIND, about)
        self._stored = Checkpoint(KIND, about, {}, []) if kept is None else kept
        self._done: dict[str, np.ndarray] = {}
        self._notes: list[dict[str, Any]] = []

    def begin(self, state: State, tell: Callable[[float], None]) -> bool:
        """Start the next stage, or put it back where it was; False where nothing is left to do in it.

        ``tell`` hears the losses of the steps that were done before, as if they happened now.
        """
        self._stage += 1
        notes = self._stored.progress
        if self._stage >= len(notes):
            return True
        note = notes[self._stage]
        unpack_net(state.net, self._stored, f"{self._stage}.net.")
        unpack_optimiser(state.optimiser, self._stored, f"{self._stage}.optimiser.")
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
            save_checkpoint(self.path, Checkpoint(KIND, self.about, self._done, self._notes))

    def _file(self, state: State, *, done: bool) -> None:
        del self._notes[self._stage :]
        self._notes.append({"rng": state.rng.bit_generator.state, "losses": list(state.losses), "done": done})
        kept = {name: value for name, value in self._done.items() if int(name.split(".")[0]) < self._stage}
        self._done = kept | pack_net(state.net, f"{self._stage}.net.")
        # Steps of a stage that is done are never taken again: its optimiser need not be kept.
        if not done:
            self._done |= pack_optimiser(state.optimiser, f"{self._stage}.optimiser.")


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
