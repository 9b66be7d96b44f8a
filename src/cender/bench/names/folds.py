"""A whole benchmark of names: folds trained, kept, scored and put together."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from cender.bench.names.measure import Fold, make_folds, map_handedness, measure_fold, summarize
from cender.bench.names.pictures import save_pictures
from cender.config import Config
from cender.errors import DataError
from cender.io import load_weights, save_weights, shipped_weights
from cender.io.cells import load_cells
from cender.training.namer.train import KIND, build_naming_model, train_namer
from cender.types import Weights

OnProgress = Callable[[str, int, int], None]


def measure_names(
    path: Path,
    config: Config,
    split: str,
    *,
    shipped: bool = False,
    models: Path | None = None,
    figures: Path | None = None,
    on_progress: OnProgress = lambda words, done, total: None,
) -> dict[str, Any]:
    """Figures of every condition over all folds, and the rows behind them; pictures go into the folder ``figures``."""
    animals = [one for one in load_cells([path]) if any(one.name)]
    if not animals:
        raise DataError(f"{path}: expected animals with names, found none")
    everything = Fold("shipped weights", tuple(animals), tuple(animals))
    folds = [everything] if shipped else make_folds(animals, split)
    rows: list[dict[str, Any]] = []
    for fold in folds:
        weights = shipped_weights("namer", KIND) if shipped else _train_fold(fold, config, models, on_progress)
        model = build_naming_model(weights)
        own, labs = map_handedness(fold, model)
        done = 0

        def count(fold: Fold = fold) -> None:
            nonlocal done
            done += 1
            on_progress(f"{fold.name}: naming", done, len(fold.tested))

        rows += measure_fold(fold, model, own, labs, count)
    pictures = save_pictures(rows, model.atlas, path, figures) if figures else []
    return {
        "split": "shipped weights, animals that may have taught them" if shipped else f"unseen animals, by {split}",
        "animals": sorted({row["animal"] for row in rows}),
        "conditions": summarize(rows),
        "pictures": [str(one) for one in pictures],
        "rows": [{key: row[key] for key in ("fold", "animal", "lab", "looks", "side", "top1", "top5")} for row in rows],
    }


def read_published(path: Path, animals: Sequence[str]) -> dict[str, float]:
    """Mean accuracy of other methods over these animals, from a table with one row per animal."""
    table = pl.read_csv(path).filter(pl.col("Worm").cast(pl.String).is_in(list(animals)))
    methods = [name for name in table.columns if name not in {"Worm", "Dataset"}]
    means = {name: table[name].cast(pl.Float64, strict=False).mean() for name in methods}
    return {name: float(value) for name, value in means.items() if isinstance(value, int | float)}


def _train_fold(fold: Fold, config: Config, models: Path | None, on_progress: OnProgress) -> Weights:
    kept = models / f"{fold.name.replace(' ', '_')}.safetensors" if models else None
    if kept is not None and kept.is_file():
        return load_weights(kept, KIND)

    def on_step(step: int, steps: int, loss: float) -> None:
        on_progress(f"{fold.name}: training, loss {loss:.2f}", step, steps)

    weights = train_namer(fold.taught, config.train_namer, 0, on_step)
    if kept is not None:
        save_weights(weights, kept)
    return weights
