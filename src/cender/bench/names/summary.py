"""Figures over animals from the rows of single ones, and those that others published on the same animals."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cender.bench.names.measure import in_condition

BINS = 15
"""Groups of equally many names, by probability, over which the calibration error is taken."""


def summarize(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means over animals, by condition and laboratory, with calibration and seconds per animal.

    ``known`` is the share of the names that the namer knows, the most that can be right: it has not met some of them,
    such as those that people doubted themselves (``AVK?``).
    """
    result: dict[str, Any] = {}
    for condition in dict.fromkeys(row["condition"] for row in rows):
        chosen = in_condition(rows, condition)
        labs = {
            lab: {
                "top1": _mean(chosen, "top1", lab),
                "top5": _mean(chosen, "top5", lab),
                "animals": sum(row["lab"] == lab for row in chosen),
            }
            for lab in sorted({row["lab"] for row in chosen})
        }
        result[condition] = {
            "top1": _mean(chosen, "top1"),
            "top5": _mean(chosen, "top5"),
            "known": _mean(chosen, "known"),
            "top1_mean_of_labs": float(np.mean([one["top1"] for one in labs.values()])),
            "by_lab": labs,
            "handedness_right": _mean(chosen, "side_right"),
            "calibration_error": measure_calibration(
                np.concatenate([row["probability"] for row in chosen]), np.concatenate([row["right"] for row in chosen])
            ),
            "seconds_per_animal": float(np.median([row["seconds"] for row in chosen])),
            "animals": len(chosen),
        }
    return result


def measure_calibration(probability: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error over 15 bins of equal count; 0 where no name was given."""
    if not len(probability):
        return 0.0
    order = np.argsort(probability, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    gaps = [abs(float(probability[part].mean() - right[part].mean())) * len(part) for part in parts]
    return float(sum(gaps) / len(probability))


def read_published(path: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Top-1 of other methods by laboratory and animal, from a table with one row per animal."""
    table = pl.read_csv(path)
    methods = [name for name in table.columns if name not in {"Worm", "Dataset"}]
    numbers = table.with_columns(pl.col(methods).cast(pl.Float64, strict=False))
    return {
        (str(row["Dataset"]), str(row["Worm"])): {name: row[name] for name in methods if row[name] is not None}
        for row in numbers.iter_rows(named=True)
    }


def compare_published(
    rows: Sequence[Mapping[str, Any]], published: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    """Means of other methods over the animals of these rows that they have figures for, and ours on the same ones."""
    same = [row for row in rows if (row["lab"], row["animal"]) in published]
    animals = list(dict.fromkeys((row["lab"], row["animal"]) for row in same))
    methods: dict[str, Any] = {}
    for method in dict.fromkeys(name for one in animals for name in published[one]):
        found = [{"lab": one[0], "top1": published[one][method]} for one in animals if method in published[one]]
        methods[method] = _by_lab(found)
    ours = {
        condition: _by_lab(in_condition(same, condition))
        for condition in dict.fromkeys(row["condition"] for row in same)
    }
    return {"animals": len(animals), "methods": methods, "ours": ours}


def _by_lab(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    labs = sorted({row["lab"] for row in rows})
    return {"top1": _mean(rows, "top1"), "by_lab": {lab: _mean(rows, "top1", lab) for lab in labs}}


def _mean(rows: Sequence[Mapping[str, Any]], key: str, lab: str | None = None) -> float:
    return float(np.mean([row[key] for row in rows if lab is None or row["lab"] == lab]))
