"""Truth folders: what people, simulators and other labs know of a recording."""

import difflib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pydantic import Field, ValidationError

from cender.errors import DataError, UnsupportedFormat
from cender.io.results.folder.format import FORMAT, load_root, refuse_newer
from cender.io.results.folder.names import check_names
from cender.io.results.tables.checked import load_table
from cender.io.results.tables.heads import head_from_cells
from cender.io.results.tables.schemas import TRUTH_POINTS, TRUTH_TABLES
from cender.io.results.truth.join import join_neurons
from cender.io.results.truth.writer import TruthWriter
from cender.types import Annotation, Annotations, Head, Params, VoxelSize


class TruthRoot(Params):
    """What ``truth.toml`` says of a truth folder."""

    format: int
    voxel_um: tuple[float, float, float] | None = Field(None, description="voxel size in micrometres: [z, y, x]")
    rate_hz: float | None = Field(None, gt=0, description="volumes per second")
    holds: tuple[str, ...] = Field((), description="the tables that must be there")
    complete: bool | None = Field(None, description="whether every neuron of the annotated volumes is marked")
    names: dict[int, str] = Field({}, description="cell names of identities, beside those of the points table")
    provenance: dict[str, Any] = Field({}, description="where it comes from: seed, preset hash, version")


def load_truth(path: Path | str, voxel_um: VoxelSize | None = None, *, complete: bool = False) -> Annotations:
    """Read a truth folder, or a bare points table.

    A neuron's centre is that of the points table. Without a point it is the mean of the centres of its boxes,
    all weighing the same, its z the mean of their frames. Points and boxes belong together by ``neuron`` where the
    points have that column, otherwise by identity.

    A volume is complete as the volumes table says, else as ``complete`` of ``truth.toml`` says, but never where neither
    the volumes table nor a box nor a point mentions it. A bare points table cannot say it.

    Parameters
    ----------
    path
        The folder, its ``truth.toml``, or the table.
    voxel_um
        The voxel size of the recording, for boxes whose ``truth.toml`` does not say it.
    complete
        Whether every neuron is marked in a bare points table.

    Raises
    ------
    UnsupportedFormat
        The folder is of a newer format, or of an older one that is not known.
    DataError
        Something in it is missing, malformed or contradicts something else.
    """
    path = Path(path)
    if path.is_file() and path.name != "truth.toml":
        points = load_table(path, TRUTH_POINTS)
        return _assemble(path, TruthRoot(format=FORMAT, complete=complete), {"points": points})
    folder = path.parent if path.name == "truth.toml" and path.is_file() else path
    root = load_truth_root(folder)
    if root.voxel_um is None:
        root = root.model_copy(update={"voxel_um": voxel_um})
    tables = {}
    for name, schema in TRUTH_TABLES.items():
        files = [f for suffix in (".csv", ".parquet") if (f := folder / f"{name}{suffix}").is_file()]
        if len(files) > 1:
            raise DataError(f"{folder} holds {files[0].name} and {files[1].name}; remove the one that is not true")
        if files:
            tables[name] = load_table(files[0], schema)
        elif name in root.holds:
            raise DataError(
                f"{folder} should hold {name}.csv or {name}.parquet (holds of truth.toml); neither is there"
            )
    if not tables:
        raise DataError(f"{folder} holds no table; expected some of {', '.join(f'{n}.csv' for n in TRUTH_TABLES)}")
    return _assemble(folder, root, tables)


def load_tables(path: Path, tables: Mapping[str, pl.DataFrame], voxel_um: VoxelSize) -> Annotations:
    """Annotations out of tables of a truth folder without a ``truth.toml``, not complete; ``path`` is their home."""
    return _assemble(path, TruthRoot(format=FORMAT, voxel_um=voxel_um, complete=False), tables)


def save_truth(truth: Annotations, path: Path | str, *, overwrite: bool = False) -> None:
    """Write a truth folder of CSV tables; probabilities, scores and intensities are not part of one."""
    ratio: dict[int, dict[int, float]] = defaultdict(dict)
    for (identity, volume), value in truth.ratio.items():
        ratio[volume][identity] = value
    with TruthWriter(
        Path(path),
        voxel_um=truth.voxel_um,
        rate_hz=truth.rate_hz,
        names=truth.names,
        provenance=truth.provenance,
        overwrite=overwrite,
    ) as writer:
        for volume in sorted(truth.annotations):
            writer.add(truth.annotations[volume], time_s=truth.time_s.get(volume), ratio=ratio.pop(volume, None))
        for volume in sorted(ratio):
            writer.add_ratio(volume, ratio[volume])


