"""Rows of identities: both methods on simulated animals, on the real recording, and on the authors' own animals."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any

import cender
from cender.bench.identity.across import measure_across
from cender.bench.identity.carried import make_carrier, measure_carried
from cender.bench.identity.data import make_subject, number_animal, open_points, simulate_subject
from cender.bench.identity.heads import load_named_heads
from cender.bench.identity.measure import measure_identity_bench
from cender.bench.identity.methods import METHODS, Method, make_across_learner, make_learner
from cender.bench.identity.pairs import Pace
from cender.bench.identity.plan import OTHERS
from cender.bench.identity.subject import Subject
from cender.bench.paper.inputs import hash_settings, hash_truth
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.published import FEATURES
from cender.bench.paper.scope import OWN, PRESET, Scope
from cender.bench.paper.taught import Company, describe_measurement
from cender.config import Config
from cender.io.results.folder.fingerprints import hash_file, hash_values, hash_weights
from cender.recognize.foreign import TRUST


def list_simulated(company: Company, scope: Scope) -> list[Item]:
    """Ours within a simulated animal; with one annotated volume it is also what a template does."""
    items = []
    for train in (1, scope.train):
        inputs = {**describe_recognition(company.config, "default", simulated=True), "train": train}
        inputs |= {"repeats": scope.repeats, "test": scope.at_most}
        measure = partial(_learn_ours, company, "first", train, scope)
        items.append(Item(f"{PRESET}, {train}, default", measure, inputs, 25 * scope.repeats, "simulated, default"))
    return items


def list_carried(company: Company, scope: Scope) -> list[Item]:
    """Identities of a simulated animal carried to another of which nothing is annotated, as `run --template` does."""
    items = []
    for method in METHODS:
        inputs = {**describe_recognition(company.config, method, simulated=True), "train": scope.train}
        inputs |= {"pairs": scope.repeats, "test": scope.at_most, "trust": str(TRUST[method])}
        about_s = 32 * scope.repeats if method == "default" else 3 * scope.train * scope.repeats
        items.append(Item(f"carried, {method}", partial(_carry, company.config, method, scope), inputs, about_s))
    return items


def list_features(company: Company, scope: Scope) -> list[Item]:
    """The paper's method with every pair of features: within, across, and on real points and heads."""
    files = {"points": company.points, "heads": company.heads}
    items = []
    for kinds in FEATURES:
        inputs = {
            **describe_recognition(company.config, "paper", simulated=True),
            "train": scope.train,
            "test": scope.at_most,
            "features": list(kinds),
            "files": {name: None if path is None else hash_file(path) for name, path in files.items()},
        }
        measure = partial(company.measure_features, kinds, scope.train, scope.at_most)
        items.append(Item(f"features, {' and '.join(kinds)}", measure, inputs, 3 * scope.train, "features"))
    return items


def list_real(company: Company, scope: Scope) -> list[Item]:
    """Both methods on the points of a real recording, split at random as in the paper."""
    if company.points is None:
        return []
    items = []
    for method in METHODS:
        for train in (80, 130) if method == "paper" else (1, 80, 130):
            key = f"NeRVE, {train}, {method}"
            inputs = {
                **describe_recognition(company.config, method, simulated=False),
                "train": train,
                "repeats": scope.repeats if method == "default" else 1,
                "test": scope.at_most if method == "default" else None,
                "file": hash_file(company.points),
            }
            measure = (
                partial(company.measure_within, "real", train)
                if method == "paper"
                else partial(_learn_ours, company, "real", train, scope)
            )
            about_s = train if method == "paper" else 20 * scope.repeats
            items.append(Item(key, measure, inputs, about_s, key))
    return items


