"""What the paper's tables need measured: one item for each row of ours, quick or as the documents print it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import cender
from cender.bench.detection.axes import measure_axes
from cender.bench.detection.measure import choose_method, measure_detection
from cender.bench.identity.across import measure_across
from cender.bench.identity.data import make_subject, open_points
from cender.bench.identity.measure import Measurement
from cender.bench.identity.methods import METHODS, Method, make_across_learner
from cender.bench.identity.plan import Plan, open_cast, run_plan
from cender.bench.identity.split import split_volumes
from cender.bench.names.folds import measure_names
from cender.bench.paper.celltypes import load_named_heads, match_with_paper, measure_cell_types, pose_by_labels
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.published import FEATURES
from cender.bench.speed.stages import measure_stages
from cender.config import Config
from cender.io.results.folder.fingerprints import hash_file, hash_values, hash_weights
from cender.pipeline.volumes.detector import build_detector
from cender.recognize.paper.params import choose_params
from cender.simulate import SimulateParams
from cender.training.paper.embedding import train_embedding

POINTS_FILE, HEADS_FILE = "nerve.npz", "wormnd.csv.gz"
POINTS_RATE_HZ = 6.0
PRESET: Literal["typical"] = "typical"
WITHIN = 30
# Animals of the lab whose heads the paper calls NeuroPAL Chaudhary.
CHAUDHARY = "HL"
OWN = ("C1", "C2", "C3")


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is measured: a look at every table, or all that the documents print."""

    repeats: int
    at_most: int | None
    animals: int
    volumes: int
    full: bool


QUICK = Scope(1, 40, 2, 1, full=False)
FULL = Scope(3, None, 8, 2, full=True)


def list_items(config: Config, data: Path | None, scope: Scope) -> list[Item]:
    """All that can be measured with this data, the quickest tables first."""
    items = [_time_stages(config), *_find_neurons(config, scope), _find_axes(scope), *_simulated(config, scope)]
    if data is not None:
        items += [*_count(data), *_nerve(config, scope, data), *_own(config, scope, data), *_cell_types(config, data)]
    if scope.full:
        items += _features(config, scope)
    if scope.full and data is not None and (data / HEADS_FILE).is_file():
        inputs = {**_inputs(config, simulated=False), "file": hash_file(data / HEADS_FILE)}
        inputs["settings"] = hash_values(config.train_namer.model_dump(mode="json", exclude={"threads"}))
        items.append(Item("cell types, default", partial(_name_cell_types, config, data / HEADS_FILE), inputs, 3000))
    return items


def _time_stages(config: Config) -> Item:
    return Item("stages", lambda: measure_stages(config.detect), _inputs(config, "dense", "orientation"), 20)


def _find_neurons(config: Config, scope: Scope) -> list[Item]:
    simulated = config.model_copy(update={"simulate": SimulateParams(preset=PRESET)})
    inputs = {**_inputs(simulated, "dense", "multi_field", "orientation"), "animals": scope.animals}
    inputs["volumes"] = scope.volumes

    def measure(method: str) -> Figures:
        detector = build_detector(choose_method(config.detect, method))
        return measure_detection(simulated, scope.animals, scope.volumes, {method: detector})

    return [
        Item(f"detection, {method}", partial(measure, method), {**inputs, "method": method}, about)
        for method, about in (("default", 15), ("paper", 40))
    ]


def _find_axes(scope: Scope) -> Item:
    seeds = range(9000, 9000 + scope.animals)
    inputs = {"version": cender.__version__, "seeds": list(seeds), "orientation": hash_weights(None, "orientation")}
    return Item("axes", lambda: measure_axes(PRESET, seeds, 10 * scope.volumes), inputs, 20)


def _simulated(config: Config, scope: Scope) -> list[Item]:
    """Both methods within a simulated animal (blocked) and across two, on true regions."""
    items = []
    for method in ("default", "paper"):
        for split in ("blocked", "animals"):
            plan = Plan(PRESET, (WITHIN,), (split,), (method,), repeats=scope.repeats, at_most=scope.at_most)
            items.append(_identity(f"{PRESET}, {split}, {method}", plan, config, 40))
    return items


