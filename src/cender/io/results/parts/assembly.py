"""The tables of a run folder, made from parts: streamed, so that memory does not grow with the recording."""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from cender.errors import DataError, ShapeMismatch
from cender.io.atomic import PART_SUFFIX, explain_failure, flush_file, flush_folder
from cender.io.results.folder.run_results import annotate_volume, split_volumes
from cender.io.results.parts.store import Part
from cender.io.results.tables.checked import check_table
from cender.io.results.tables.human import HumanRows, add_human, drop_neurons, drop_refused, redraw_human
from cender.io.results.tables.schemas import RUN_TABLES, Schema
from cender.types import Annotation, Identities, VoxelSize

_ROOM = f".tables{PART_SUFFIX}"
"""Folder in which tables are made before they take their places."""
# The order in which tables take their places: what is listed in volumes has its neurons and regions.
_ORDER = ("timings", "regions", "neurons", "volumes")


def load_annotations(parts: Iterable[Part], chosen: set[int], voxel_um: VoxelSize) -> Iterator[Annotation]:
    """What the volume pass found in each of the chosen volumes, in order."""
    for part in parts:
        frames = {name: _load(part, name, chosen) for name in ("volumes", "neurons", "regions")}
        neurons, regions = split_volumes(frames["neurons"]), split_volumes(frames["regions"])
        for row in frames["volumes"].iter_rows(named=True):
            volume = row["volume"]
            yield annotate_volume(part.path, row, neurons.get(volume), regions.get(volume), voxel_um)


def load_column(
    parts: Iterable[Part], chosen: set[int], name: Literal["score", "red"], unknown: float
) -> dict[int, np.ndarray]:
    """A column of the neurons of the volume pass, by volume; ``unknown`` stands where nothing is said."""
    found = {}
    for part in parts:
        for volume, rows in split_volumes(_load(part, "neurons", chosen)).items():
            found[volume] = rows[name].cast(pl.Float64).fill_null(unknown).fill_nan(unknown).to_numpy()
    return found


