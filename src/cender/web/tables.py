"""The tables of a run as the page needs them: one volume at once, one identity at once, all volumes in short."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from jaxtyping import Float, Int

from cender.errors import DataError
from cender.io import RunFolder
from cender.types import Annotation, Crop, Regions, VoxelSize
from cender.types.doubt import UNSURE_BELOW

PARTS = 24
"""Parts of the recording for which a list says how often an identity appears."""
_NEURONS = ("identity", "probability", "z_um", "y_um", "x_um", "z_px", "y_px", "x_px")
_BOXES = ("neuron", "z", "x", "y", "w", "h", "intensity")


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of a table sorted by volume, so that a volume is a slice of each."""

    volume: Int[np.ndarray, " n"]
    columns: dict[str, Any]

    @classmethod
    def read(cls, frame: pl.DataFrame, names: tuple[str, ...], order: tuple[str, ...]) -> "Rows":
        """Take columns of a table, in this order within a volume."""
        keys = [frame[name].to_numpy() for name in ("volume", *order)]
        # Runs write them in order; sorting millions of boxes would make people wait.
        ordered = frame if _is_ordered(keys) else frame.sort("volume", *order)
        return cls(ordered["volume"].to_numpy(), {name: ordered[name].to_numpy() for name in names})

    def slice(self, volume: int) -> slice:
        """The rows of one volume."""
        first, stop = np.searchsorted(self.volume, (volume, volume + 1))
        return slice(int(first), int(stop))


def _is_ordered(keys: Sequence[np.ndarray]) -> bool:
    """Whether rows ascend by the first key, then by the next."""
    open_ = np.ones(max(len(keys[0]) - 1, 0), bool)
    for key in keys:
        step = np.diff(key)
        if (step[open_] < 0).any() or (step != step).any():
            return False
        open_ &= step == 0
    return True


@dataclass(frozen=True, slots=True)
class Found:
    """What the machine found in one volume: neurons in the order of the table, boxes with the row of their neuron."""

    centre_um: Float[np.ndarray, "m 3"]
    centre_px: Float[np.ndarray, "m 3"]
    identity: Int[np.ndarray, " m"]
    probability: Float[np.ndarray, " m"]
    owner: Int[np.ndarray, " b"]
    box_z: Int[np.ndarray, " b"]
    box_px: Float[np.ndarray, "b 4"]
    intensity: Float[np.ndarray, " b"]

    def annotate(self, volume: int, voxel_um: VoxelSize) -> Annotation:
        """The same as a volume without identities, as recognizers take it."""
        count, boxes = len(self.identity), len(self.box_z)
        regions = Regions(self.box_z, self.box_px, np.full(boxes, np.nan), self.owner, self.intensity)
        return Annotation(volume, self.centre_um, np.full(count, -1), np.zeros(count), regions, voxel_um=voxel_um)

    def rows(self) -> "FoundRows":
        """The same as plain numbers, rounded as a page needs them."""
        boxes: list[list[list[float]]] = [[] for _ in range(len(self.identity))]
        drawn = np.round(self.box_px, 2).tolist()
        for row, z, box in zip(self.owner.tolist(), self.box_z.tolist(), drawn, strict=True):
            if row >= 0:
                boxes[row].append([z, *box])
        probability = np.round(self.probability, 4).tolist()
        return FoundRows(np.round(self.centre_um, 4).tolist(), self.identity.tolist(), probability, boxes)


class FoundRows(NamedTuple):
    """Place (``z y x`` in µm), identity, probability and boxes (``z x y w h``) of every neuron."""

    place_um: list[list[float]]
    identity: list[int]
    probability: list[float]
    boxes: list[list[list[float]]]


