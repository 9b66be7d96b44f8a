"""Rows of cell names by position: our namer on animals of groups that it has not seen."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any

import cender
from cender.bench.names.measure import in_condition, make_folds, measure_fold
from cender.bench.paper.inputs import hash_settings
from cender.bench.paper.items import Figures, Item
from cender.bench.paper.scope import CHAUDHARY, Scope
from cender.bench.paper.table import Found, get_figures
from cender.bench.paper.taught import Company
from cender.io.cells import load_cells
from cender.io.results.folder.fingerprints import hash_file
from cender.training.namer.pack import EDITION, build_naming_model
from cender.training.namer.train import train_namer
from cender.training.params import TrainNamerParams

GROUPS = ("0", "1", "2", "3")
"""Published groups of the named heads: each is named by what learnt from the others."""
CONDITION = "position, handedness lab"
"""Colours are not looked at, and the handedness of a head is that of the other heads of its lab."""
LOOK, LOOK_STEPS = "names, a look", 500
"""Key of the row of a quick look, at the first group only, and the steps of its training."""


def list_names(company: Company, scope: Scope) -> list[Item]:
    """One item for each group; in a quick look one group and a short training."""
    heads, params = company.heads, company.config.train_namer
    if heads is None:
        return []
    inputs: dict[str, Any] = {"version": cender.__version__, "edition": EDITION, "heads": hash_file(heads)}
    inputs["stages"] = hash_settings(company.config, ["train_namer"])
    if not scope.full:
        brief = params.model_copy(update={"steps": min(LOOK_STEPS, params.steps)})
        return [Item(LOOK, partial(_name_group, heads, brief, GROUPS[0]), {**inputs, "steps": brief.steps}, 70)]
    about_s = round(params.steps / 9) + 15
    return [
        Item(f"names, group {group}", partial(_name_group, heads, params, group), {**inputs, "group": group}, about_s)
        for group in GROUPS
    ]


def gather_names(found: Found) -> Figures:
    """Top-1 over all animals and those of one lab, training and naming in seconds; empty before all is measured.

    ``steps`` is that of a quick look, None where every group was named.
    """
    groups = [get_figures(found, f"names, group {group}") for group in GROUPS]
    whole, look = all(groups), get_figures(found, LOOK)
    if not whole and not look:
        return {}
    parts = groups if whole else [look]
    animals = [animal for part in parts for animal in part["animals"]]
    mine = [animal for animal in animals if animal["lab"] == CHAUDHARY]
    return {
        "all": fmean(one["top1"] for one in animals),
        "chaudhary": fmean(one["top1"] for one in mine) if mine else None,
        "train_s": fmean(part["train_s"] for part in parts),
        "seconds": median(one["seconds"] for one in animals),
        "steps": None if whole else look["steps"],
    }


def _name_group(heads: Path, params: TrainNamerParams, group: str) -> Figures:
    animals = [one for one in load_cells([heads]) if any(one.name)]
    (fold,) = make_folds(animals, group)
    start = process_time()
    weights = train_namer(fold.taught, params)
    spent = process_time() - start
    rows: Sequence[Any] = in_condition(measure_fold(fold, build_naming_model(weights), looks=("position",)), CONDITION)
    kept = ("animal", "lab", "top1", "top5", "seconds")
    return {"animals": [{key: row[key] for key in kept} for row in rows], "train_s": spent, "steps": params.steps}
