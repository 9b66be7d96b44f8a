"""Outcomes of the per-volume stages as the tables of a run folder."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from cender.errors import ShapeMismatch
from cender.io.results.folder.run_folder import RunFolder
from cender.io.results.tables.heads import head_to_cells
from cender.io.results.tables.schemas import RUN_TABLES
from cender.types import Identities, Outcome, VoxelSize

_TABLES = ("timings", "regions", "neurons", "volumes")


def save_outcomes(
    run: RunFolder, outcomes: Iterable[Outcome], voxel_um: VoxelSize, known: Mapping[int, Identities] | None = None
) -> None:
    """Write volumes, regions, neurons and timings of a few outcomes, in the order of their volumes.

    ``known`` are identities by volume; neurons of other volumes have none. All rows are in memory; a run streams them
    through parts instead. ``volumes`` is put in place last, so that a volume it lists has its neurons and regions.
    """
    frames = tabulate_outcomes(outcomes, voxel_um, known)
    with run.writing() as writer:
        for name in _TABLES:
            writer.save_table(name, frames[name].sort("volume", maintain_order=True))


def tabulate_outcomes(
    outcomes: Iterable[Outcome], voxel_um: VoxelSize, known: Mapping[int, Identities] | None = None
) -> dict[str, pl.DataFrame]:
    """Volumes, regions, neurons and timings of some outcomes, in their order, with the identities that are known."""
    given = known or {}
    parts: dict[str, list[pl.DataFrame]] = {name: [_frame(name, {})] for name in _TABLES}
    for outcome in outcomes:
        for name, columns in _tabulate(outcome, voxel_um, given.get(outcome.volume)).items():
            parts[name].append(_frame(name, columns))
    return {name: pl.concat(frames) for name, frames in parts.items()}


def _frame(name: str, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Columns of a table, those that are not given empty; all frames of a table have the same columns."""
    height = max((len(values) for values in columns.values()), default=0)
    return pl.DataFrame(
        [
            pl.Series(key, columns[key], dtype=column.kind, nan_to_null=True)
            if key in columns
            else pl.Series(key, [None] * height, dtype=column.kind)
            for key, column in RUN_TABLES[name].columns.items()
        ]
    )


def _tabulate(outcome: Outcome, voxel_um: VoxelSize, known: Identities | None) -> dict[str, dict[str, Any]]:
    volume = outcome.volume
    stages = outcome.milliseconds
    tables: dict[str, dict[str, Any]] = {
        "volumes": {
            "volume": [volume],
            "status": [outcome.status],
            "reason": [outcome.reason],
            "flags": [", ".join(outcome.flags)],
            "time_s": [outcome.time_s],
            **{name: [cell] for name, cell in head_to_cells(outcome.head).items()},
        },
        "timings": {
            "volume": [volume] * len(stages),
            "stage": list(stages),
            "milliseconds": [float(value) for value in stages.values()],
        },
    }
    neurons = outcome.neurons
    if neurons is None:
        return tables
    count, regions = len(neurons), neurons.regions
    if known is None:
        known = Identities(np.full(count, -1), np.full(count, np.nan))
    if len(known) != count:
        raise ShapeMismatch(f"volume {volume}: {count} neurons but {len(known)} identities")
    centre_um = neurons.centre_px * np.array(voxel_um)
    tables["neurons"] = {
        "volume": np.full(count, volume),
        "neuron": np.arange(count),
        "identity": known.identity,
        "probability": known.probability,
        **{f"{axis}_px": neurons.centre_px[:, i] for i, axis in enumerate("zyx")},
        **{f"{axis}_um": centre_um[:, i] for i, axis in enumerate("zyx")},
        "z_first": neurons.z_first,
        "z_last": neurons.z_last,
        **_tabulate_intensities(outcome),
        "source": ["machine"] * count,
        "score": neurons.score,
    }
    tables["regions"] = {
        "volume": np.full(len(regions), volume),
        "neuron": regions.neuron,
        "z": regions.z,
        **{edge: regions.box_px[:, i] for i, edge in enumerate("xywh")},
        "score": regions.score,
        "source": ["machine"] * len(regions),
        "intensity": regions.intensity,
    }
    return tables


def _tabulate_intensities(outcome: Outcome) -> dict[str, Any]:
    measured = outcome.intensities
    if measured is None:
        return {}
    if outcome.neurons is None or len(measured) != len(outcome.neurons):
        raise ShapeMismatch(f"volume {outcome.volume}: intensities of {len(measured)} neurons do not fit its neurons")
    return {name: getattr(measured, name) for name in ("red", "green", "background_red", "background_green")}