def list_own(company: Company, scope: Scope, data: Path) -> list[Item]:
    """The paper's own animals, where their truth folders are at hand."""
    there = [name for name in OWN if (data / name / "truth.toml").is_file()]
    if "C1" not in there:
        return []
    items = []
    for method in METHODS:
        inputs = {**describe_recognition(company.config, method, simulated=False), "repeats": scope.repeats}
        for train in (30, 130):
            measure = partial(_learn_file, company.config, method, data / "C1", train, scope)
            mine = {**inputs, "train": train, "files": hash_truth(data / "C1")}
            items.append(Item(f"C1, {train}, {method}", measure, mine, 200))
        others = [data / name for name in there if name != "C1"]
        pairs = [("C2/C3", "C1", [data / "C1"], others)]
        if company.points is not None:
            pairs += [("NeRVE", "C1", [data / "C1"], [company.points])]
            pairs += [("C1/C2/C3", "NeRVE", [company.points], [data / name for name in there])]
        for tested, teacher, teachers, files in pairs:
            if files:
                across = partial(_cross_files, company.config, method, teachers[0], files, scope)
                used = [_hash_points(path) for path in (*teachers, *files)]
                mine = {**inputs, "train": 130, "test": scope.at_most, "files": used}
                items.append(Item(f"{tested} from {teacher}, {method}", across, mine, 200))
    return items


def count_data(company: Company, data: Path) -> list[Item]:
    """How many volumes and neurons the data at hand has."""
    items = []
    if company.points is not None:
        inputs = {"file": hash_file(company.points)}
        items.append(Item("count, NeRVE", partial(_count_points, company.points), inputs, 2))
    if company.heads is not None:
        inputs = {"file": hash_file(company.heads)}
        items.append(Item("count, heads", partial(_count_heads, company.heads), inputs, 2))
    for name in OWN:
        if (data / name / "truth.toml").is_file():
            items.append(Item(f"count, {name}", partial(_count_points, data / name), hash_truth(data / name), 2))
    return items


def describe_recognition(config: Config, method: str, *, simulated: bool) -> dict[str, Any]:
    """What the figures of a recognizer depend on: the paper's trains from nothing, ours begins with shipped weights."""
    preset = {"preset": config.simulate.hash, "volumes": config.simulate.volumes} if simulated else {}
    found: dict[str, Any] = {"version": cender.__version__, **preset, "models": {}}
    if method == "default":
        stages = hash_settings(config, ("recognize", "train_recognizer"))
        return {**found, "models": {"matcher": hash_weights(None, "matcher")}, "stages": stages}
    return {**found, "settings": hash_values(config.recognize.paper.model_dump(mode="json", exclude={"threads"}))}


def _hash_points(path: Path) -> dict[str, str] | str:
    return hash_truth(path) if path.is_dir() else hash_file(path)


def _learn_ours(company: Company, which: str, train: int, scope: Scope) -> Figures:
    subjects: list[Subject] = [getattr(company, which)] * scope.repeats
    learner = "default", make_learner("default", company.config)
    done = measure_identity_bench(subjects, learner, train, "random", at_most=scope.at_most, clock=process_time)
    return describe_measurement(done)


def _carry(config: Config, method: Method, scope: Scope) -> Figures:
    pairs = [
        (simulate_subject(number_animal(config, number)), simulate_subject(number_animal(config, OTHERS + number)))
        for number in range(scope.repeats)
    ]
    carrier = method, make_carrier(method, config)
    pace = Pace(at_most=scope.at_most, clock=process_time)
    return describe_measurement(measure_carried(pairs, carrier, scope.train, pace))


def _learn_file(config: Config, method: Method, path: Path, train: int, scope: Scope) -> Figures:
    learner = method, make_learner(method, config)
    subjects = [make_subject(open_points(path))] * scope.repeats
    return describe_measurement(measure_identity_bench(subjects, learner, train, "random", clock=process_time))


def _cross_files(config: Config, method: Method, teacher: Path, tested: Sequence[Path], scope: Scope) -> Figures:
    pairs = [(make_subject(open_points(teacher)), make_subject(open_points(path))) for path in tested]
    learner = method, make_across_learner(method, config)
    done = measure_across(pairs, learner, 130, Pace(at_most=scope.at_most, clock=process_time))
    return describe_measurement(done)


def _count_points(path: Path) -> Figures:
    volumes = open_points(path).annotations.values()
    named = fmean(int((one.identity >= 0).sum()) for one in volumes)
    return {"volumes": len(volumes), "labelled": named, "tracked": fmean(len(one) for one in volumes)}


def _count_heads(path: Path) -> Figures:
    def count(lab: Sequence[Any]) -> Figures:
        named = fmean(int((one.identity >= 0).sum()) for one in lab)
        return {"animals": len(lab), "labelled": named, "tracked": fmean(len(one) for one in lab)}

    return {lab: count(animals) for lab, animals in load_named_heads(path).items()}
