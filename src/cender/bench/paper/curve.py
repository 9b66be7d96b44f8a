"""How good the paper's detector gets: 2D F1 over the width of its network and the number of training steps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from time import process_time
from typing import Any

from cender.bench.paper.items import Item
from cender.bench.paper.own_scenes import hash_annotated, read_scenes
from cender.config import Config
from cender.detect.multi_field import MultiFieldParams
from cender.io.params import RecordingParams
from cender.io.results.folder.fingerprints import hash_values
from cender.io.weights import load_weights, save_weights
from cender.nets.multi_field import KIND
from cender.pipeline.learn.annotated import Annotated, load_annotated
from cender.training.paper.anchor_scenes import Scene, simulate_scenes
from cender.training.paper.anchor_targets import Examples, gather_examples
from cender.training.paper.multi_field import (
    VALIDATION,
    MultiFieldTraining,
    State,
    measure_f1,
    pack_detector,
    train_cycle,
)

# As many volumes as the paper trains on; each is of another simulated animal.
FIRST, VOLUMES = 1000, 30
MOMENTUM = MultiFieldTraining().momentum
"""That of the shipped weights; names of other trainings say theirs."""


def list_curve(
    widths: Sequence[float],
    cycles: int,
    anchors: Sequence[tuple[int, ...]],
    folder: Path | None,
    settings: Config | None = None,
    annotated: Sequence[Path] = (),
    momentum: float = MOMENTUM,
) -> list[Item]:
    """One item for each cycle of every training, which goes on from the cycle before; its F1 is measured at the end.

    Parameters
    ----------
    folder
        Where the weights after every cycle go, and where training goes on from; None keeps only the figures.
    settings
        Say how many CPU threads training takes (train.threads) and on which device (detect.device).
    annotated
        Folders whose annotated volumes are learnt from, too.
    momentum
        Of the gradient descent; the text has none.
    """
    chosen = settings or Config()
    items, volumes = [], _Volumes(tuple(annotated), chosen.recording)
    for sizes in anchors:
        for width in widths:
            training = MultiFieldTraining(
                width=width, momentum=momentum, threads=chosen.train.threads, device=chosen.detect.device
            )
            course = Course(training, MultiFieldParams(anchors_px=sizes), folder, volumes)
            for cycle in range(cycles):
                epochs = training.count_epochs(cycle + 1)
                own = "own volumes too, " if annotated else ""
                pace = "" if momentum == MOMENTUM else f"momentum {momentum:g}, "
                key = f"curve, anchors {'+'.join(map(str, sizes))}, width {width:g}, {own}{pace}{epochs} epochs"
                about = round(900 * (8 * width) ** 2 * (2**cycle) / 7)
                items.append(Item(key, partial(course.measure, cycle), course.describe(cycle), about))
    return items


@dataclass
class _Volumes:
    """Simulated volumes and those of folders, made or read when the first training asks for them."""

    annotated: tuple[Path, ...]
    recording: RecordingParams

    @cached_property
    def taught(self) -> tuple[list[Scene], str]:
        """Volumes to learn from, and the hash of the preset."""
        scenes, name = simulate_scenes(range(FIRST, FIRST + VOLUMES))
        return [*scenes, *(scene for one in self._own.values() for scene in read_scenes(one))], name

    @property
    def name(self) -> str:
        """What is learnt from, in words; folders by their annotation of now."""
        own = [f"{folder.name} ({hash_annotated(one)})" for folder, one in self._own.items()]
        return ", ".join([f"simulated typical, seeds {FIRST}–{FIRST + VOLUMES - 1}", *own])

    @property
    def mark(self) -> str:
        """An end for names of weights that have learnt from folders, too."""
        return f"_own_{hash_values({'name': self.name})[:6]}" if self.annotated else ""

    @cached_property
    def _own(self) -> dict[Path, Annotated]:
        return {folder: load_annotated(folder, self.recording) for folder in self.annotated}

    @cached_property
    def checked(self) -> list[Scene]:
        """Volumes of other animals, on which F1 is measured."""
        return simulate_scenes(VALIDATION)[0]


@dataclass
class Course:
    """One training of the paper's detector, cycle by cycle."""

    training: MultiFieldTraining
    params: MultiFieldParams
    folder: Path | None
    volumes: _Volumes
    _states: dict[int, tuple[State, float]] = field(default_factory=dict)

    def describe(self, cycle: int) -> dict[str, Any]:
        """All that the figures after a cycle depend on."""
        return {
            "training": self.training.model_dump(mode="json", exclude={"threads", "device"}),
            "detector": self.params.model_dump(mode="json", exclude={"batch"}),
            "cycles": cycle + 1,
            "animals": self.volumes.name,
            "validation": f"simulated typical, seeds {VALIDATION.start}–{VALIDATION.stop - 1}",
        }

    def measure(self, cycle: int) -> dict[str, Any]:
        """Train for one more cycle and measure; ``train_s`` are core seconds from the beginning."""
        before, spent = self._recall(cycle - 1)
        start = process_time()
        state, loss = train_cycle(self._examples, self.training, cycle, before)
        spent += process_time() - start
        f1 = measure_f1(state, self.training.width, self.volumes.checked, self.params)
        epochs = self.training.count_epochs(cycle + 1)
        self._states[cycle] = state, spent
        if self.folder is not None:
            about = {"seeds": f"{FIRST}:{FIRST + VOLUMES}", "preset": f"typical {self.volumes.taught[1]}"}
            about |= {
                "animals": self.volumes.name,
                "epochs": str(epochs),
                "validation_f1_2d": f"{f1:.4f}",
                "train_s": f"{spent:.3f}",
            }
            save_weights(pack_detector(state, self.training, self.params, about), self._name_file(cycle, self.folder))
        return {
            "steps": epochs * (self.training.samples_per_epoch // self.training.batch),
            "f1": f1,
            "loss": loss,
            "train_s": spent,
            "parameters": int(sum(value.size for value in state.values())),
            "preset_hash": self.volumes.taught[1],
        }

    @cached_property
    def _examples(self) -> list[Examples]:
        return [gather_examples(scene, self.params) for scene in self.volumes.taught[0]]

    def _name_file(self, cycle: int, folder: Path) -> Path:
        sizes = "-".join(map(str, self.params.anchors_px))
        epochs = self.training.count_epochs(cycle + 1)
        pace = "" if self.training.momentum == MOMENTUM else f"_m{self.training.momentum:g}"
        return folder / f"multi_field_{sizes}_{self.training.width:g}{pace}_{epochs}{self.volumes.mark}.safetensors"

    def _recall(self, cycle: int) -> tuple[State | None, float]:
        """The network after a cycle and its core seconds: from memory, from its file, or trained again."""
        if cycle < 0:
            return None, 0.0
        if cycle not in self._states:
            path = None if self.folder is None else self._name_file(cycle, self.folder)
            if path is not None and path.is_file():
                weights = load_weights(path, KIND)
                self._states[cycle] = dict(weights.arrays), float(weights.metadata["train_s"])
            else:
                self.measure(cycle)
        return self._states[cycle]