def _nerve(config: Config, scope: Scope, data: Path) -> list[Item]:
    """Both methods on the points of a real recording, split as in the paper; then with a model of another animal."""
    points = data / POINTS_FILE
    if not points.is_file():
        return []
    items = []
    for method in ("paper", "default"):
        for train in (80, 130) if method == "paper" else (1, 80, 130) if scope.full else (1, 130):
            plan = Plan(
                str(points),
                (train,),
                ("random",),
                (method,),
                repeats=scope.repeats,
                rate_hz=POINTS_RATE_HZ,
                at_most=None if method == "paper" else scope.at_most,
            )
            items.append(_identity(f"NeRVE, {train}, {method}", plan, config, 60, points))
    for method in METHODS:
        inputs = {**_recognition_inputs(config, method, True), "file": hash_file(points), "test": scope.at_most}
        measure = partial(_across_simulated, config, method, points, scope)
        items.append(Item(f"NeRVE from {PRESET}, {method}", measure, {**inputs, "method": method}, 60))
    return items


def _own(config: Config, scope: Scope, data: Path) -> list[Item]:
    """The paper's own animals, where their truth folders are at hand."""
    there = [name for name in OWN if (data / name / "truth.toml").is_file()]
    items = []
    if "C1" in there:
        for method in ("paper", "default"):
            for train in (WITHIN, 130):
                plan = Plan(str(data / "C1"), (train,), ("random",), (method,), repeats=scope.repeats)
                items.append(_identity(f"C1, {train}, {method}", plan, config, 200))
        others = [data / name for name in there if name != "C1"]
        if others:
            for method in METHODS:
                measure = partial(_across_files, config, method, data / "C1", others)
                items.append(
                    Item(f"C2/C3 from C1, {method}", measure, {**_recognition_inputs(config, method, False)}, 200)
                )
    return items


def _cell_types(config: Config, data: Path) -> list[Item]:
    """The paper's template method with the model of NeRVE, on hand-named heads of every lab."""
    heads, points = data / HEADS_FILE, data / POINTS_FILE
    if not heads.is_file() or not points.is_file():
        return []
    inputs = {**_recognition_inputs(config, "paper", False), "files": [hash_file(heads), hash_file(points)]}
    return [Item("cell types, paper", partial(_match_cell_types, config, heads, points), inputs, 120)]


def _match_cell_types(config: Config, heads: Path, points: Path) -> Figures:
    truth = open_points(points, POINTS_RATE_HZ)
    labelled = [volume for volume, one in truth.annotations.items() if (one.identity >= 0).any()]
    chosen = split_volumes(labelled, {}, 130, "random", 0, 0).train
    annotated = [truth.annotations[volume] for volume in chosen]
    weights = train_embedding(annotated, choose_params(config.recognize.paper, annotated), 0)
    labs: dict[str, Any] = {}
    for lab, animals in load_named_heads(heads).items():
        posed, mirrored = pose_by_labels(animals)
        labs[lab] = {
            "points": measure_cell_types(animals, match_with_paper(weights, "points")),
            "labels": {**measure_cell_types(posed, match_with_paper(weights, "head")), "mirrored": mirrored},
        }
    means = {pose: fmean(one[pose]["accuracy"] for one in labs.values()) for pose in ("points", "labels")}
    return {"labs": labs, **means}


def _name_cell_types(config: Config, heads: Path) -> Figures:
    """Our names by position alone on animals of unseen groups, their handedness taken from the rest of their lab."""
    one = measure_names(heads, config, "groups")["conditions"]["position, handedness lab"]
    return {"all": one["top1"], "chaudhary": one["by_lab"][CHAUDHARY]["top1"], "seconds": one["seconds_per_animal"]}


