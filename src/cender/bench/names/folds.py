"""A whole benchmark of names: folds trained, scored, kept one by one and put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import cender
from cender.bench.names.heads import NamedHead, find_twin, load_named_heads, measure_head
from cender.bench.names.measure import Fold, make_folds, measure_fold
from cender.bench.names.moving import measure_moving
from cender.bench.names.partial import measure_partial
from cender.bench.names.pictures import save_pictures
from cender.bench.names.summary import compare_published, read_published, summarize
from cender.bench.paper.items import Item, measure_items
from cender.config import Config
from cender.errors import DataError
from cender.io import load_weights, save_weights, shipped_weights
from cender.io.cells import load_cells
from cender.io.results.folder.fingerprints import hash_file, hash_values, hash_weights
from cender.training.namer.pack import EDITION, KIND, build_naming_model
from cender.training.namer.train import train_namer
from cender.types import Cells, Weights

OnProgress = Callable[[str, int, int], None]
Centres = Literal["annotated", "detected", "moving", "partial"]
CENTRES: tuple[Centres, ...] = ("annotated", "detected", "moving", "partial")
"""Which centres of neurons are named: those that people marked, those that the detector finds, those of a moving head,
or those of a part of a head."""
MEASURES = {"annotated": measure_fold, "moving": measure_moving, "partial": measure_partial}
"""What measures a fold, by centres."""
PUBLISHED = "wormnd_published_accuracy.csv"
"""Accuracy of other methods by animal, looked for beside the animals."""
ROWS = "2"
"""Rises when rows of finished folds hold something else than before."""
KEPT = ("fold", "animal", "lab", "condition", "top1", "top5")
"""Columns of the rows that are kept, one per animal."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What is measured, with which settings, and where finished pieces are kept."""

    animals: tuple[Cells, ...]
    config: Config
    inputs: dict[str, Any]
    shipped: bool
    keep: Path | None
    on_progress: OnProgress


def measure_names(
    path: Path,
    config: Config,
    split: str,
    *,
    centres: Centres = "annotated",
    shipped: bool = False,
    keep: Path | None = None,
    figures: Path | None = None,
    on_progress: OnProgress = lambda words, done, total: None,
) -> dict[str, Any]:
    """Figures of every condition over all folds, and the rows behind them; pictures go into the folder ``figures``.

    Parameters
    ----------
    centres
        ``annotated``: marked by people; ``detected``: found in the heads that lie beside the animals; ``moving``:
        annotated ones as a simulated recording would show them; ``partial``: those of the front or the back of a head.
    keep
        Folder for trained namers and finished folds, which are taken from there when the same is asked again.
    """
    animals = tuple(one for one in load_cells([path]) if any(one.name))
    if not animals:
        raise DataError(f"{path}: expected animals with names, found none")
    learnt = hash_weights(None, "namer") if shipped else _hash_settings(config)
    inputs = {"file": hash_file(path), "namer": learnt, "edition": EDITION, "version": cender.__version__}
    bench = Bench(animals, config, inputs, shipped, keep, on_progress)
    everything = Fold("shipped weights", animals, animals)
    folds = [everything] if shipped else make_folds(animals, split)
    items = _list_heads(bench, folds, path.parent) if centres == "detected" else _list_folds(bench, folds, centres)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    found = measure_items(items, keep / "names.jsonl" if keep else None, {"version": cender.__version__})
    rows = [row for item in items for row in found[item.key].figures["rows"]]
    published = read_published(path.parent / PUBLISHED) if (path.parent / PUBLISHED).is_file() else {}
    return {
        "split": _describe(split, shipped),
        "centres": centres,
        "animals": list(dict.fromkeys(row["animal"] for row in rows)),
        "conditions": summarize(rows),
        "published": compare_published(rows, published),
        "pictures": [str(one) for one in save_pictures(rows, animals, published, path, figures)] if figures else [],
        "rows": [
            {key: row[key] for key in KEPT} | {"published": published.get((row["lab"], row["animal"]), {})}
            for row in rows
        ],
    }


def _describe(split: str, shipped: bool) -> str:
    if shipped:
        return "shipped weights, which learnt from these animals where they are of the public table: not a test"
    return f"unseen animals, by {split}"


def _hash_settings(config: Config) -> str:
    return hash_values(config.train_namer.model_dump(mode="json", exclude={"threads"}))


def _list_folds(bench: Bench, folds: Sequence[Fold], centres: Centres) -> list[Item]:
    def run(fold: Fold) -> dict[str, Any]:
        model = build_naming_model(_get_weights(fold, bench))
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            bench.on_progress(f"{fold.name}: naming", done, len(fold.tested))

        return {"rows": MEASURES[centres](fold, model, count)}

    inputs = {**bench.inputs, "rows": ROWS}
    return [Item(f"{centres}, {fold.name}", partial(run, fold), inputs, 300) for fold in folds]


def _list_heads(bench: Bench, folds: Sequence[Fold], folder: Path) -> list[Item]:
    def run(head: NamedHead, fold: Fold, lab: str) -> dict[str, Any]:
        bench.on_progress(head.marked.animal, 0, 1)
        return {"rows": measure_head(head, build_naming_model(_get_weights(fold, bench)), bench.config, lab)}

    items, inputs = [], {**bench.inputs, "rows": ROWS}
    for head in load_named_heads(folder):
        twin = find_twin(head, bench.animals)
        fold = folds[0] if twin is None else next((one for one in folds if _holds(one.tested, twin)), None)
        if fold is not None:
            lab = twin.lab if twin else "not in the table"
            items.append(
                Item(f"detected, {head.marked.animal}, {fold.name}", partial(run, head, fold, lab), inputs, 60)
            )
    if not items:
        raise DataError(f"{folder}: no head of this folder is among the animals tested; give --split groups")
    return items


def _holds(animals: Sequence[Cells], wanted: Cells) -> bool:
    return any(one is wanted for one in animals)


def _get_weights(fold: Fold, bench: Bench) -> Weights:
    """The fold's namer: shipped, kept from an earlier time with the same inputs, or trained now and kept at once."""
    if bench.shipped:
        return shipped_weights("namer", KIND)
    kept = bench.keep / f"{fold.name.replace(' ', '_')}.safetensors" if bench.keep else None
    made_of = hash_values({**bench.inputs, "fold": fold.name})
    if kept is not None and kept.is_file():
        weights = load_weights(kept, KIND)
        if weights.metadata.get("made_of") == made_of:
            return weights

    def on_step(step: int, steps: int, loss: float) -> None:
        bench.on_progress(f"{fold.name}: training, loss {loss:.2f}", step, steps)

    weights = train_namer(fold.taught, bench.config.train_namer, 0, on_step)
    if kept is not None:
        save_weights(replace(weights, metadata={**weights.metadata, "made_of": made_of}), kept)
    return weights
