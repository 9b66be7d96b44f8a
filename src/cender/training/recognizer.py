"""Learning identities: from the volumes that people named, then from the recording itself."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int

from cender.errors import DataError
from cender.nets.constellation import Classifier, Matcher, make_score
from cender.recognize.confidence import Calibration, fit_calibration
from cender.recognize.evidence import COUNT, measure_evidence
from cender.recognize.frame import POSES, place_points
from cender.recognize.model import Model, Naming, check_points, name_neurons
from cender.recognize.references import References, gather_references
from cender.training.clouds import Cloud
from cender.training.discovery import choose_start, find_identities
from cender.training.fitting import fit_classifier, stack_clouds
from cender.training.journal import Journal
from cender.training.params import TrainRecognizerParams
from cender.training.pool import warp_clouds
from cender.types import Annotation

TRUSTED = 0.6
"""Probability from which a name that the recognizer gave may teach it."""
REFERENCES = 120
FEW = 5
"""Annotated volumes from which on some are kept aside to measure how often names are right."""
PRIOR = Calibration(np.array([0.55, 0.15, 0.2, 0.0]))


@dataclass(frozen=True, slots=True)
class Progress:
    """One training step: its number among all, what is being learnt from, and the loss."""

    step: int
    steps: int
    stage: str
    loss: float


@dataclass(frozen=True, slots=True)
class Lesson:
    """A volume and its neurons as classes; ``weight`` is how often it is shown."""

    annotation: Annotation
    cloud: Cloud
    weight: float = 1.0


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
    if params.threads:
        torch.set_num_threads(params.threads)
    named = [one for one in annotated if (one.identity >= 0).any()]
    for one in (*named, *recording):
        check_points(one)
    for one in named:
        _refuse_twins(one)
    invented = not named
    if invented:
        named = [choose_start(recording)]
    about = (
        f"{seed} {params.model_dump_json(exclude={'threads'})} {_hash_volumes(annotated)} {_hash_volumes(recording)}"
    )
    journal = Journal(checkpoint, about, params.patience)
    return _Course(named, recording, params, matcher, rng, Watch(on_step, journal), invented).run()


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
        invented: bool,
    ) -> None:
        self.named, self.recording, self.params, self.matcher = list(named), list(recording), params, matcher
        self.rng, self.watch, self.invented = rng, watch, invented
        self.identities = np.unique(np.concatenate([one.identity[one.identity >= 0] for one in named]))
        self.named_count = len(self.identities)
        self.exploring = bool(recording) and params.self_rounds > 0 and (invented or len(named) <= params.explore)
        self.lessons = self._align([Lesson(one, self._read(one)) for one in named])
        if self.exploring:
            self.lessons = self._number_strangers(self.lessons)
        kept = len(named) // 5 if len(named) >= FEW else 0
        self.aside = set(rng.choice(len(named), min(kept, 8), replace=False).tolist())
        self.rounds = params.self_rounds if len(named) < params.enough and recording else 0
        self.taught_steps = min(params.steps, params.steps_each * len(named))
        self.steps = self.taught_steps + self.rounds * params.self_steps
        self.step = 0

    def run(self) -> tuple[Classifier, Model]:
        """Teach, name, teach again, calibrate."""
        net = self._begin()
        teaching = [lesson for row, lesson in enumerate(self.lessons) if row not in self.aside]
        clouds = [lesson.cloud for lesson in teaching]
        pool = clouds + warp_clouds(clouds, len(self.identities), self.params.warped, self.rng)
        self._fit(net, pool, self.taught_steps, "annotated volumes")
        model = self._build(net, self.lessons, [])
        for number in range(self.rounds):
            own = self._name_recording(model)
            if self.exploring and number == 0:
                net, own = self._discover(net, model, own)
            self._fit(net, pool[: len(clouds)] * 3 + [one.cloud for one in own], self.params.self_steps, "own names")
            model = self._build(net, self.lessons, own)
        return net, replace(model, calibration=self._calibrate(model))

    def _number_strangers(self, lessons: list[Lesson]) -> list[Lesson]:
        """Give the unnamed neurons of the best known volume classes of their own.

        A neuron that nobody named is still the same neuron in every volume: known as such it cannot be taken for its
        neighbour. Which of them are which in the other annotated volumes will be found out.
        """
        none = len(self.identities)
        best = int(np.argmax([(one.annotation.identity >= 0).sum() for one in lessons]))
        strangers = np.flatnonzero(lessons[best].cloud.label == none)
        free = int(self.identities.max(initial=-1)) + 1
        self.identities = np.concatenate([self.identities, free + np.arange(len(strangers))])
        numbered = []
        for row, one in enumerate(lessons):
            label = np.where(one.cloud.label == none, -1, one.cloud.label)
            if row == best:
                label[strangers] = none + np.arange(len(strangers))
            numbered.append(replace(one, cloud=replace(one.cloud, label=label)))
        # The volume that explains most comes first: what is new is told by its frame.
        return [numbered[best], *numbered[:best], *numbered[best + 1 :]]

    def _begin(self) -> Classifier:
        net = Classifier(len(self.identities), COUNT)
        net.start_from(self.matcher, self._make_examples([lesson.cloud for lesson in self.lessons]))
        return net

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

    def _fit(self, net: Classifier, pool: Sequence[Cloud], steps: int, stage: str) -> None:
        def tell(loss: float) -> None:
            self.step += 1
            self.watch.on_step(Progress(self.step, self.steps, stage, loss))

        rate = self.params.learning_rate if stage == "annotated volumes" else 0.5 * self.params.learning_rate
        end = self.step + steps
        journal = self.watch.journal
        fit_classifier(net, pool, steps, self.rng, learning_rate=rate, journal=journal, on_step=tell)
        self.step = end

    def _name_recording(self, model: Model) -> list[Lesson]:
        """Volumes drawn from the recording with the names that can be trusted."""
        count = min(self.params.self_volumes, len(self.recording))
        rows = np.sort(self.rng.choice(len(self.recording), count, replace=False))
        taught = {one.volume for one in self.named}
        lessons = []
        for row in rows:
            one = self.recording[row]
            if len(one) and one.volume not in taught:
                lessons.append(Lesson(one, self._trust(one, name_neurons(one, model))))
        return lessons

    def _trust(self, annotation: Annotation, naming: Naming) -> Cloud:
        label = np.where(naming.names >= 0, naming.names, len(self.identities))
        label = np.where((naming.names >= 0) & (naming.probability < TRUSTED), -1, label)
        return Cloud(naming.position, measure_evidence(annotation), label)

    def _discover(self, net: Classifier, model: Model, own: list[Lesson]) -> tuple[Classifier, list[Lesson]]:
        """Add the neurons that the first reference lacks and other volumes have."""
        labels = find_identities([one.cloud for one in own], model.references.position[0], len(self.identities))
        added = max((int(label.max(initial=-1)) for label in labels), default=-1) - len(self.identities)
        if added <= 0:
            return net, own
        first = len(self.identities)
        free = int(self.identities.max(initial=-1)) + 1
        self.identities = np.concatenate([self.identities, free + np.arange(added)])
        own = [
            replace(one, cloud=replace(one.cloud, label=_shift_none(label, first, first + added)))
            for one, label in zip(own, labels, strict=True)
        ]
        larger = Classifier(first + added, COUNT)
        larger.start_from(self.matcher, self._make_examples([one.cloud for one in own]))
        with torch.no_grad():
            larger.constellation.load_state_dict(net.constellation.state_dict())
            larger.head.weight[:first], larger.head.bias[:first] = net.head.weight[:first], net.head.bias[:first]
            larger.head.weight[-1], larger.head.bias[-1] = net.head.weight[-1], net.head.bias[-1]
        return larger, own

    def _build(self, net: Classifier, lessons: Sequence[Lesson], own: Sequence[Lesson]) -> Model:
        sure = sorted(own, key=lambda one: -int((one.cloud.label >= 0).sum()))
        room = max(REFERENCES - len(lessons), 0)
        count = len(self.identities) if self.invented else self.named_count
        return Model(make_score(net), self.identities, count, self._gather([*lessons, *sure[:room]]), PRIOR)

    def _gather(self, lessons: Sequence[Lesson]) -> References:
        return gather_references(
            [one.annotation.volume for one in lessons],
            [one.cloud.position for one in lessons],
            [one.cloud.label for one in lessons],
            len(self.identities),
        )

    def _calibrate(self, model: Model) -> Calibration:
        """How often the names of volumes that were kept aside are right."""
        features, rights = [np.zeros((0, 4))], [np.zeros(0, bool)]
        for row in sorted(self.aside):
            truth = self.lessons[row].annotation
            naming = name_neurons(truth, model)
            given = np.where((naming.names >= 0) & (naming.names < model.named), self.identities[naming.names], -1)
            judged = (given >= 0) & ((truth.identity >= 0) | np.isin(given, truth.identity))
            features.append(naming.features[judged])
            rights.append((given == truth.identity)[judged])
        return fit_calibration(np.concatenate(features), np.concatenate(rights), PRIOR, 20.0)

    def _read(self, annotation: Annotation) -> Cloud:
        label = np.searchsorted(self.identities, annotation.identity)
        # Where not every neuron was looked at, one without a name may be any of them: it teaches nothing.
        label = np.where(annotation.identity >= 0, label, len(self.identities) if annotation.complete else -1)
        return Cloud(place_points(annotation.centre_um), measure_evidence(annotation), label)

    def _align(self, lessons: Sequence[Lesson]) -> list[Lesson]:
        """Turn every volume to the pose of the one with the most names: its frame may point the other way."""
        first = max(lessons, key=lambda one: int((one.annotation.identity >= 0).sum())).cloud
        return [replace(one, cloud=turn_like(one.cloud, first, len(self.identities))) for one in lessons]


def turn_like(cloud: Cloud, other: Cloud, none: int) -> Cloud:
    """The cloud in the pose in which its named neurons lie most like those of another."""
    common, here, there = np.intersect1d(cloud.label, other.label, return_indices=True)
    known = (common >= 0) & (common < none)
    if known.sum() < 2:
        return cloud
    a, b = cloud.position[here[known]], other.position[there[known]]
    error = [np.sum((a * pose - (a * pose).mean(0) - b + b.mean(0)) ** 2) for pose in POSES]
    return replace(cloud, position=cloud.position * POSES[int(np.argmin(error))])


def _shift_none(label: Int[np.ndarray, " n"], before: int, after: int) -> Int[np.ndarray, " n"]:
    """Labels whose "none" was ``before`` (negative numbers below -1 aside) with "none" at ``after``."""
    return np.where(label == before, after, np.where(label > before, label - 1, label))


def _hash_volumes(volumes: Sequence[Annotation]) -> str:
    """A short text that differs where the volumes do."""
    found = hashlib.sha256()
    for one in volumes:
        found.update(f"{one.volume} {len(one)}".encode())
        for values in (one.centre_um, one.identity, measure_evidence(one)):
            found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]


def _refuse_twins(annotation: Annotation) -> None:
    known = annotation.identity[annotation.identity >= 0]
    values, counts = np.unique(known, return_counts=True)
    if len(counts) and counts.max() > 1:
        raise DataError(
            f"volume {annotation.volume}: expected every identity once, found {values[counts.argmax()]} "
            f"{counts.max()} times; correct the annotation"
        )
