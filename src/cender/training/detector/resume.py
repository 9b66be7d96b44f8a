"""What a training of the detector keeps to go on from, and how it goes on."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from cender.nets.detector import DetectorNet
from cender.training.checkpoint import (
    Checkpoint,
    load_checkpoint,
    pack_net,
    pack_optimiser,
    save_checkpoint,
    unpack_net,
    unpack_optimiser,
)

KIND = "detector checkpoint"


@dataclass(slots=True)
class Run:
    """What changes while training goes on, and is kept to resume it."""

    net: DetectorNet
    average: DetectorNet
    optimiser: torch.optim.Optimizer
    before: DetectorNet | None = None
    step: int = 0
    best: float = -1.0
    best_arrays: dict[str, np.ndarray] = field(default_factory=dict)
    waited: int = 0
    history: list[list[float]] = field(default_factory=list)


def keep_run(path: Path, run: Run, about: str) -> None:
    """Write the state of training, whole or not at all."""
    arrays = pack_net(run.net, "net.") | pack_net(run.average, "average.") | pack_optimiser(run.optimiser, "optimiser.")
    arrays |= {f"best.{name}": value for name, value in run.best_arrays.items()}
    progress = {"step": run.step, "best": run.best, "waited": run.waited, "history": run.history}
    save_checkpoint(path, Checkpoint(KIND, about, arrays, progress))


def resume_run(path: Path, run: Run, about: str) -> None:
    """Put training back where it was, if it was interrupted."""
    kept = load_checkpoint(path, KIND, about)
    if kept is None:
        return
    unpack_net(run.net, kept, "net.")
    unpack_net(run.average, kept, "average.")
    unpack_optimiser(run.optimiser, kept, "optimiser.")
    run.best_arrays = kept.part("best.")
    for name in ("step", "best", "waited", "history"):
        setattr(run, name, kept.progress[name])
