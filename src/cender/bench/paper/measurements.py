"""What the paper's tables need measured: one item for each row of ours, quick or as the documents print it.

All times are those of a process's own cores (`time.process_time`): other work on the machine does not count.
"""

from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import cender
from cender.bench.detection.axes import measure_axes
from cender.bench.paper.cell_rows import list_cell_types
from cender.bench.paper.detection_rows import STAGES, list_detection, list_pictured
from cender.bench.paper.identity_rows import (
    count_data,
    list_carried,
    list_features,
    list_own,
    list_real,
    list_simulated,
)
from cender.bench.paper.inputs import hash_settings
from cender.bench.paper.items import Item, refuse_data
from cender.bench.paper.scope import HEADS_FILE, OWN, POINTS_FILE, PRESET, Scope
from cender.bench.paper.taught import Company
from cender.bench.speed.stages import measure_stages
from cender.config import Config
from cender.io.results.folder.fingerprints import hash_weights


def list_items(config: Config, data: Path | None, scope: Scope) -> list[Item]:
    """All that can be measured with this data, the quickest tables first."""
    own = None if data is None or not (data / OWN[0] / "truth.toml").is_file() else data / OWN[0]
    company = Company(config, _find(data, POINTS_FILE), _find(data, HEADS_FILE), own)
    items = [_time_stages(config), *list_detection(config, scope), _find_axes(config, scope)]
    items += [*list_simulated(company, scope), *list_carried(company, scope), *list_features(company, scope)]
    if data is not None:
        items += [*count_data(company, data), *list_real(company, scope)]
        items += [*list_cell_types(company, scope), *list_own(company, scope, data)]
        items += list_pictured(config, scope, data)
    # A folder may hold a part of the authors' data only, which ends none of the other rows.
    return [refuse_data(item) for item in items]


def _find(data: Path | None, name: str) -> Path | None:
    return data / name if data is not None and (data / name).is_file() else None


def _time_stages(config: Config) -> Item:
    inputs = {**_inputs(config, "dense", "orientation", "examiner"), "stages": hash_settings(config, STAGES)}
    return Item("stages", lambda: measure_stages(config.detect, 3, process_time), inputs, 3)


def _find_axes(config: Config, scope: Scope) -> Item:
    seeds = range(9000, 9000 + scope.animals)
    inputs: dict[str, Any] = {"version": cender.__version__, "seeds": list(seeds)}
    inputs |= {"stages": hash_settings(config, ["preprocess"]), "orientation": hash_weights(None, "orientation")}
    measure = partial(measure_axes, PRESET, seeds, 10 * scope.volumes, clock=process_time)
    return Item("axes", measure, inputs, 3 * scope.animals)


def _inputs(config: Config, *models: str) -> dict[str, Any]:
    """What figures of images depend on: version, simulated animals, shipped models."""
    return {
        "version": cender.__version__,
        "preset": config.simulate.hash,
        "models": {name: hash_weights(None, name) for name in models},
    }
