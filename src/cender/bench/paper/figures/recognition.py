"""The figures that show recognition: 6, 8, 9, 10, S1 and S2."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from jaxtyping import Float

from cender.bench.identity.across import measure_across
from cender.bench.identity.carried import measure_carried
from cender.bench.identity.data import make_subject, open_points
from cender.bench.identity.measure import Learn, Measurement, Recognize, measure_identity_bench, run_repeat
from cender.bench.identity.methods import METHODS, Method, make_across_learner, make_learner
from cender.bench.identity.pairs import Pace
from cender.bench.identity.pictures import gather_curves
from cender.bench.identity.split import Split, thin_volumes
from cender.bench.identity.subject import Subject
from cender.bench.paper.figures.scene import SEED, Scene
from cender.bench.paper.published import NERVE_POINTS, OWN_POINTS
from cender.bench.speed.stages import measure_stages
from cender.io.measured import Measured
from cender.nets.embedding import read_classes
from cender.pipeline.recording.recognizer.identify import build_foreign, build_recognizer
from cender.pipeline.recording.recognizer.learn import train_weights
from cender.plots.identity import Curve, Published
from cender.plots.paper.features import Features, draw_features
from cender.plots.paper.measures import draw_box_sizes, draw_speed
from cender.plots.paper.recognition import Embedded, Followed, draw_across, draw_clusters, draw_recognition
from cender.recognize.paper.density import TERRITORIES
from cender.recognize.paper.params import PaperParams, choose_params
from cender.recognize.paper.posture import find_posture
from cender.recognize.paper.recognize import describe_neurons
from cender.simulate import simulate_recording
from cender.types import Annotation, Weights

POINTS_FILE, POINTS_RATE_HZ = "nerve.npz", 6.0
SHOWN_VOLUMES, SHOWN_WORST = 10, 2
"""Test volumes whose embeddings are shown, and volumes with the most errors that are drawn."""
# Animals to learn from are far in seed from those to recognize.
OTHER_SEED = SEED + 100
PUBLISHED_MS = {"detect": 556.0, "merge": 50.0, "recognize": 20.0, "all": 800.0}
"""Milliseconds per volume and stage that the paper reports."""
ACROSS_POINTS = (
    ("CeNDeR, C1 to C2/C3, published", 130, 0.6670),
    ("CeNDeR, C1 to NeRVE, published", 130, 0.5008),
)
"""Accuracy across animals that the paper reports: what, volumes learnt from, accuracy."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured for the curves: annotated volumes by method, test volumes of ours.

    ``across`` are the volumes that the paper's method learns from where it is used on other animals.
    """

    counts: Mapping[str, tuple[int, ...]]
    nerve: Mapping[str, tuple[int, ...]]
    across: tuple[int, ...]
    at_most: int | None


# A quick look trains the paper's network for fewer epochs than the paper, which its figures say.
QUICK_EPOCHS = 60
FEW = 3
"""Up to so many annotated volumes the paper's network learns for all of its epochs, also in the quick form."""
# Learning that is just enough to time what comes after it.
BRIEF = {"steps": 5, "self_rounds": 0, "warped": 0}
QUICK = Extent({"paper": (3, 20), "default": (3,)}, {"paper": (20,)}, (1, 3, 10, 20), 20)
"""What the quick form of the figures measures."""
FULL = Extent(
    {"paper": (1, 3, 10, 30, 80, 130), "default": (0, 1, 3, 10, 30)},
    {"paper": (10, 30, 80, 130), "default": (0, 1, 10, 80, 130)},
    (1, 3, 10, 30, 80, 130),
    None,
)
"""What the full form measures."""


def draw_figure_6(scene: Scene) -> Any:
    """What the paper's recognizer makes of one neuron, with and without margins in its training."""
    known = scene.subject.taught[scene.split.test[0]]
    posture = find_posture(known, scene.params.axes)
    # A neuron from the middle of the head has neighbours on all sides.
    row = int(np.linalg.norm(posture.objects - np.median(posture.objects, axis=0), axis=1).argmin())
    points, owner = posture.points(scene.params.density)
    others = posture.objects - posture.objects[row]
    near = np.argsort(np.linalg.norm(others, axis=1))[1 : scene.params.k + 1]
    feature = describe_neurons(known, scene.params)[row]
    q = scene.params.q
    shown, _ = scene.embed((known.volume,), scene.weights)
    plain = scene.params.model_copy(update={"m1": 1.0, "m2": 0.0, "m3": 0.0})
    volumes = thin_volumes(scene.split.test, SHOWN_VOLUMES)
    margins = f"m1 = {scene.params.m1:g}, m3 = {scene.params.m3:g}"
    names = {"no margins": scene.teach(plain), margins: scene.weights}
    classes = len(read_classes(scene.weights)[1])
    words = f"layers of 128, three residual blocks\n↓\nunit sphere of {len(shown[row])} dimensions\n↓\ncosine to W"
    return draw_features(
        Features(
            points[owner != row] - posture.objects[row],
            others,
            near,
            (float(np.hypot(*posture.span_um[1:])), float(posture.span_um[0])),
            feature[: TERRITORIES * q].reshape(TERRITORIES, q),
            feature,
            shown[row],
            {name: _compare_cosines(scene, volumes, one) for name, one in names.items()},
            f"{words}: {classes} + 1 classes",
        )
    )


