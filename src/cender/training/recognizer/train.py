"""Learning identities: from the volumes that people annotated, then from the recording itself."""

import logging
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int

from cender.nets.constellation import Classifier, Matcher, make_score
from cender.nets.threads import limit_threads
from cender.recognize.evidence import COUNT, measure_evidence
from cender.recognize.model import Model, check_points, classify_neurons
from cender.training.journal import Journal
from cender.training.params import TrainRecognizerParams
from cender.training.recognizer.calibrate import PRIOR, PROBES, calibrate
from cender.training.recognizer.clouds import Cloud
from cender.training.recognizer.discovery import choose_start, find_identities
from cender.training.recognizer.fitting import Pace, fit_classifier, stack_clouds
from cender.training.recognizer.lessons import (
    Lesson,
    add_numbers,
    align_lessons,
    gather_lessons,
    hash_volumes,
    keep_classes,
    number_rest,
    read_lesson,
    refuse_twins,
    shift_none,
    trust_classes,
)
from cender.training.recognizer.pool import warp_clouds
from cender.types import Annotation

_LOG = logging.getLogger(__name__)

REFERENCES = 120
"""Volumes at most that a recognizer keeps to compare others with; those that people annotated are all kept."""
FEW_VOLUMES = 5
"""Annotated volumes from which on some are kept aside to measure how often identities are right."""
MATCHED, MATCHED_LONG = 2, 5
"""Rounds in which a recording without annotation is only matched, before anything is learnt from it."""
MANY_VOLUMES = 12
"""Volumes to learn from, from which on there are many rounds, and numbers that do not come back are given up."""
RARE_SHARE = 0.25
"""Share of the volumes in which a number has to be trusted to be kept."""
FEWEST = 8
"""Numbers that are kept in any case."""
WHOLE_SHARE = 0.8
"""Share of the neurons of annotated volumes that have an identity, from which on they are known as a whole."""
UNLIKELY_PROBABILITY = 0.3
"""Probability below which an identity does not keep a neuron from being one that was not annotated."""
SPARSE_SHARE = 0.5
"""Share of the neurons of a usual volume below which the identities that people gave are few."""
WORSE_SHARE = 0.8
"""Share of what was recognized before a step of learning that must be recognized after it, or the step is undone."""


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
    with limit_threads(params.threads):
        watch = Watch(on_step, _open_journal(annotated, recording, params, seed, checkpoint))
        return _train(annotated, recording, params, matcher, seed, watch)


def _train(
    annotated: Sequence[Annotation],
    recording: Sequence[Annotation],
    params: TrainRecognizerParams,
    matcher: Matcher,
    seed: int,
    watch: Watch,
) -> tuple[Classifier, Model]:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    marked = [one for one in annotated if (one.identity >= 0).any()]
    for one in (*marked, *recording):
        check_points(one)
    for one in marked:
        refuse_twins(one)
    if not marked:
        return _Course([choose_start(recording)], recording, params, matcher, rng, watch).learn_alone()
    if is_sparse(marked, recording):
        taught = len(np.unique(np.concatenate([one.identity[one.identity >= 0] for one in marked])))
        return _Course(number_rest(marked), recording, params, matcher, rng, watch).learn_alone(taught)
    return _Course(marked, recording, params, matcher, rng, watch).learn_from_people()


def _open_journal(
    annotated: Sequence[Annotation],
    recording: Sequence[Annotation],
    params: TrainRecognizerParams,
    seed: int,
    checkpoint: Path | None,
) -> Journal:
    """Where the state is kept, with what the training is about: another one does not go on from it."""
    about = ""
    if checkpoint is not None:
        settings = params.model_dump_json(exclude={"threads"})
        about = f"{seed} {settings} {hash_volumes(annotated)} {hash_volumes(recording)}"
    return Journal(checkpoint, about, params.patience)


def is_sparse(marked: Sequence[Annotation], recording: Sequence[Annotation]) -> bool:
    """Whether people annotated but a few neurons here and there: the others must be numbered as without any help."""
    if not recording or any(one.complete for one in marked):
        return False
    known = np.unique(np.concatenate([one.identity[one.identity >= 0] for one in marked]))
    return len(known) < SPARSE_SHARE * float(np.median([len(one) for one in recording]))


