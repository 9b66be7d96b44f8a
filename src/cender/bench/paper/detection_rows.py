"""Rows of detection and merging: both detectors on simulated animals, and on the authors' own images."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from time import process_time
from typing import Any

import cender
from cender.bench.detection.drawn import make_drawn_task
from cender.bench.detection.measure import choose_method, make_tasks, measure_detection, measure_volumes
from cender.bench.identity.split import thin_volumes
from cender.bench.paper.inputs import hash_settings, hash_truth
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.scope import DRAWN, OWN_GROUPS, OWN_STAGE_1, PAIR, PRESET, Scope
from cender.config import Config
from cender.detect.params import DetectParams
from cender.io import load_truth
from cender.io.exchange.authors.images import Picture, find_pictures, load_pictures
from cender.io.results.folder.fingerprints import hash_weights
from cender.io.weights import load_weights, shipped_weights
from cender.nets.multi_field import KIND as MULTI_FIELD
from cender.nets.scoring import KIND as DENSE
from cender.nets.scoring import name_arithmetic
from cender.pipeline.volumes.detector import build_detector
from cender.simulate import SimulateParams
from cender.types import Annotation, Volume, Weights

# Stages between a volume and its neurons.
STAGES = ("preprocess", "detect", "merge")
# Method, shipped weights and seconds of two volumes of both detectors.
DETECTORS = (("default", "dense", 2), ("paper", "multi_field", 8))
# Shipped weights of both detectors, and how long their training took where the weights do not record it.
TRAINED = {
    "default": (
        "dense",
        DENSE,
        "about 1 h 45 min; not recorded, about half an hour each on one core: `cender train detector --from-scratch`, "
        "then twice `cender train detector` with more channels and steps, then its examiner (detection.md)",
    ),
    "paper": ("multi_field", MULTI_FIELD, "not recorded; `cender bench baseline`"),
}
Pictures = Mapping[str, list[Picture]]


@dataclass(frozen=True, slots=True)
class Way:
    """A detector with its settings, and whose heads it looks into (``words``; those of our stage 1 without any)."""

    method: str
    model: str
    pair_s: int
    config: Config
    words: str = ""

    @property
    def params(self) -> DetectParams:
        """Settings of the detector; they may give the paper's other anchors, with weights that learnt them."""
        return choose_method(self.config.detect, self.method)

    @property
    def pair(self) -> bool:
        """Whether it is the paper's with its other anchors."""
        return self.method == "paper" and self.params.multi_field.anchors_px == (7, 11)

    @property
    def name(self) -> str:
        """End of the key of its rows."""
        return f"{self.method}{PAIR if self.pair else ''}{self.words}"

    def describe(self) -> dict[str, Any]:
        """All that its figures depend on beside the volumes."""
        # Shipped weights know anchors of 9 pixels only.
        weights = {self.model: hash_weights(self.params.weights, self.model)}
        beside = ("orientation", "examiner") if self.method == "default" else ("orientation",)
        models = {name: hash_weights(None, name) for name in beside}
        given: dict[str, Any] = {"models": models, "weights": weights} if self.pair else {"models": models | weights}
        if self.method == "default":
            # Its network is int8, which CPUs do not all add up alike.
            given["arithmetic"] = name_arithmetic(self._load_weights(), self.params.device, self.params.precision)
        return {
            "version": cender.__version__,
            **given,
            "stages": hash_settings(self.config, STAGES),
            "method": self.method,
        }

    def _load_weights(self) -> Weights:
        path = self.params.weights
        return shipped_weights(self.model, DENSE) if path is None else load_weights(Path(path), DENSE)


def list_detection(config: Config, scope: Scope) -> list[Item]:
    """Both detectors on simulated animals, in the heads that our stage 1 finds, and the paper's in those of its own."""
    simulated = config.model_copy(update={"simulate": SimulateParams(preset=PRESET)})
    items = []
    for way in _list_ways(simulated):
        inputs = {**way.describe(), "preset": simulated.simulate.hash}
        inputs |= {"animals": scope.animals, "volumes": scope.volumes}
        about_s = way.pair_s * scope.animals * scope.volumes // 2
        items.append(Item(f"detection, {way.name}", partial(_detect_simulated, way, scope), inputs, about_s))
    return items