def _compare_cosines(
    scene: Scene, volumes: tuple[int, ...], weights: Weights
) -> tuple[Float[np.ndarray, " t"], Float[np.ndarray, " t"]]:
    """Cosines of the neurons of some volumes to their own class and to the best other one."""
    points, identity = scene.embed(volumes, weights)
    classes, numbers = read_classes(weights)
    known = np.isin(identity, numbers)
    cosine = (points[known] @ classes[:-1].T).astype(float)
    rows, own = np.arange(len(cosine)), np.searchsorted(numbers, identity[known])
    mine = cosine[rows, own].copy()
    cosine[rows, own] = -np.inf
    return mine, cosine.max(axis=1)


class Curves:
    """Measurements that several figures show, each made once.

    Parameters
    ----------
    data
        Folder of real data, or None.
    kept
        Rows that `cender bench tables` has measured, whose points are added to the curves.
    """

    def __init__(self, scene: Scene, extent: Extent, data: Path | None, kept: Mapping[str, Measured]) -> None:
        self.scene, self.extent, self.kept = scene, extent, kept
        points = None if data is None else data / POINTS_FILE
        self.points = points if points is not None and points.is_file() else None
        self._made: dict[str, list[Measurement]] = {}
        self._ours: dict[tuple[int, ...], Weights] = {}

    def measure_own(self) -> list[Measurement]:
        """Both methods on the simulated animal, split at random as in the paper."""
        if "own" not in self._made:
            self._made["own"] = self._measure(self.scene.subject, self.extent.counts, self._recognize_own)
        return self._made["own"]

    def time_recognizing(self) -> float:
        """Core milliseconds in which ours recognizes a volume, after it has learnt from one for a moment."""
        subject = self.scene.subject
        labelled = sorted(subject.taught)
        brief = self.scene.config.train_recognizer.model_copy(update=BRIEF)
        config = self.scene.config.model_copy(update={"train_recognizer": brief})
        split = Split((labelled[0],), thin_volumes(labelled[1:], self.extent.at_most))
        return run_repeat(subject, split, make_learner("default", config), 0, process_time).ms_per_volume

    def measure_nerve(self) -> list[Measurement]:
        """The same on the points of a real recording; empty without it."""
        if "nerve" not in self._made:
            ours = make_learner("default", self.scene.config)
            found = [] if self.points is None else self._measure(self._open_nerve(), self.extent.nerve, ours)
            self._made["nerve"] = found
        return self._made["nerve"]

    def measure_across(self) -> list[Measurement]:
        """The paper's method: a model of this animal, used on another one of which a single volume is annotated."""
        if "across" not in self._made:
            self._made["across"] = self._cross(self._other)
        return self._made["across"]

    def measure_across_nerve(self) -> list[Measurement]:
        """The same models, used on the real recording; empty without it."""
        if "across nerve" not in self._made:
            self._made["across nerve"] = [] if self.points is None else self._cross(self._open_nerve())
        return self._made["across nerve"]

    def measure_template(self) -> list[Measurement]:
        """Ours, as `cender run --template` uses it: identities of this animal, of the other one nothing annotated."""
        if "template" not in self._made:
            learn, carry = self._learn_ours, build_foreign
            carrier = "default", lambda annotated, rest, seed: carry(learn(annotated, seed), self.scene.config)
            pairs, pace = [(self.scene.subject, self._other)], Pace(at_most=self.extent.at_most)
            counts = [count for count in self.extent.counts["default"] if count]
            self._made["template"] = [measure_carried(pairs, carrier, count, pace) for count in counts]
        return self._made["template"]

    @cached_property
    def _other(self) -> Subject:
        """Another simulated animal, as long as what is tested of it."""
        volumes = {} if self.extent.at_most is None else {"volumes": self.extent.at_most + 1}
        params = self.scene.config.simulate.model_copy(update={"seed": OTHER_SEED, **volumes})
        return make_subject(simulate_recording(params).truth(), OTHER_SEED)

    def _learn_ours(self, annotated: Sequence[Annotation], seed: int) -> Weights:
        """Our recognizer of this animal, learnt once for all figures that show what it does."""
        key = tuple(one.volume for one in annotated)
        if key not in self._ours:
            recording = list(self.scene.subject.seen.values())
            self._ours[key] = train_weights(annotated, recording, self.scene.config, seed)
        return self._ours[key]

    def list_curves(self, made: Sequence[Measurement], data: str) -> list[Curve]:
        """Curves of measurements, with the points that kept rows add to them."""
        curves = {one.method: one for one in gather_curves(made)}
        for method in METHODS:
            mine = curves.get(method, Curve(method, "random", (), (), ()))
            known = dict(zip(mine.volumes, mine.accuracy, strict=True))
            for key, row in self.kept.items():
                words = key.split(", ")
                if words[0] == data and words[-1] == method and words[1].isdigit():
                    known.setdefault(int(words[1]), row.figures["accuracy"])
            if known:
                counts = tuple(sorted(known))
                values = tuple(known[count] for count in counts)
                curves[method] = replace(mine, volumes=counts, accuracy=values, spread=(float("nan"),) * len(counts))
        return list(curves.values())

    def _open_nerve(self) -> Subject:
        if self.points is None:
            raise RuntimeError("asked for a recording that is not there")
        return make_subject(open_points(self.points, POINTS_RATE_HZ))

    def _recognize_own(self, annotated: Sequence[Annotation], recording: Sequence[Annotation], seed: int) -> Recognize:
        return build_recognizer(self._learn_ours(annotated, seed), self.scene.config)

    def _learn_paper(self, annotated: Sequence[Annotation], recording: Sequence[Annotation], seed: int) -> Recognize:
        """The paper's method; what it has learnt for another figure is taken from memory."""
        config = self.scene.config
        weights = self._remember(annotated, choose_params(config.recognize.paper, annotated), seed)
        return build_recognizer(weights, config)

    def _choose_epochs(self, params: PaperParams, volumes: int) -> PaperParams:
        """The settings with all of the paper's epochs where there are so few volumes that they take no time."""
        if volumes > FEW or self.extent.at_most is None:
            return params
        return params.model_copy(update={"epochs": type(params)().epochs})

    def _measure(self, subject: Subject, counts: Mapping[str, tuple[int, ...]], ours: Learn) -> list[Measurement]:
        learners: dict[Method, Learn] = {"default": ours, "paper": self._learn_paper}
        return [
            measure_identity_bench(
                [subject],
                (method, learn),
                count,
                "random",
                at_most=None if method == "paper" else self.extent.at_most,
            )
            for method, learn in learners.items()
            for count in counts.get(method, ())
            if count <= len(subject.taught) // 2
        ]

    def _remember(self, annotated: Sequence[Annotation], params: PaperParams, seed: int) -> Weights:
        return self.scene.memory.train(annotated, self._choose_epochs(params, len(annotated)), seed).weights

    def _remember_numbered(self, annotated: Sequence[Annotation], params: PaperParams, seed: int) -> Weights:
        """The same for volumes whose numbers were mixed: across animals only embeddings count, whatever the numbers."""
        return self._remember([self.scene.subject.taught[one.volume] for one in annotated], params, seed)

    def _cross(self, tested: Subject) -> list[Measurement]:
        teacher = self.scene.subject
        learn = make_across_learner("paper", self.scene.config, train=self._remember_numbered)
        return [
            measure_across([(teacher, tested)], ("paper", learn), count, Pace(at_most=self.extent.at_most))
            for count in self.extent.across
            if count <= len(teacher.taught) // 2
        ]