class _Course:
    """One training from start to end; what its steps leave to each other."""

    def __init__(
        self,
        marked: Sequence[Annotation],
        recording: Sequence[Annotation],
        params: TrainRecognizerParams,
        matcher: Matcher,
        rng: np.random.Generator,
        watch: Watch,
    ) -> None:
        self.recording, self.params, self.matcher, self.rng, self.watch = recording, params, matcher, rng, watch
        self.identities = np.unique(np.concatenate([one.identity[one.identity >= 0] for one in marked]))
        self.lessons = align_lessons([read_lesson(one, self.identities) for one in marked], len(self.identities))
        self.rounds = params.self_rounds if len(marked) < params.enough and recording else 0
        usable = [one for one in recording if len(one)]
        self.probes = [usable[int(row)] for row in np.linspace(0, len(usable) - 1, min(PROBES, len(usable)))]
        self.step = self.steps = 0

    def learn_from_people(self) -> tuple[Classifier, Model]:
        """Teach, recognize, teach again, calibrate."""
        params, lessons, taught = self.params, len(self.lessons), len(self.identities)
        exploring = bool(self.recording) and params.self_rounds > 0 and lessons <= params.explore and self._is_whole()
        if exploring:
            # A neuron without an identity will get a number where it comes back: it is not "none of them".
            self.lessons = [_forget_none(one, taught) for one in self.lessons]
        kept = lessons // 5 if lessons >= FEW_VOLUMES else 0
        aside = set(self.rng.choice(lessons, min(kept, 8), replace=False).tolist())
        steps = min(params.steps, params.steps_each * lessons)
        self.steps = steps + self.rounds * params.self_steps
        net = self._begin(self.lessons)
        clouds = [lesson.cloud for row, lesson in enumerate(self.lessons) if row not in aside]
        pool = clouds + warp_clouds(clouds, len(self.identities), params.warped, self.rng)
        self._fit(net, pool, steps, Pace(params.learning_rate), "annotated volumes")
        model = self._build(net, [], taught)
        for _ in range(self.rounds):
            if exploring:
                known = len(self.identities)
                own = self._follow_rest(model, params.self_volumes)
                net = self._enlarge(net, own, known)
                model = self._build(net, own, taught)
            else:
                own = self._recognize_recording(model, params.self_volumes)
            pool = clouds * 3 + [one.cloud for one in own]
            pace = Pace(0.5 * params.learning_rate)
            model, _ = self._learn(net, model, pool, params.self_steps, pace, own)
        held = [self.lessons[row] for row in sorted(aside)]
        return net, self._finish(model, held, self.lessons)

    def _is_whole(self) -> bool:
        """Whether people annotated nearly every neuron of their volumes: what else comes back is then a neuron, too."""
        known = [one.annotation.identity >= 0 for one in self.lessons]
        return float(np.concatenate(known).mean()) >= WHOLE_SHARE

    def learn_alone(self, taught: int | None = None) -> tuple[Classifier, Model]:
        """Number the neurons of the recording: by matching alone at first, then by a little learning.

        The matcher's mean description of a neuron over some volumes tells it nearly as well as training does, at a
        small part of the time; what pairs of neurons look like is left as the matcher has it. Neurons that the first
        volume lacks are found in the others; where there are many volumes, numbers that do not come back are given up.

        Parameters
        ----------
        taught
            So many of the identities, the first ones, were given by people and are kept in any case; None: all of
            them are numbers, and all count as taught.
        """
        params, own = self.params, list[Lesson]()
        volumes, steps = min(params.self_volumes, params.alone_volumes), min(params.self_steps, params.alone_steps)
        self.steps = self.rounds * steps
        net = self._begin(self.lessons)
        model = self._build(net, own, taught)
        many = min(volumes, len(self.recording)) >= MANY_VOLUMES
        for number in range((MATCHED_LONG if many else MATCHED) if self.rounds else 0):
            own = self._recognize_recording(model, volumes)
            if many and number >= 2:
                own = self._give_up_rare(own, taught or 0)
            if number == 0 or number >= 3:
                own = self._discover(self._build(net, own, taught), own)
            net = self._begin([*self.lessons, *own])
            model = self._build(net, own, taught)
        for _ in range(self.rounds):
            pool = [one.cloud for one in (*self.lessons, *own)]
            pace = Pace(params.learning_rate, batch=2, pairs=False)
            model, own = self._learn(net, model, pool, steps, pace, own, again=volumes)
        # Judged by all of its identities, not by those alone that it trusts: these are right too often.
        relabelled = [self._read_identities(one.annotation, model) for one in own]
        return net, self._finish(model, [], [*self.lessons, *relabelled] if taught else relabelled or self.lessons)

    def _learn(
        self,
        net: Classifier,
        model: Model,
        pool: Sequence[Cloud],
        steps: int,
        pace: Pace,
        own: list[Lesson],
        *,
        again: int = 0,
    ) -> tuple[Model, list[Lesson]]:
        """The recognizer after learning from its own identities, or as it was where it would recognize less.

        ``own`` are the volumes that become its references; so many as ``again`` says are recognized anew for that.
        """
        before, trust = deepcopy(net.state_dict()), self._measure_trust(model)
        self._fit(net, pool, steps, pace, "own identities")
        taught = model.taught if model.taught < len(model.identities) else None
        relabelled = self._recognize_recording(model, again) if again else own
        learnt = self._build(net, relabelled, taught)
        now = self._measure_trust(learnt)
        if now >= WORSE_SHARE * trust:
            return learnt, relabelled
        _LOG.warning(
            "after learning from its own identities %.0f %% of the neurons were recognized instead of %.0f %%: "
            "that step was undone",
            100 * now,
            100 * trust,
        )
        net.load_state_dict(before)
        return model, own

    def _measure_trust(self, model: Model) -> float:
        """Share of the neurons of some volumes that are rightly recognized, by its own judgement."""
        recognitions = [classify_neurons(one, model) for one in self.probes]
        return (
            float(np.mean([one.probability.sum() / len(one.classes) for one in recognitions])) if recognitions else 0.0
        )

    def _finish(self, model: Model, aside: Sequence[Lesson], others: Sequence[Lesson]) -> Model:
        """The recognizer with probabilities that are calibrated, and what is usual in this recording."""
        honest = replace(model, calibration=calibrate(model, aside, others, self.rng))
        volumes = self.probes or [one.annotation for one in self.lessons[:PROBES]]
        return replace(honest, quality=float(np.median([classify_neurons(one, honest).quality for one in volumes])))

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

    def _recognize_recording(self, model: Model, volumes: int) -> list[Lesson]:
        """Volumes drawn from the recording with the identities that can be trusted."""
        return [trust_classes(one, classify_neurons(one, model)) for one in self._draw_volumes(volumes)]

    def _follow_rest(self, model: Model, volumes: int) -> list[Lesson]:
        """The same, with neurons that have no likely identity and come back in other volumes as new identities."""
        recognitions = [(one, classify_neurons(one, model)) for one in self._draw_volumes(volumes)]
        trusted, known = [trust_classes(*pair) for pair in recognitions], len(self.identities)
        likely = [
            np.where(recognition.probability >= UNLIKELY_PROBABILITY, recognition.classes, -1)
            for _, recognition in recognitions
        ]
        labelled = [_relabel(one, label) for one, label in zip(trusted, likely, strict=True)]
        found = self._discover(model, labelled)
        return [
            _relabel(one, np.where(other.cloud.label >= known, other.cloud.label, one.cloud.label))
            for one, other in zip(trusted, found, strict=True)
        ]

    def _draw_volumes(self, volumes: int) -> list[Annotation]:
        """Volumes of the recording without annotations."""
        rows = np.sort(self.rng.choice(len(self.recording), min(volumes, len(self.recording)), replace=False))
        taught = {one.annotation.volume for one in self.lessons}
        return [one for one in (self.recording[row] for row in rows) if len(one) and one.volume not in taught]

    def _read_identities(self, annotation: Annotation, model: Model) -> Lesson:
        """A volume with all identities that it was given."""
        recognition = classify_neurons(annotation, model)
        return Lesson(annotation, Cloud(recognition.position, measure_evidence(annotation), recognition.classes))

    def _discover(self, model: Model, own: list[Lesson]) -> list[Lesson]:
        """The lessons with the neurons that the first reference lacks and other volumes have, as new identities."""
        first = len(self.identities)
        labels = find_identities([one.cloud for one in own], model.references.position[0], first)
        added = max((int(label.max(initial=-1)) for label in labels), default=-1) - first
        if added <= 0:
            return own
        self.identities = add_numbers(self.identities, added)
        return [_relabel(one, shift_none(label, first, first + added)) for one, label in zip(own, labels, strict=True)]

    def _give_up_rare(self, own: list[Lesson], taught: int) -> list[Lesson]:
        """The lessons without the numbers that few volumes have: false neurons of the first one, mostly."""
        before = len(self.identities)
        labels = np.concatenate([one.cloud.label for one in own]) if own else np.zeros(0, int)
        seen = np.bincount(labels[labels >= 0], minlength=before)[:before]
        kept = np.flatnonzero((seen >= RARE_SHARE * len(own)) | (np.arange(before) < taught))
        if len(kept) < FEWEST:
            return own
        self.identities = self.identities[kept]
        self.lessons = [_relabel(one, keep_classes(one.cloud.label, kept, before)) for one in self.lessons]
        return [_relabel(one, keep_classes(one.cloud.label, kept, before)) for one in own]

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

    def _build(self, net: Classifier, own: Sequence[Lesson], taught: int | None = None) -> Model:
        """The recognizer so far; all its identities count as taught where their number is not given."""
        sure = sorted(own, key=lambda one: -int((one.cloud.label >= 0).sum()))
        room = max(REFERENCES - len(self.lessons), 0)
        count = len(self.identities)
        references = gather_lessons([*self.lessons, *sure[:room]], count)
        return Model(make_score(net), self.identities, count if taught is None else taught, references, PRIOR)


def _relabel(lesson: Lesson, label: Int[np.ndarray, " n"]) -> Lesson:
    return replace(lesson, cloud=replace(lesson.cloud, label=label))


def _forget_none(lesson: Lesson, none: int) -> Lesson:
    return _relabel(lesson, np.where(lesson.cloud.label == none, -1, lesson.cloud.label))