@contextmanager
def assemble_tables(
    folder: Path, dropped: Mapping[int, np.ndarray], added: Mapping[int, Mapping[str, pl.DataFrame]]
) -> Iterator["Assembly"]:
    """Give a hidden room in a run folder for new tables, which take their places together when the block ends well.

    ``dropped`` are numbers of what is no neuron after all, ``added`` rows of neurons and regions that were found after
    the volume pass, both by volume.
    """
    room = folder / _ROOM
    shutil.rmtree(room, ignore_errors=True)
    try:
        with explain_failure(folder):
            room.mkdir()
            assembly = Assembly(room, dropped, added)
            yield assembly
            assembly.place()
    except pl.exceptions.PolarsError as error:
        raise DataError(f"cannot write the tables of {folder}: {error}; the old ones are still there") from error
    finally:
        shutil.rmtree(room, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Assembly:
    """New tables being made in a room of their own."""

    room: Path
    dropped: Mapping[int, np.ndarray] = field(default_factory=dict)
    """Numbers of what the volume pass found but is no neuron after all, by volume."""
    added: Mapping[int, Mapping[str, pl.DataFrame]] = field(default_factory=dict)
    """Rows of neurons and regions that were found after the volume pass, by volume and table."""

    def join_parts(self, name: str, parts: Sequence[Part], chosen: set[int]) -> None:
        """One table out of those of the parts."""
        self._sink(name, [part.table(name) for part in parts], chosen)

    def join_volumes(
        self,
        parts: Sequence[Part],
        chosen: set[int],
        failed: pl.DataFrame,
        times_s: Mapping[int, float],
        said: Mapping[int, Mapping[str, object]],
        few: Mapping[int, str],
    ) -> pl.DataFrame:
        """The table of volumes, with those that could not be read, and with the recording's times as they are now.

        ``said`` are cells that people decide, by volume and column; ``few`` says why volumes have few neurons.
        """
        frames = [_load(part, "volumes", chosen) for part in parts]
        joined = pl.concat([*frames, failed]).sort("volume")
        times = pl.Series("time_s", [times_s[volume] for volume in joined["volume"]], pl.Float64, nan_to_null=True)
        joined = _lay_cells(_flag_few(joined.with_columns(times), few), said)
        self.save("volumes", joined)
        return joined

    def join_regions(self, parts: Sequence[Part], chosen: set[int], human: Mapping[int, HumanRows]) -> None:
        """The table of regions, with those that people drew."""
        files, made = [], []
        for number, part in enumerate(parts):
            said = [one for one in _find_human(part, human) if one.changes_regions]
            path, gone, more = part.table("regions"), self._find_dropped(part), self._find_added(part, "regions")
            if said or gone or more:
                path = self.room / f"{number:07d}.parquet"
                frame = redraw_human(drop_neurons(_load(part, "regions", chosen), gone), said)
                frame = pl.concat([frame, *more]).sort("volume", maintain_order=True)
                check_table(frame, RUN_TABLES["regions"], str(part.path)).write_parquet(path)
                made.append(path)
            files.append(path)
        self._sink("regions", files, chosen)
        for path in made:
            path.unlink()

    def join_neurons(
        self,
        parts: Sequence[Part],
        chosen: set[int],
        known: Mapping[int, Identities],
        human: Mapping[int, HumanRows],
    ) -> pl.DataFrame:
        """The table of neurons with their identities, and those that only people saw; returns what traces are made of.

        ``known`` has the identities of both.
        """
        seen, files = [], []
        for number, part in enumerate(parts):
            said = _find_human(part, human)
            frame = add_human(_load(part, "neurons", chosen), said)
            frame = drop_neurons(drop_refused(_identify(frame, known), said), self._find_dropped(part))
            frame = pl.concat([frame, *self._find_added(part, "neurons")]).sort("volume", "neuron")
            path = self.room / f"{number:07d}.parquet"
            check_table(frame, RUN_TABLES["neurons"], str(part.path)).write_parquet(path)
            files.append(path)
            seen.append(
                frame.select("volume", "identity", "probability", "red", "green").filter(pl.col("identity") >= 0)
            )
        self._sink("neurons", files, chosen)
        for path in files:
            path.unlink()
        return pl.concat(seen)

    def save(self, name: str, frame: pl.DataFrame) -> None:
        """A table that is in memory."""
        check_table(frame, RUN_TABLES[name], name).write_parquet(self.room / f"{name}.parquet")

    def save_csv(self, name: str, frame: pl.DataFrame, schema: Schema | None = None) -> None:
        """A table for people, as CSV."""
        (frame if schema is None else check_table(frame, schema, name)).write_csv(self.room / name)

    def place(self) -> None:
        """Flush every file and put it in place of the old one."""
        names = [f"{name}.parquet" for name in _ORDER]
        files = sorted(self.room.iterdir(), key=lambda path: (path.name not in names, path.name))
        ordered = [self.room / name for name in names if (self.room / name).exists()]
        ordered += [path for path in files if path not in ordered]
        for path in ordered:
            flush_file(path)
        for path in ordered:
            path.replace(self.room.parent / path.name)
        flush_folder(self.room.parent)

    def _find_dropped(self, part: Part) -> list[tuple[int, np.ndarray]]:
        volumes = range(part.first, part.stop)
        return [(volume, self.dropped[volume]) for volume in volumes if volume in self.dropped]

    def _find_added(self, part: Part, name: str) -> list[pl.DataFrame]:
        return [self.added[volume][name] for volume in range(part.first, part.stop) if volume in self.added]

    def _sink(self, name: str, files: Sequence[Path], chosen: set[int]) -> None:
        target = self.room / f"{name}.parquet"
        if not files:
            columns = {key: column.kind for key, column in RUN_TABLES[name].columns.items()}
            pl.DataFrame(schema=columns).write_parquet(target)
            return
        rows = pl.scan_parquet(list(files), glob=False)
        rows.filter(pl.col("volume").is_in(sorted(chosen))).sink_parquet(target)


def _load(part: Part, name: str, chosen: set[int]) -> pl.DataFrame:
    frame = pl.read_parquet(part.table(name), memory_map=False)
    if all(volume in chosen for volume in range(part.first, part.stop)):
        return frame
    return frame.filter(pl.col("volume").is_in(sorted(chosen)))


def _find_human(part: Part, human: Mapping[int, HumanRows]) -> list[HumanRows]:
    return [human[volume] for volume in range(part.first, part.stop) if volume in human]


def _flag_few(volumes: pl.DataFrame, few: Mapping[int, str]) -> pl.DataFrame:
    """The table with these volumes flagged, beside whatever else they are flagged for."""
    if not few:
        return volumes
    mine = pl.col("volume").is_in(sorted(few))
    words = pl.col("volume").replace_strict(dict(few), default="", return_dtype=pl.String)

    def add(name: str, more: pl.Expr, between: str) -> pl.Expr:
        before = pl.col(name).fill_null("")
        joined = pl.when(before == "").then(more).otherwise(pl.concat_str([before, more], separator=between))
        return pl.when(mine).then(joined).otherwise(pl.col(name)).alias(name)

    return volumes.with_columns(
        pl.when(mine).then(pl.lit("flagged")).otherwise("status").alias("status"),
        add("reason", words, "; "),
        add("flags", pl.lit("few neurons"), ", "),
    )


def _lay_cells(volumes: pl.DataFrame, said: Mapping[int, Mapping[str, object]]) -> pl.DataFrame:
    """The table of volumes with these cells instead."""
    for name in sorted({name for cells in said.values() for name in cells} & set(volumes.columns)):
        own = {volume: cells[name] for volume, cells in said.items() if name in cells}
        column = [own.get(volume, old) for volume, old in zip(volumes["volume"], volumes[name], strict=True)]
        volumes = volumes.with_columns(pl.Series(name, column, volumes.schema[name]))
    return volumes


def _identify(neurons: pl.DataFrame, known: Mapping[int, Identities]) -> pl.DataFrame:
    counts = neurons.group_by("volume", maintain_order=True).len()
    identity, probability = [np.zeros(0, int)], [np.zeros(0)]
    for volume, count in counts.iter_rows():
        given = known.get(volume)
        if given is None:
            given = Identities(np.full(count, -1), np.full(count, np.nan))
        if len(given) != count:
            raise ShapeMismatch(f"volume {volume}: {count} neurons but {len(given)} identities")
        identity.append(given.identity)
        probability.append(given.probability)
    return neurons.with_columns(
        pl.Series("identity", np.concatenate(identity), pl.Int64),
        pl.Series("probability", np.concatenate(probability), pl.Float64, nan_to_null=True),
    )