def draw_figure_8(scene: Scene, curves: Curves) -> Any:
    """The space that is learnt, and accuracy over annotated volumes and over time."""
    classes, numbers = read_classes(scene.weights)
    points, identity = scene.embed(thin_volumes(scene.split.test, SHOWN_VOLUMES), scene.weights)
    space = Embedded(classes[:-1], points, np.where(np.isin(identity, numbers), identity, -1), numbers)
    published = [Published(*point) for point in OWN_POINTS]
    epochs = scene.config.recognize.paper.epochs
    own = _follow(curves.measure_own(), curves, "typical", published, _say_epochs("a simulated animal", epochs))
    nerve = curves.measure_nerve()
    real = [Published(*point) for point in NERVE_POINTS]
    worst = _show_worst(scene, own)
    followed = None if not nerve else _follow(nerve, curves, "NeRVE", real, _say_nerve(nerve, epochs))
    return draw_recognition(space, replace(own, worst=worst), followed)


def _say_epochs(what: str, epochs: int) -> str:
    """A title; a quick look trains for fewer epochs, and says so."""
    return what if epochs == PaperParams().epochs else f"{what}; more than {FEW} volumes: {epochs} epochs"


def _say_nerve(made: Sequence[Measurement], epochs: int) -> str:
    """The same for the real animal, whose other points are kept rows of all epochs."""
    brief = ", ".join(str(one.train) for one in made if one.method == "paper" and one.train > FEW)
    return "NeRVE, a real animal" + (f"; {brief} volumes: {epochs} epochs" if epochs != PaperParams().epochs else "")


