"""Learning identities: from the volumes that people named, then from the recording itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from cender.nets.constellation import Classifier, Matcher, make_score, use_threads
from cender.recognize.confidence import Calibration, fit_calibration
from cender.recognize.evidence import COUNT
from cender.recognize.model import Model, check_points, name_neurons
from cender.training.journal import Journal
from cender.training.params import TrainRecognizerParams
from cender.training.recognizer.clouds import Cloud
from cender.training.recognizer.discovery import choose_start, find_identities
from cender.training.recognizer.fitting import Pace, fit_classifier, stack_clouds
from cender.training.recognizer.lessons import (
    Lesson,
    add_numbers,
    align_lessons,
    gather_lessons,
    hash_volumes,
    number_strangers,
    read_lesson,
    refuse_twins,
    shift_none,
    trust_names,
)
from cender.training.recognizer.pool import warp_clouds
from cender.types import Annotation

REFERENCES = 120
FEW = 5
"""Annotated volumes from which on some are kept aside to measure how often names are right."""
MATCHED = 2
"""Rounds in which a recording without annotation is only matched, before anything is learnt from it."""
PRIOR = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))


@dataclass(frozen=True, slots=True)
class Progress:
    """One training step: its number among all, what is being learnt from, and the loss."""

    step: int
    steps: int
    stage: str
    loss: float


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of every step, and where the state is kept."""

    on_step: Callable[[Progress], None]
    journal: Journal


def train_recognizer(
    annotated: Sequence[Annotation],
    recording: Sequence[Annotation],
    params: TrainRecognizerParams,
    matcher: Matcher,
    seed: int,
    on_step: Callable[[Progress], None] = lambda progress: None,
    checkpoint: Path | None = None,
) -> tuple[Classifier, Model]:
    """A recognizer of the identities in ``annotated``, or, if that is empty, of the neurons of the recording.

    Parameters
    ----------
    annotated
        Volumes with identities (-1: none of them).
    recording
        Volumes of the same recording whose identities are not known (and not looked at).
    matcher
        What every recognizer starts from.
    checkpoint
        Where the state is kept, so that an interrupted training goes on from there and ends with the same weights.
    """
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    use_threads(params.threads)
    named = [one for one in annotated if (one.identity >= 0).any()]
    for one in (*named, *recording):
        check_points(one)
    for one in named:
        refuse_twins(one)
    about = ""
    if checkpoint is not None:
        settings = params.model_dump_json(exclude={"threads"})
        about = f"{seed} {settings} {hash_volumes(annotated)} {hash_volumes(recording)}"
    watch = Watch(on_step, Journal(checkpoint, about, params.patience))
    if named:
        return _Course(named, recording, params, matcher, rng, watch).learn_from_names()
    return _Course([choose_start(recording)], recording, params, matcher, rng, watch).learn_alone()