@dataclass(frozen=True, slots=True)
class RunTables:
    """Everything that the last run left of volumes and neurons, read once; ``table`` is that of neurons as it was."""

    volumes: pl.DataFrame
    table: pl.DataFrame
    neurons: Rows
    number: Int[np.ndarray, " n"]
    regions: Rows

    @classmethod
    def read(cls, run: RunFolder) -> "RunTables":
        """Read the tables of a run folder that every volume needs."""
        if not run.has_table("volumes") or not run.has_table("neurons"):
            raise DataError(f"{run.path} has no results yet; `cender run {run.path}` makes them")
        neurons = run.load_table("neurons")
        rows = Rows.read(neurons, (*_NEURONS, "neuron"), ("neuron",))
        empty: dict[str, list[float]] = {name: [] for name in ("volume", *_BOXES)}
        boxes = run.load_table("regions") if run.has_table("regions") else pl.DataFrame(empty)
        if "intensity" not in boxes.columns:
            boxes = boxes.with_columns(intensity=pl.lit(None, pl.Float64))
        volumes = run.load_table("volumes").sort("volume")
        return cls(volumes, neurons, rows, rows.columns["neuron"], Rows.read(boxes, _BOXES, ("neuron", "z")))

    def found(self, volume: int) -> Found:
        """The machine's neurons of a volume."""
        rows, boxes = self.neurons.slice(volume), self.regions.slice(volume)
        column = self.neurons.columns
        um, px = (
            np.stack([np.asarray(column[f"{axis}_{unit}"][rows], float) for axis in "zyx"], axis=1)
            for unit in ("um", "px")
        )
        number, owner = self.number[rows], self.regions.columns["neuron"][boxes]
        row = np.searchsorted(number, owner) if len(number) else np.full(len(owner), -1)
        row = np.where((owner >= 0) & (row < len(number)), row, -1)
        box = np.stack([np.asarray(self.regions.columns[name][boxes], float) for name in "xywh"], axis=1)
        return Found(
            um,
            px,
            np.asarray(column["identity"][rows], int),
            np.nan_to_num(np.asarray(column["probability"][rows], float)),
            row.astype(int),
            np.asarray(self.regions.columns["z"][boxes], int),
            box,
            np.asarray(self.regions.columns["intensity"][boxes], float),
        )

    def crops(self) -> dict[int, Crop]:
        """The head's crop of every volume that has one."""
        columns = ("crop_x", "crop_y", "crop_w", "crop_h")
        rows = self.volumes.select("volume", *columns).drop_nulls().iter_rows()
        return {int(volume): Crop(*map(int, box)) for volume, *box in rows if box[2] > 0 and box[3] > 0}

    def summarize(self) -> dict[str, list[Any]]:
        """All volumes in short, column by column: number, time, status, neurons, doubtful ones."""
        volume = self.volumes["volume"].to_numpy()
        first = np.searchsorted(self.neurons.volume, volume)
        stop = np.searchsorted(self.neurons.volume, volume, side="right")
        unsure = self.neurons.columns["probability"] < UNSURE_BELOW
        doubtful = np.concatenate([[0], np.cumsum(unsure | (self.neurons.columns["identity"] < 0))])
        time_s = self.volumes["time_s"].fill_null(float("nan")).to_numpy()
        return {
            "volume": volume.tolist(),
            "time_s": [None if np.isnan(one) else round(float(one), 3) for one in time_s],
            "status": self.volumes["status"].to_list(),
            "neurons": (stop - first).tolist(),
            "doubtful": (doubtful[stop] - doubtful[first]).tolist(),
        }

    def summarize_presence(self) -> dict[int, str]:
        """Where each identity appears: one digit per part of the recording, 9 where it is in all of its volumes."""
        number, column = self.volumes["volume"].to_numpy(), self.neurons.columns["identity"]
        parts = min(PARTS, max(len(number), 1))
        part = np.minimum(np.arange(len(number)) * parts // max(len(number), 1), parts - 1)
        known = np.flatnonzero(column >= 0)
        identity = np.flatnonzero(np.bincount(column[known]))
        place = np.searchsorted(identity, column[known])
        row = part[np.searchsorted(number, self.neurons.volume[known])]
        seen = np.bincount(place * parts + row, minlength=len(identity) * parts).reshape(-1, parts)
        share = seen / np.maximum(np.bincount(part, minlength=parts), 1)
        digits = np.where(seen > 0, np.clip(np.ceil(9 * share), 1, 9), 0).astype(int)
        return {int(one): "".join(map(str, line)) for one, line in zip(identity, digits.tolist(), strict=True)}