def _follow(
    made: Sequence[Measurement], curves: Curves, data: str, published: Sequence[Published], title: str
) -> Followed:
    last = max((one for one in made if one.method == "paper"), key=lambda one: one.train)
    run = last.repeats[0]
    label = f"the paper's method, {last.train} volumes: {100 * (last.average('accuracy') or 0):.1f} %"
    return Followed(
        title, curves.list_curves(made, data), published, run.volume_time_s, run.volume_accuracy, label, "time, s"
    )


def _show_worst(scene: Scene, own: Followed) -> list[tuple[str, np.ndarray]]:
    """The projected heads of the volumes that are recognized worst, and what happens in them."""
    pictures = []
    times = np.array([scene.simulation.recording.time_s(one) for one in range(len(scene.simulation.recording))])
    for row in np.argsort(own.accuracy)[:SHOWN_WORST]:
        index = int(np.abs(times - own.time[row]).argmin())
        red = scene.simulation.recording.volume(index, (0,)).data[0].max(0)
        head = scene.simulation.annotate(index).head
        x, y, w, h = (0, 0, red.shape[1], red.shape[0]) if head is None else head.crop
        words = ", ".join(scene.simulation.events(index)) or f"volume {index}"
        pictures.append((words, red[y : y + h, x : x + w]))
    return pictures


def draw_figure_9(curves: Curves) -> Any:
    """Accuracy in another animal, over the volumes of this one that a model learnt from."""
    across, real, ours = curves.measure_across(), curves.measure_across_nerve(), curves.measure_template()
    lines = [replace(one, split="+ 1 template volume") for one in gather_curves(across)]
    lines += [replace(one, split="NeRVE + 1 template volume", broken=True) for one in gather_curves(real)]
    lines += [replace(one, split="no volume of the other animal") for one in gather_curves(ours)]
    last = {"paper,\nsimulated": across, "paper,\nNeRVE": real, "default,\nsimulated": ours}
    groups = {label: made[-1].repeats[0].volume_accuracy for label, made in last.items() if made}
    published = [Published(*point) for point in ACROSS_POINTS]
    epochs = curves.scene.config.recognize.paper.epochs
    return draw_across(lines, published, groups, _say_epochs("from one simulated animal to others", epochs))


def draw_figure_10(scene: Scene, curves: Curves, machine: str) -> Any:
    """Core milliseconds of all stages: other work on the machine does not count."""
    stages = measure_stages(scene.config.detect, rounds=2, clock=process_time)
    ours = dict(stages["stages_ms"])
    kept = curves.kept.get("typical, 1, default")
    ours["recognize"] = kept.figures["ms_per_volume"] if kept else curves.time_recognizing()
    ours["all"] = sum(ours.values())
    return draw_speed(ours, PUBLISHED_MS, machine)


def draw_figure_s1(scene: Scene) -> Any:
    """Sizes of the true regions, in the paper's pixels."""
    boxes = [scene.subject.taught[one].regions.box_px for one in thin_volumes(sorted(scene.subject.taught), 40)]
    side = np.concatenate(boxes)[:, 2:] * scene.voxel_um.x_um / 0.3
    return draw_box_sizes(side[:, 0], side[:, 1], "a simulated animal")


def draw_figure_s2(scene: Scene) -> Any:
    """Clusters of the training volumes, as in the paper."""
    classes, numbers = read_classes(scene.weights)
    points, identity = scene.embed(scene.split.train, scene.weights)
    return draw_clusters(Embedded(classes[:-1], points, identity, numbers))