def list_pictured(config: Config, scope: Scope, data: Path) -> list[Item]:
    """The same on the authors' images, where they lie beside their labels; in proofread heads, too, where drawn.

    Nothing of cender has learnt from these images, so all labelled volumes may be tested.
    """
    pictures = {name: found for name, found in find_pictures(data).items() if (data / name / "truth.toml").is_file()}
    items = []
    for group, animals in OWN_GROUPS.items():
        there = {name: pictures[name] for name in animals if name in pictures}
        drawn = {name: found for name, found in there.items() if _has_heads(data / name)}
        ways = [(way, there) for way in _list_ways(config) if there]
        ways += [(Way(*detector, config, DRAWN), drawn) for detector in DETECTORS if drawn]
        for way, shown in ways:
            inputs = {**way.describe(), "at_most": scope.pictured, "files": _describe_files(data, shown)}
            measure = partial(_detect_pictured, way, data, shown, scope.pictured)
            count = sum(len(found) for found in shown.values())
            about_s = way.pair_s * min(scope.pictured or count, count) // 2
            items.append(Item(f"detection, {group}, {way.name}", measure, inputs, about_s))
    return items


def describe_training(method: str, weights: str | None) -> str:
    """How long a detector was trained, in CPU time; of shipped weights that do not record it, what is known."""
    name, kind, known = TRAINED[method]
    metadata = (shipped_weights(name, kind) if weights is None else load_weights(Path(weights), kind)).metadata
    if "train_s" in metadata:
        return f"{float(metadata['train_s']) / 60:.1f} min"
    return known if weights is None else "not recorded"


def _list_ways(config: Config) -> list[Way]:
    own = config.model_copy(update={"preprocess": config.preprocess.model_copy(update={"method": "paper"})})
    return [*(Way(*detector, config) for detector in DETECTORS), Way(*DETECTORS[1], own, OWN_STAGE_1)]


def _detect_simulated(way: Way, scope: Scope) -> Figures:
    detectors = {way.method: build_detector(way.params)}
    found = measure_detection(way.config, scope.animals, scope.volumes, detectors, clock=process_time)
    return {**found, "training": describe_training(way.method, way.params.weights)}


def _detect_pictured(way: Way, data: Path, pictures: Pictures, at_most: int | None) -> Figures:
    detector = build_detector(way.params)
    tasks = make_tasks({way.method: detector}, way.config, process_time)
    if way.words == DRAWN:
        merge = way.config.merge.model_copy(update={"method": way.method})
        tasks = [make_drawn_task(way.method, detector, merge, process_time)]
    share = None if at_most is None else max(at_most // len(pictures), 1)
    known = chain.from_iterable(
        _read_animal(data / name, found, share, drawn=way.words == DRAWN) for name, found in pictures.items()
    )
    found = measure_volumes(known, tasks)
    return {**found, "training": describe_training(way.method, way.params.weights)}


def _read_animal(
    folder: Path, pictures: list[Picture], at_most: int | None, *, drawn: bool
) -> Iterator[tuple[Volume, Annotation]]:
    """Labelled volumes of an animal, spread over its recording; of these only those with a drawn head, if asked for."""
    truth = load_truth(folder).annotations
    labelled = {
        one.number: one
        for one in pictures
        if one.number in truth and len(truth[one.number]) and not (drawn and truth[one.number].head is None)
    }
    yield from load_pictures([labelled[number] for number in thin_volumes(sorted(labelled), at_most)], truth)


def _describe_files(data: Path, pictures: Pictures) -> dict[str, Any]:
    """Labels by their content; images, which are large, by their names and sizes."""
    images = sorted({one.path for found in pictures.values() for one in found})
    return {
        "labels": {key: value for name in pictures for key, value in hash_truth(data / name).items()},
        "images": {path.name: path.stat().st_size for path in images},
    }


def _has_heads(folder: Path) -> bool:
    return any((folder / f"heads{suffix}").is_file() for suffix in (".csv", ".parquet"))
