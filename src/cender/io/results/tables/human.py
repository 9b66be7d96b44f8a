"""Rows of tables that people made: who is theirs among the machine's, what they changed, and what is no neuron."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from jaxtyping import Bool, Int

from cender.annotate.overlay import Corrected
from cender.io.results.tables.schemas import NEURONS, REGIONS, Schema
from cender.types import Intensities, VoxelSize


@dataclass(frozen=True, slots=True)
class HumanRows:
    """One volume that a person worked on.

    ``named`` are the machine's neurons that a person named. ``neurons`` are rows to put in place of the machine's with
    the same number, or to add. ``refused`` are numbers of what is no neuron. ``regions`` are boxes that people drew, in
    place of all boxes of the neurons ``redrawn``.
    """

    volume: int
    named: Bool[np.ndarray, " m"]
    neurons: pl.DataFrame
    refused: Int[np.ndarray, " r"]
    regions: pl.DataFrame
    redrawn: Int[np.ndarray, " d"]

    @property
    def changes_regions(self) -> bool:
        """Whether boxes of this volume are not as the machine drew them."""
        return bool(self.regions.height or len(self.refused) or len(self.redrawn))


def tabulate_human(one: Corrected, lit: Intensities | None, voxel_um: VoxelSize) -> HumanRows:
    """Rows of a volume that a person worked on; neurons that only they saw are numbered after the machine's.

    ``lit`` are the intensities of all its neurons, None where they were not measured.
    """
    annotation, volume = one.annotation, one.annotation.volume
    rows = np.flatnonzero(one.shaped & ~one.refused | (np.arange(len(annotation)) >= one.found))
    centre_um = annotation.centre_um[rows]
    centre_px = centre_um / np.array(voxel_um)
    regions = annotation.regions
    drawn = regions.select(np.isin(regions.neuron, np.flatnonzero(one.redrawn)))
    z_first, z_last = _find_frames(one, rows, centre_px[:, 0])
    light = {} if lit is None else {name: getattr(lit, name)[rows] for name in _LIGHT}
    neurons = {
        "volume": np.full(len(rows), volume),
        "neuron": rows,
        "identity": np.full(len(rows), -1),
        **{f"{axis}_px": centre_px[:, i] for i, axis in enumerate("zyx")},
        **{f"{axis}_um": centre_um[:, i] for i, axis in enumerate("zyx")},
        "z_first": z_first,
        "z_last": z_last,
        **light,
        "source": ["human"] * len(rows),
    }
    boxes = {
        "volume": np.full(len(drawn), volume),
        "neuron": drawn.neuron,
        "z": drawn.z,
        **{edge: drawn.box_px[:, i] for i, edge in enumerate("xywh")},
        "source": ["human"] * len(drawn),
    }
    return HumanRows(
        volume,
        one.given[: one.found] >= 0,
        _frame(NEURONS, neurons, len(rows)),
        np.flatnonzero(one.refused),
        _frame(REGIONS, boxes, len(drawn)),
        np.flatnonzero(one.redrawn),
    )


def add_human(neurons: pl.DataFrame, human: Sequence[HumanRows]) -> pl.DataFrame:
    """The neurons of some volumes with the rows of people, in the order of volumes and numbers."""
    if not human:
        return neurons
    source = neurons["source"].to_numpy().astype(object)
    volume = neurons["volume"].to_numpy()
    for one in human:
        rows = np.flatnonzero(volume == one.volume)
        source[rows[one.named]] = "human"
    marked = neurons.with_columns(pl.Series("source", source.tolist(), pl.String))
    theirs = pl.concat([one.neurons for one in human])
    kept = marked.join(theirs.select("volume", "neuron"), on=("volume", "neuron"), how="anti")
    return pl.concat([kept, theirs]).sort("volume", "neuron")


def drop_refused(neurons: pl.DataFrame, human: Sequence[HumanRows]) -> pl.DataFrame:
    """The neurons without those that are none."""
    return drop_neurons(neurons, [(one.volume, one.refused) for one in human])


def redraw_human(regions: pl.DataFrame, human: Sequence[HumanRows]) -> pl.DataFrame:
    """The regions of some volumes with the boxes of people, in the order of volumes."""
    gone = [(one.volume, np.union1d(one.refused, one.redrawn)) for one in human]
    kept = drop_neurons(regions, gone)
    theirs = [drop_neurons(one.regions, [(one.volume, one.refused)]) for one in human]
    return pl.concat([kept, *theirs]).sort("volume", maintain_order=True)


_LIGHT = ("red", "green", "background_red", "background_green")


def drop_neurons(table: pl.DataFrame, gone: Sequence[tuple[int, np.ndarray]]) -> pl.DataFrame:
    """Rows of neurons or regions without those of the neurons with these numbers, by volume."""
    pairs = [(volume, int(number)) for volume, numbers in gone for number in numbers]
    if not pairs:
        return table
    listed = pl.DataFrame(pairs, schema={"volume": pl.Int64, "neuron": pl.Int64}, orient="row")
    return table.join(listed, on=("volume", "neuron"), how="anti", maintain_order="left")


def _find_frames(one: Corrected, rows: np.ndarray, z_px: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last frame of some neurons: those of their boxes, else the frame of their centre."""
    regions = one.annotation.regions
    middle = np.maximum(np.rint(z_px), 0).astype(int)
    first, last = middle.copy(), middle.copy()
    for index, row in enumerate(rows):
        frames = regions.z[regions.neuron == row]
        if len(frames):
            first[index], last[index] = frames.min(), frames.max()
    return first, last


def _frame(schema: Schema, columns: dict[str, object], height: int) -> pl.DataFrame:
    return pl.DataFrame(
        [
            pl.Series(name, columns.get(name, [None] * height), column.kind, nan_to_null=True)  # type: ignore[arg-type]
            for name, column in schema.columns.items()
        ]
    )