def _count(data: Path) -> list[Item]:
    """How many volumes and neurons the data at hand has."""
    items = []
    points, heads = data / POINTS_FILE, data / HEADS_FILE
    if points.is_file():
        items.append(Item("count, NeRVE", partial(_count_points, points), {"file": hash_file(points)}, 2))
    if heads.is_file():
        items.append(Item("count, heads", partial(_count_heads, heads), {"file": hash_file(heads)}, 2))
    for name in OWN:
        if (data / name / "truth.toml").is_file():
            items.append(Item(f"count, {name}", partial(_count_points, data / name), {"name": name}, 2))
    return items


def _count_points(path: Path) -> Figures:
    volumes = open_points(path).annotations.values()
    named = fmean(int((one.identity >= 0).sum()) for one in volumes)
    return {"volumes": len(volumes), "labelled": named, "tracked": fmean(len(one) for one in volumes)}


def _count_heads(path: Path) -> Figures:
    def count(lab: Sequence[Any]) -> Figures:
        named = fmean(int((one.identity >= 0).sum()) for one in lab)
        return {"animals": len(lab), "labelled": named, "tracked": fmean(len(one) for one in lab)}

    return {lab: count(animals) for lab, animals in load_named_heads(path).items()}


def _features(config: Config, scope: Scope) -> list[Item]:
    items = []
    for kinds in FEATURES:
        for split in ("random", "animals"):
            plan = Plan(PRESET, (WITHIN,), (split,), ("paper",), repeats=scope.repeats, features=kinds)
            items.append(_identity(f"features, {' and '.join(kinds)}, {split}", plan, config, 60))
    return items


def _identity(key: str, plan: Plan, config: Config, about_s: int, file: Path | None = None) -> Item:
    inputs = {
        **_recognition_inputs(config, plan.methods[0], file is None),
        "train": list(plan.train),
        "repeats": plan.repeats,
        "test": plan.at_most,
        "features": None if plan.features is None else list(plan.features),
        "file": None if file is None else hash_file(file),
    }

    def measure() -> Figures:
        (one,) = run_plan(plan, config, open_cast(plan, config))
        return describe(one)

    return Item(key, measure, inputs, about_s * plan.repeats)


def _across_simulated(config: Config, method: Method, points: Path, scope: Scope) -> Figures:
    plan = Plan(PRESET, (WITHIN,), ("random",), (method,), repeats=1)
    (teacher,) = open_cast(plan, config).tested
    tested = make_subject(open_points(points, POINTS_RATE_HZ))
    learn = method, make_across_learner(method, config)
    return describe(measure_across([(teacher, tested)], learn, WITHIN, at_most=scope.at_most))


def _across_files(config: Config, method: Method, teacher: Path, tested: Sequence[Path]) -> Figures:
    pairs = [(make_subject(open_points(teacher)), make_subject(open_points(path))) for path in tested]
    return describe(measure_across(pairs, (method, make_across_learner(method, config)), 130))


def describe(one: Measurement) -> Figures:
    """The figures of a measurement that a table prints."""
    names = ("accuracy", "worst_5pct", "recall_at_95_strict", "calibration_error", "train_s", "ms_per_volume")
    tested = sum(len(repeat.split.test) for repeat in one.repeats)
    return {**{name: one.average(name) for name in names}, "test_volumes": tested, "trainings": len(one.repeats)}


def _inputs(config: Config, *models: str, simulated: bool = True) -> dict[str, Any]:
    """What figures depend on beside the data: version, simulated animals, shipped models."""
    preset = {"preset": config.simulate.hash} if simulated else {}
    return {"version": cender.__version__, **preset, "models": {name: hash_weights(None, name) for name in models}}


def _recognition_inputs(config: Config, method: str, simulated: bool) -> dict[str, Any]:
    """What the figures of a recognizer depend on: the paper's trains from nothing, ours begins with shipped weights."""
    if method == "default":
        return _inputs(config, "matcher", simulated=simulated)
    settings = hash_values(config.recognize.paper.model_dump(mode="json", exclude={"threads"}))
    return {**_inputs(config, simulated=simulated), "settings": settings}