def load_truth_root(folder: Path) -> TruthRoot:
    """What the ``truth.toml`` of a truth folder says."""
    path = folder / "truth.toml"
    values = load_root(path, "truth")
    refuse_newer(values["format"], path, "truth")
    if values["format"] != FORMAT:
        raise UnsupportedFormat(
            f"{path}: there is no truth folder of format {values['format']}; write format = {FORMAT} "
            "if the tables are those of the documentation (data model, truth folder)"
        )
    known = list(TruthRoot.model_fields)
    for key in values:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1) or [f"known are {', '.join(known)}"]
            raise DataError(f"{path}: unknown key {key!r}; did you mean {close[0]!r}?")
    try:
        return TruthRoot.model_validate(values)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise DataError(f"{path}, {where}: {problem['msg']} (found {problem['input']!r})") from None


def _assemble(path: Path, root: TruthRoot, tables: Mapping[str, pl.DataFrame]) -> Annotations:
    voxel = None if root.voxel_um is None else VoxelSize(*root.voxel_um)
    cells = {name: dict(_by_volume(table)) for name, table in tables.items()}
    listed, heads = cells.get("volumes", {}), cells.get("heads", {})
    boxes, points = cells.get("regions", {}), cells.get("points", {})
    annotations, times = {}, {}
    for volume in sorted({*listed, *heads, *boxes, *points}):
        where = f"{path}, volume {volume}"
        centre, identity, regions = join_neurons(points.get(volume), boxes.get(volume), voxel, where)
        said = listed.get(volume, {})
        complete = _first(said.get("complete"))
        if complete is None:
            annotated = volume in listed or volume in boxes or volume in points
            complete = annotated and _require_complete(root, where)
        annotations[volume] = Annotation(
            volume,
            centre,
            identity,
            np.ones(len(identity)),
            regions,
            _head(heads.get(volume), where),
            bool(complete),
            bool(_first(said.get("flagged"))),
            voxel,
        )
        time = _only_time((said, points.get(volume, {})), where)
        if time is not None:
            times[volume] = time
    ratio = {}
    if "traces" in tables:
        columns = (tables["traces"][name].to_numpy() for name in ("identity", "volume", "ratio"))
        ratio = {(int(i), int(v)): float(r) for i, v, r in zip(*columns, strict=True)}
    provenance = {key: str(value) for key, value in root.provenance.items()}
    names = _collect_names(tables.get("points"), root.names, path)
    return Annotations(str(path), voxel, root.rate_hz, annotations, ratio, names, times, provenance)


def _require_complete(root: TruthRoot, where: str) -> bool:
    """What the folder says of all its volumes: counted as false, or learnt as background, is what nothing marks."""
    if root.complete is None:
        raise DataError(
            f"{where}: expected to be told whether every neuron is marked; write `complete = true` into truth.toml if "
            "so, or `complete = false` if some are not, or give the volumes table a column complete"
        )
    return root.complete


def _by_volume(table: pl.DataFrame) -> Iterator[tuple[int, dict[str, Any]]]:
    """The columns of every volume's rows, as arrays (numbers) or series (all else)."""
    ordered = table.sort("volume", maintain_order=True)
    columns = {c: s.to_numpy() if s.dtype.is_numeric() else s for c, s in zip(table.columns, ordered, strict=True)}
    if not len(ordered):
        return
    volumes, starts = np.unique(ordered["volume"].to_numpy(), return_index=True)
    for volume, first, stop in zip(volumes, starts, [*starts[1:], len(ordered)], strict=True):
        yield int(volume), {name: values[first:stop] for name, values in columns.items()}


def _head(row: Mapping[str, Any] | None, where: str) -> Head | None:
    return None if row is None else head_from_cells({name: _first(cells) for name, cells in row.items()}, where)


def _first(cells: Any) -> Any:
    """The first cell of a column of one volume, None where it is empty."""
    value = None if cells is None else cells[0]
    return None if isinstance(value, float) and np.isnan(value) else value


def _only_time(rows: tuple[Mapping[str, Any], ...], where: str) -> float | None:
    times = np.concatenate([np.asarray(row["time_s"], float) for row in rows if "time_s" in row] or [np.zeros(0)])
    known = np.unique(times[~np.isnan(times)])
    if len(known) > 1:
        raise DataError(f"{where}: a volume has one time_s, found {', '.join(f'{t:g}' for t in known[:3])}")
    return float(known[0]) if len(known) else None


def _collect_names(points: pl.DataFrame | None, names: Mapping[int, str], path: Path) -> dict[int, str]:
    collected = dict(names)
    if points is None or "name" not in points.columns:
        return collected
    said = points.select("identity", "name").drop_nulls().filter((pl.col("identity") >= 0) & (pl.col("name") != ""))
    for identity, name in said.unique(maintain_order=True).iter_rows():
        if collected.setdefault(identity, name) != name:
            raise DataError(f"{path}: identity {identity} is named {collected[identity]!r} and {name!r}")
    check_names(collected, path)
    return collected
