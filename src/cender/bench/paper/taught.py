"""Simulated animals and the paper's recognizers that learnt from them, each made once for all rows that need it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any

from cender.bench.identity.data import make_subject, number_animal, open_points, simulate_subject
from cender.bench.identity.heads import load_named_heads
from cender.bench.identity.measure import Measurement, Repeat, collect_identities, score_recognizer
from cender.bench.identity.memory import Memory
from cender.bench.identity.methods import Features, choose_features
from cender.bench.identity.plan import OTHERS
from cender.bench.identity.split import Split, split_volumes, thin_volumes
from cender.bench.identity.subject import Subject
from cender.bench.paper.celltypes import embed_with_paper, measure_cell_types, pose_by_labels
from cender.bench.paper.scope import CHAUDHARY, POINTS_RATE_HZ
from cender.config import Config
from cender.nets.embedding import build_embedder
from cender.pipeline.recording.recognizer.identify import build_recognizer
from cender.recognize.paper.params import choose_params, read_params
from cender.recognize.paper.recognize import recognize_with_template
from cender.types import Annotation, Identities, Weights

TEMPLATES = 3
"""Volumes of the first animal that are templates of the second, one after the other."""


@dataclass(frozen=True, slots=True)
class Pupil:
    """The paper's recognizer of some volumes of an animal, how they were drawn, and the core seconds it took."""

    weights: Weights
    split: Split
    train_s: float


@dataclass
class Company:
    """Two simulated animals and the real recording; models that learnt from them."""

    config: Config
    points: Path | None = None
    heads: Path | None = None
    authors: Path | None = None
    memory: Memory = field(default_factory=Memory)

    @cached_property
    def first(self) -> Subject:
        """The simulated animal that teaches."""
        return simulate_subject(number_animal(self.config, 0))

    @cached_property
    def second(self) -> Subject:
        """Another one."""
        return simulate_subject(number_animal(self.config, OTHERS))

    @cached_property
    def real(self) -> Subject:
        """The points of the real recording."""
        if self.points is None:
            raise RuntimeError("asked for a recording that is not there")
        return make_subject(open_points(self.points, POINTS_RATE_HZ))

    @cached_property
    def own(self) -> Subject:
        """C1 of the paper's authors."""
        if self.authors is None:
            raise RuntimeError("asked for an animal that is not there")
        return make_subject(open_points(self.authors))

    def teach(self, which: str, train: int, features: Features | None = None, epochs: int | None = None) -> Pupil:
        """The paper's recognizer of volumes drawn at random from the ``first``, ``real`` or ``own`` animal."""
        subject: Subject = getattr(self, which)
        labelled = [volume for volume, one in subject.taught.items() if (one.identity >= 0).any()]
        split = split_volumes(labelled, {}, train, "random", 0, 0)
        annotated = [subject.taught[volume] for volume in split.train]
        params = choose_params(choose_features(self.config, features), annotated)
        if epochs is not None:
            params = params.model_copy(update={"epochs": epochs})
        trained = self.memory.train(annotated, params)
        return Pupil(trained.weights, split, trained.train_s)

    def measure_within(self, which: str, train: int, features: Features | None = None) -> dict[str, Any]:
        """A recognizer on the volumes of its own animal that it has not learnt from."""
        pupil = self.teach(which, train, features)
        subject: Subject = getattr(self, which)
        recognize = build_recognizer(pupil.weights, self.config)
        known = collect_identities([subject.taught[volume] for volume in pupil.split.train])
        done = score_recognizer(subject, pupil.split, recognize, pupil.train_s, known, process_time)
        return describe([done], train)

    def measure_across(
        self, pupil: Pupil, tested: Subject, train: int, at_most: int | None, templates: int = 1
    ) -> dict[str, Any]:
        """A recognizer on another animal, of which one volume is the template; mean over several such volumes."""
        embed, params = build_embedder(pupil.weights), read_params(pupil.weights)
        labelled = [volume for volume, one in tested.taught.items() if (one.identity >= 0).any()]
        done = []
        for number in range(templates):
            drawn = split_volumes(labelled, {}, 1, "random", 0, number)
            split = Split(drawn.train, thin_volumes(drawn.test, at_most))
            template = tested.taught[split.train[0]]

            def recognize(volumes: Sequence[Annotation], template: Annotation = template) -> list[Identities]:
                return [recognize_with_template(volume, template, embed, params) for volume in volumes]

            known = collect_identities([template])
            done.append(score_recognizer(tested, split, recognize, pupil.train_s, known, process_time))
        return describe(done, train)

    def measure_features(self, kinds: Features, train: int, at_most: int | None) -> dict[str, dict[str, Any]]:
        """One row of Table S2: a model of the first animal, on itself, on the second, on real points and heads."""
        pupil = self.teach("first", train, kinds)
        figures = {
            "within": self.measure_within("first", train, kinds),
            "across": self.measure_across(pupil, self.second, train, at_most, TEMPLATES),
        }
        if self.points is not None:
            figures["NeRVE"] = self.measure_across(pupil, self.real, train, at_most, TEMPLATES)
        if self.heads is not None:
            posed, _ = pose_by_labels(load_named_heads(self.heads)[CHAUDHARY])
            figures["Chaudhary"] = measure_cell_types(posed, embed_with_paper(pupil.weights, "head"))
        return figures


def describe(done: Sequence[Repeat], train: int) -> dict[str, Any]:
    """The figures of one method that a table prints: times are core seconds."""
    return describe_measurement(Measurement("paper", train, "random", 0, "", None, tuple(done)))


def describe_measurement(one: Measurement) -> dict[str, Any]:
    """The figures of a measurement that a table prints."""
    names = ("accuracy", "worst_5pct", "recall_at_95_strict", "calibration_error", "train_s", "ms_per_volume")
    tested = sum(len(repeat.split.test) for repeat in one.repeats)
    return {**{name: one.average(name) for name in names}, "test_volumes": tested, "trainings": len(one.repeats)}
