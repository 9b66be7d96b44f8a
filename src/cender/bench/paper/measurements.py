"""What the paper's tables need measured: one item for each row of ours, quick or as the documents print it.

All times are those of a process's own cores (`time.process_time`): other work on the machine does not count.
"""

from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import cender
from cender.bench.detection.axes import measure_axes
from cender.bench.detection.measure import choose_method, measure_detection
from cender.bench.paper.cell_rows import list_cell_types
from cender.bench.paper.identity_rows import count_data, list_features, list_own, list_real, list_simulated
from cender.bench.paper.inputs import hash_settings
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.scope import HEADS_FILE, OWN, OWN_STAGE_1, PAIR, POINTS_FILE, PRESET, Scope
from cender.bench.paper.taught import Company
from cender.bench.speed.stages import measure_stages
from cender.config import Config
from cender.detect.params import DetectParams
from cender.io.results.folder.fingerprints import hash_weights
from cender.io.weights import load_weights, shipped_weights
from cender.nets.multi_field import KIND as MULTI_FIELD
from cender.nets.scoring import KIND as DENSE
from cender.pipeline.volumes.detector import build_detector
from cender.simulate import SimulateParams

# Stages between a volume and its neurons.
STAGES = ("preprocess", "detect", "merge")
# Method, shipped weights and seconds of two volumes of both detectors.
DETECTORS = (("default", "dense", 3), ("paper", "multi_field", 24))

TRAINED = {
    "default": ("dense", DENSE, "`cender train detector --from-scratch`"),
    "paper": ("multi_field", MULTI_FIELD, "`cender bench baseline`"),
}
"""By method: the shipped weights, their file, and the command that trained them."""


def list_items(config: Config, data: Path | None, scope: Scope) -> list[Item]:
    """All that can be measured with this data, the quickest tables first."""
    own = None if data is None or not (data / OWN[0] / "truth.toml").is_file() else data / OWN[0]
    company = Company(config, _find(data, POINTS_FILE), _find(data, HEADS_FILE), own)
    items = [_time_stages(config), *_find_neurons(config, scope), _find_axes(config, scope)]
    items += [*list_simulated(company, scope), *list_features(company, scope)]
    if data is not None:
        items += [*count_data(company, data), *list_real(company, scope)]
        items += [*list_cell_types(company, scope), *list_own(company, scope, data)]
    return items


def _find(data: Path | None, name: str) -> Path | None:
    return data / name if data is not None and (data / name).is_file() else None


def _time_stages(config: Config) -> Item:
    inputs = {**_inputs(config, "dense", "orientation"), "stages": hash_settings(config, STAGES)}
    return Item("stages", lambda: measure_stages(config.detect, 3, process_time), inputs, 6)


def _find_neurons(config: Config, scope: Scope) -> list[Item]:
    """Both detectors in the heads that our stage 1 finds, and the paper's in those of its own."""
    simulated = config.model_copy(update={"simulate": SimulateParams(preset=PRESET)})
    own = simulated.model_copy(update={"preprocess": config.preprocess.model_copy(update={"method": "paper"})})
    ours, paper = DETECTORS
    return [
        _find_with(simulated, scope, ours),
        _find_with(simulated, scope, paper),
        _find_with(own, scope, paper, OWN_STAGE_1),
    ]


def _find_with(config: Config, scope: Scope, detector: tuple[str, str, int], words: str = "") -> Item:
    """One detector; the settings may give the paper's other anchors, with weights that learnt them."""
    method, model, about_s = detector
    chosen = choose_method(config.detect, method)
    inputs = {**_inputs(config, "orientation"), "animals": scope.animals, "volumes": scope.volumes}
    pair = method == "paper" and chosen.multi_field.anchors_px == (7, 11)
    # Shipped weights know anchors of 9 pixels only.
    weights = {model: hash_weights(chosen.weights, model)}
    inputs |= {"weights": weights} if pair else {"models": inputs["models"] | weights}
    inputs |= {"stages": hash_settings(config, STAGES), "method": method}
    measure = partial(_detect, config, scope, method, chosen)
    key = f"detection, {method}" + (PAIR if pair else "") + words
    return Item(key, measure, inputs, about_s * scope.animals * scope.volumes // 2)


def _detect(config: Config, scope: Scope, method: str, params: DetectParams) -> Figures:
    detectors = {method: build_detector(params)}
    found = measure_detection(config, scope.animals, scope.volumes, detectors, clock=process_time)
    return {**found, "training": describe_training(method, params.weights)}


def describe_training(method: str, weights: str | None) -> str:
    """How long a detector was trained, in CPU time; where its weights do not say, what trains it."""
    name, kind, command = TRAINED[method]
    metadata = (shipped_weights(name, kind) if weights is None else load_weights(Path(weights), kind)).metadata
    return f"{float(metadata['train_s']) / 60:.1f} min" if "train_s" in metadata else command


def _find_axes(config: Config, scope: Scope) -> Item:
    seeds = range(9000, 9000 + scope.animals)
    inputs: dict[str, Any] = {"version": cender.__version__, "seeds": list(seeds)}
    inputs |= {"stages": hash_settings(config, ["preprocess"]), "orientation": hash_weights(None, "orientation")}
    measure = partial(measure_axes, PRESET, seeds, 10 * scope.volumes, clock=process_time)
    return Item("axes", measure, inputs, 6 * scope.animals)


def _inputs(config: Config, *models: str) -> dict[str, Any]:
    """What figures of images depend on: version, simulated animals, shipped models."""
    return {
        "version": cender.__version__,
        "preset": config.simulate.hash,
        "models": {name: hash_weights(None, name) for name in models},
    }
