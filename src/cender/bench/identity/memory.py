"""The paper's recognizers that were trained in this process: rows and figures that need the same one share it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import process_time

from cender.recognize.paper.params import PaperParams
from cender.training.paper.embedding import train_embedding
from cender.types import Annotation, Weights

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Trained:
    """The paper's recognizer, and the core seconds that it took to learn."""

    weights: Weights
    train_s: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Trains the paper's recognizer once for the same volumes and settings."""

    _kept: dict[Key, Trained] = field(default_factory=dict)

    def train(self, annotated: Sequence[Annotation], params: PaperParams, seed: int = 0) -> Trained:
        """The recognizer of these volumes."""
        volumes = tuple((one.volume, one.centre_um.tobytes(), one.identity.tobytes()) for one in annotated)
        key = (params.model_dump_json(), seed, volumes)
        if key not in self._kept:
            start = process_time()
            weights = train_embedding(annotated, params, seed)
            self._kept[key] = Trained(weights, process_time() - start)
        return self._kept[key]

    def train_weights(self, annotated: Sequence[Annotation], params: PaperParams, seed: int = 0) -> Weights:
        """The same, without the time it took."""
        return self.train(annotated, params, seed).weights
