"""What all figures are drawn from: a volume with its stages, a short film, and an animal with a trained model."""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Int, Real

from cender.bench.activity import make_neurons
from cender.bench.identity.data import make_subject
from cender.bench.identity.memory import Memory
from cender.bench.identity.split import Split, split_volumes
from cender.bench.identity.subject import Subject
from cender.config import Config
from cender.nets.embedding import build_embedder, read_classes
from cender.pipeline.volumes.compass import load_compass
from cender.pipeline.volumes.detector import build_detector
from cender.pipeline.volumes.volume import annotate_outcome, process_volume
from cender.preprocess.paper import HeadSteps, find_head_paper, trace_head
from cender.recognize.paper.params import PaperParams, choose_params
from cender.recognize.paper.recognize import describe_neurons, recognize_with_weights
from cender.simulate import Simulation, simulate_recording
from cender.types import Head, Neurons, Outcome, Recording, Volume, VoxelSize, Weights

SEED = 9200
"""Seed of the simulated animal that most figures show."""
# A short recording with both channels; its frames are smaller, so that a whole film is quick to draw.
FILM_VOXEL_UM = (1.5, 0.35, 0.35)
FILM = {"seed": 9201, "volumes": 24, "shape": (18, 640, 640), "voxel_um": FILM_VOXEL_UM}
"""Settings of the short recording whose figures show time."""


class Scene:
    """One simulated animal as the figures need it; every part is made when it is first asked for.

    Parameters
    ----------
    config
        Settings of all stages; the animal has their preset and number of volumes.
    train
        Annotated volumes that the paper's recognizer learns from.
    frame
        Size ``z y x`` of the volumes that are drawn; that of the preset by default.
    """

    def __init__(self, config: Config, train: int = 30, frame: tuple[int, int, int] | None = None) -> None:
        self.config, self.train, self.memory = config, train, Memory()
        update = {"seed": SEED} if frame is None else {"seed": SEED, "shape": frame}
        self.simulation: Simulation = simulate_recording(config.simulate.model_copy(update=update))

    @property
    def voxel_um(self) -> VoxelSize:
        """Of the volumes."""
        return VoxelSize(*self.config.simulate.voxel_um)

    @cached_property
    def index(self) -> int:
        """The volume that is looked at: of those in which nothing hard happens the one whose head lies most level."""
        count = len(self.simulation.recording)
        calm = [one for one in range(count) if not self.simulation.events(one)]
        return min(calm or [0], key=self._measure_slope)

    def _measure_slope(self, volume: int) -> float:
        head = self.simulation.annotate(volume).head
        return 1.0 if head is None else abs(float(head.anterior_yx[0]))

    @cached_property
    def volume(self) -> Volume:
        """Both channels of that volume."""
        return self.simulation.recording.volume(self.index)

    @property
    def red(self) -> Real[np.ndarray, "z y x"]:
        """Its red channel."""
        return self.volume.stack.image

    @cached_property
    def steps(self) -> HeadSteps:
        """What the paper's stage 1 sees on its way."""
        return trace_head(self.red, self.voxel_um)

    @cached_property
    def paper_head(self) -> Head:
        """Head and axes of the paper's stage 1."""
        return find_head_paper(self.red, self.voxel_um, self.config.preprocess)

    @cached_property
    def outcome(self) -> Outcome:
        """All that our own stages find."""
        detector = build_detector(self.config.detect)
        return process_volume(self.volume, load_compass(), detector, self.config.preprocess, self.config.merge)

    @property
    def head(self) -> Head:
        """The head that our stage 1 finds."""
        if self.outcome.head is None:
            raise RuntimeError(f"no head in simulated volume {self.index}: {self.outcome.reason}")
        return self.outcome.head

    @property
    def neurons(self) -> Neurons:
        """The neurons that our stages find."""
        return self.outcome.neurons or Neurons.empty()

    @cached_property
    def identity(self) -> Int[np.ndarray, " m"]:
        """What the paper's recognizer, trained on other volumes of the animal, calls these neurons."""
        found = annotate_outcome(self.outcome, self.voxel_um)
        classes, numbers = read_classes(self.weights)
        given = recognize_with_weights(found, build_embedder(self.weights), classes, numbers, self.params)
        return given.identity

    @cached_property
    def subject(self) -> Subject:
        """The whole animal with its true regions."""
        return make_subject(self.simulation.truth(), SEED)

    @cached_property
    def split(self) -> Split:
        """Volumes to learn from, drawn at random, and all others."""
        return split_volumes(sorted(self.subject.taught), {}, self.train, "random", 0, 0)

    @cached_property
    def params(self) -> PaperParams:
        """Settings of the paper's recognizer for this animal."""
        return choose_params(self.config.recognize.paper, [self.subject.taught[one] for one in self.split.train])

    @cached_property
    def weights(self) -> Weights:
        """The paper's recognizer, trained."""
        return self.teach(self.params)

    def teach(self, params: PaperParams) -> Weights:
        """The paper's recognizer, trained with these settings."""
        return self.memory.train([self.subject.taught[one] for one in self.split.train], params).weights

    def embed(self, volumes: tuple[int, ...], weights: Weights) -> tuple[Float[np.ndarray, "m d"], np.ndarray]:
        """Embeddings of all neurons of some volumes, and their identities."""
        shown = [self.subject.taught[one] for one in volumes]
        run = build_embedder(weights)
        features = [run(describe_neurons(one, self.params)) for one in shown]
        return np.concatenate(features), np.concatenate([one.identity for one in shown])

    @cached_property
    def film(self) -> tuple[Simulation, list[Volume], list[Neurons]]:
        """A short recording of another animal: its volumes and their true neurons."""
        small = self.config.simulate.model_copy(update=FILM)
        simulation = simulate_recording(small)
        recording: Recording = simulation.recording
        volumes = [recording.volume(one) for one in range(len(recording))]
        return simulation, volumes, [make_neurons(simulation.annotate(one.index), one.stack) for one in volumes]
