"""Rows of tables that people made: who is theirs among the machine's, and neurons that only they saw."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from jaxtyping import Bool, Float

from cender.io.results.tables.schemas import NEURONS, REGIONS, Schema
from cender.types import Regions, VoxelSize


@dataclass(frozen=True, slots=True)
class HumanRows:
    """One volume: which of the machine's neurons a person named, and rows of neurons and boxes to add."""

    volume: int
    named: Bool[np.ndarray, " m"]
    neurons: pl.DataFrame
    regions: pl.DataFrame


def tabulate_human(
    volume: int,
    named: Bool[np.ndarray, " m"],
    centre_um: Float[np.ndarray, "k 3"],
    regions: Regions,
    voxel_um: VoxelSize,
) -> HumanRows:
    """Rows of a volume that a person worked on.

    Parameters
    ----------
    volume
        Its number.
    named
        One entry for each neuron of the machine.
    centre_um
        Neurons to add; they are numbered after the machine's.
    regions
        Boxes of those, by that number; others are left out.
    voxel_um
        Voxel size of the recording.
    """
    first, count = len(named), len(centre_um)
    number = first + np.arange(count)
    centre_px = centre_um / np.array(voxel_um)
    mine = regions.select(regions.neuron >= first)
    middle = np.maximum(np.rint(centre_px[:, 0]), 0).astype(int)
    z_first, z_last = middle.copy(), middle.copy()
    np.minimum.at(z_first, mine.neuron - first, mine.z)
    np.maximum.at(z_last, mine.neuron - first, mine.z)
    neurons = {
        "volume": np.full(count, volume),
        "neuron": number,
        "identity": np.full(count, -1),
        **{f"{axis}_px": centre_px[:, i] for i, axis in enumerate("zyx")},
        **{f"{axis}_um": centre_um[:, i] for i, axis in enumerate("zyx")},
        "z_first": z_first,
        "z_last": z_last,
        "source": ["human"] * count,
    }
    boxes = {
        "volume": np.full(len(mine), volume),
        "neuron": mine.neuron,
        "z": mine.z,
        **{edge: mine.box_px[:, i] for i, edge in enumerate("xywh")},
        "source": ["human"] * len(mine),
    }
    return HumanRows(volume, named, _frame(NEURONS, neurons, count), _frame(REGIONS, boxes, len(mine)))


def add_human(neurons: pl.DataFrame, human: Sequence[HumanRows]) -> pl.DataFrame:
    """The neurons of some volumes with the rows of people, in the order of volumes."""
    if not human:
        return neurons
    source = neurons["source"].to_numpy().astype(object)
    volume = neurons["volume"].to_numpy()
    for one in human:
        rows = np.flatnonzero(volume == one.volume)
        source[rows[one.named]] = "human"
    marked = neurons.with_columns(pl.Series("source", source.tolist(), pl.String))
    return pl.concat([marked, *(one.neurons for one in human)]).sort("volume", maintain_order=True)


def _frame(schema: Schema, columns: dict[str, object], height: int) -> pl.DataFrame:
    return pl.DataFrame(
        [
            pl.Series(name, columns.get(name, [None] * height), column.kind)  # type: ignore[arg-type]
            for name, column in schema.columns.items()
        ]
    )