class _Course:
    """One training from start to end; what its steps leave to each other."""

    def __init__(
        self,
        named: Sequence[Annotation],
        recording: Sequence[Annotation],
        params: TrainRecognizerParams,
        matcher: Matcher,
        rng: np.random.Generator,
        watch: Watch,
    ) -> None:
        self.recording, self.params, self.matcher, self.rng, self.watch = recording, params, matcher, rng, watch
        self.identities = np.unique(np.concatenate([one.identity[one.identity >= 0] for one in named]))
        self.lessons = align_lessons([read_lesson(one, self.identities) for one in named], len(self.identities))
        self.rounds = params.self_rounds if len(named) < params.enough and recording else 0
        self.step = self.steps = 0

    def learn_from_names(self) -> tuple[Classifier, Model]:
        """Teach, name, teach again, calibrate."""
        params, taught = self.params, len(self.lessons)
        named = len(self.identities)
        exploring = bool(self.recording) and params.self_rounds > 0 and taught <= params.explore
        if exploring:
            self.lessons, self.identities = number_strangers(self.lessons, self.identities)
        kept = taught // 5 if taught >= FEW else 0
        aside = set(self.rng.choice(taught, min(kept, 8), replace=False).tolist())
        steps = min(params.steps, params.steps_each * taught)
        self.steps = steps + self.rounds * params.self_steps
        net = self._begin(self.lessons)
        clouds = [lesson.cloud for row, lesson in enumerate(self.lessons) if row not in aside]
        pool = clouds + warp_clouds(clouds, len(self.identities), params.warped, self.rng)
        self._fit(net, pool, steps, Pace(params.learning_rate), "annotated volumes")
        model = self._build(net, [], named)
        for number in range(self.rounds):
            own = self._name_recording(model, params.self_volumes)
            if exploring and number == 0:
                known = len(self.identities)
                own = self._discover(model, own)
                net = self._enlarge(net, own, known)
            pool = clouds * 3 + [one.cloud for one in own]
            self._fit(net, pool, params.self_steps, Pace(0.5 * params.learning_rate), "own names")
            model = self._build(net, own, named)
        return net, replace(model, calibration=self._calibrate(model, sorted(aside)))

    def learn_alone(self) -> tuple[Classifier, Model]:
        """Number the neurons of the recording: by matching alone at first, then by a little learning.

        The matcher's mean description of a neuron over some volumes tells it nearly as well as training does, at a
        small part of the time; what pairs of neurons look like is left as the matcher has it.
        """
        params, own = self.params, list[Lesson]()
        volumes, steps = min(params.self_volumes, params.alone_volumes), min(params.self_steps, params.alone_steps)
        self.steps = self.rounds * steps
        net = self._begin(self.lessons)
        model = self._build(net, own)
        for number in range(MATCHED if self.rounds else 0):
            own = self._name_recording(model, volumes)
            if number == 0:
                own = self._discover(model, own)
            net = self._begin([*self.lessons, *own])
            model = self._build(net, own)
        for _ in range(self.rounds):
            pool = [one.cloud for one in (*self.lessons, *own)]
            self._fit(net, pool, steps, Pace(params.learning_rate, batch=2, pairs=False), "own names")
            own = self._name_recording(model, volumes)
            model = self._build(net, own)
        return net, model

    def _begin(self, lessons: Sequence[Lesson]) -> Classifier:
        """A network that knows as much as the matcher does of the neurons in these lessons."""
        net = Classifier(len(self.identities), COUNT)
        net.start_from(self.matcher, self._make_examples([lesson.cloud for lesson in lessons]))
        return net.eval()

    def _make_examples(self, clouds: Sequence[Cloud]) -> Float[torch.Tensor, "i w"]:
        """Mean description of every identity."""
        total = torch.zeros(len(self.identities), self.matcher.none.in_features)
        self.matcher.eval()
        with torch.no_grad():
            for cloud in clouds:
                position, evidence, there, label = stack_clouds([cloud])
                described = self.matcher.constellation(position, evidence, there)[0]
                known = (label[0] >= 0) & (label[0] < len(self.identities))
                total.index_add_(0, label[0][known], described[known])
        return total

    def _fit(self, net: Classifier, pool: Sequence[Cloud], steps: int, pace: Pace, stage: str) -> None:
        def tell(loss: float) -> None:
            self.step += 1
            self.watch.on_step(Progress(self.step, self.steps, stage, loss))

        end = self.step + steps
        fit_classifier(net, pool, steps, self.rng, pace=pace, journal=self.watch.journal, on_step=tell)
        self.step = end

    def _name_recording(self, model: Model, volumes: int) -> list[Lesson]:
        """Volumes drawn from the recording with the names that can be trusted."""
        count = min(volumes, len(self.recording))
        rows = np.sort(self.rng.choice(len(self.recording), count, replace=False))
        taught = {one.annotation.volume for one in self.lessons}
        drawn = [self.recording[row] for row in rows]
        none = len(self.identities)
        return [
            trust_names(one, name_neurons(one, model), none) for one in drawn if len(one) and one.volume not in taught
        ]

    def _discover(self, model: Model, own: list[Lesson]) -> list[Lesson]:
        """The lessons with the neurons that the first reference lacks and other volumes have, as new identities."""
        first = len(self.identities)
        labels = find_identities([one.cloud for one in own], model.references.position[0], first)
        added = max((int(label.max(initial=-1)) for label in labels), default=-1) - first
        if added <= 0:
            return own
        self.identities = add_numbers(self.identities, added)
        return [
            replace(one, cloud=replace(one.cloud, label=shift_none(label, first, first + added)))
            for one, label in zip(own, labels, strict=True)
        ]

    def _enlarge(self, net: Classifier, own: Sequence[Lesson], known: int) -> Classifier:
        """The network with classes for all identities; it knows the new ones by their examples."""
        if known == len(self.identities):
            return net
        larger = self._begin(own)
        with torch.no_grad():
            larger.constellation.load_state_dict(net.constellation.state_dict())
            larger.head.weight[:known], larger.head.bias[:known] = net.head.weight[:known], net.head.bias[:known]
            larger.head.weight[-1], larger.head.bias[-1] = net.head.weight[-1], net.head.bias[-1]
        return larger

    def _build(self, net: Classifier, own: Sequence[Lesson], named: int | None = None) -> Model:
        """The recognizer so far; all its identities count as taught where their number is not given."""
        sure = sorted(own, key=lambda one: -int((one.cloud.label >= 0).sum()))
        room = max(REFERENCES - len(self.lessons), 0)
        count = len(self.identities)
        references = gather_lessons([*self.lessons, *sure[:room]], count)
        return Model(make_score(net), self.identities, count if named is None else named, references, PRIOR)

    def _calibrate(self, model: Model, aside: Sequence[int]) -> Calibration:
        """How often the names of volumes that were kept aside are right."""
        features, rights = [np.zeros((0, 4))], [np.zeros(0, bool)]
        for row in aside:
            truth = self.lessons[row].annotation
            naming = name_neurons(truth, model)
            given = np.where((naming.names >= 0) & (naming.names < model.named), self.identities[naming.names], -1)
            judged = (given >= 0) & ((truth.identity >= 0) | np.isin(given, truth.identity))
            features.append(naming.features[judged])
            rights.append((given == truth.identity)[judged])
        return fit_calibration(np.concatenate(features), np.concatenate(rights), PRIOR, 20.0)
