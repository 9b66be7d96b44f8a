"""The results of a run, in the form in which they are compared with a truth."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cender.errors import DataError, ShapeMismatch
from cender.io.results.folder.run_folder import RunFolder, open_folder
from cender.io.results.tables.heads import head_from_cells
from cender.types import Annotation, Annotations, Regions, VoxelSize


def load_run(path: Path | str) -> Annotations:
    """What a run says of its recording: an annotation for every volume, and the ratio of every identity.

    A flagged or failed volume is ``flagged``; a failed one has no neurons. The probability is 1 where a
    neuron has none. Voxel size and rate are those of ``[recording]``; names come from ``identities.csv``.
    """
    run = open_folder(Path(path))
    volumes, neurons = run.load_table("volumes"), run.load_table("neurons")
    regions = run.load_table("regions") if run.has_table("regions") else None
    for name, table in (("neurons", neurons), ("regions", regions)):
        if table is not None:
            _refuse_strangers(run, name, table, volumes)
    settings = run.load_settings()
    voxel, rate = load_scale(run)
    if regions is not None and regions.height and voxel is None:
        raise DataError(
            f"{run.path / 'run.toml'}, recording.voxel_um: expected [z, y, x] in µm, without which boxes have no "
            "place, found nothing; every run writes it, so run it again"
        )
    neurons_of = split_volumes(neurons.sort("volume", "neuron"))
    regions_of = {} if regions is None else split_volumes(regions)
    annotations, times = {}, {}
    for row in volumes.iter_rows(named=True):
        volume = row["volume"]
        annotations[volume] = annotate_volume(run.path, row, neurons_of.get(volume), regions_of.get(volume), voxel)
        if row["time_s"] is not None and not np.isnan(row["time_s"]):
            times[volume] = row["time_s"]
    provenance = {
        "cender": str(settings.get("cender", "")),
        "source": str(settings.get("recording", {}).get("source", "")),
    }
    return Annotations(str(run.path), voxel, rate, annotations, _load_ratio(run), run.load_names(), times, provenance)


def load_centres(run: RunFolder) -> Iterator[Annotation]:
    """Centres and identities of the neurons of a run, volume by volume."""
    rows = pl.scan_parquet(run.path / "neurons.parquet", glob=False).select(
        "volume", "identity", "z_um", "y_um", "x_um"
    )
    for frame in rows.collect().partition_by("volume", maintain_order=True):
        centre = frame.select("z_um", "y_um", "x_um").to_numpy()
        yield Annotation.from_points(int(frame["volume"][0]), centre, frame["identity"].to_numpy())


def load_scale(run: RunFolder) -> tuple[VoxelSize | None, float | None]:
    """Voxel size and rate of the recording of a run, as far as they are known."""
    recording = run.load_settings().get("recording", {})
    voxel, rate = recording.get("voxel_um"), recording.get("rate_hz")
    if voxel is not None and not (isinstance(voxel, list) and len(voxel) == 3 and all(map(_is_size, voxel))):
        raise DataError(f"{run.path / 'run.toml'}, recording.voxel_um: expected [z, y, x] in µm, found {voxel!r}")
    if rate is not None and not _is_size(rate):
        raise DataError(f"{run.path / 'run.toml'}, recording.rate_hz: expected a number above 0, found {rate!r}")
    return None if voxel is None else VoxelSize(*map(float, voxel)), None if rate is None else float(rate)


def _is_size(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _load_ratio(run: RunFolder) -> dict[tuple[int, int], float]:
    if not run.has_table("traces"):
        return {}
    traces = run.load_table("traces")
    rows = traces.select("identity", "volume", pl.when("valid").then("ratio").fill_null(float("nan")))
    return {(identity, volume): ratio for identity, volume, ratio in rows.iter_rows()}


def _refuse_strangers(run: RunFolder, name: str, table: pl.DataFrame, volumes: pl.DataFrame) -> None:
    strangers = table.join(volumes, on="volume", how="anti")["volume"]
    if len(strangers):
        raise ShapeMismatch(
            f"{run.path / f'{name}.parquet'} has volume {strangers[0]}, which volumes.parquet does not list; "
            f"`cender run {run.path}` makes them anew"
        )


def split_volumes(table: pl.DataFrame) -> dict[int, pl.DataFrame]:
    """The rows of every volume, by volume."""
    parts = table.partition_by("volume", maintain_order=True)
    return {int(part["volume"][0]): part for part in parts}


def annotate_volume(
    folder: Path,
    row: dict[str, Any],
    neurons: pl.DataFrame | None,
    regions: pl.DataFrame | None,
    voxel_um: VoxelSize | None,
) -> Annotation:
    """What the rows of one volume say; ``folder`` names their home in messages."""
    volume = row["volume"]
    labels = np.zeros(0, int) if neurons is None else neurons["neuron"].to_numpy()
    boxes = Regions.empty() if regions is None else _read_regions(folder, regions, labels)
    head = head_from_cells(row, f"{folder / 'volumes.parquet'}, volume {volume}")
    flagged = row["status"] != "ok"
    if neurons is None:
        none = np.zeros(0)
        return Annotation(volume, np.zeros((0, 3)), none.astype(int), none, boxes, head, True, flagged, voxel_um)
    probability = neurons["probability"].fill_null(1.0).fill_nan(1.0).to_numpy()
    centre = neurons.select("z_um", "y_um", "x_um").to_numpy()
    identity = neurons["identity"].to_numpy()
    return Annotation(volume, centre, identity, probability, boxes, head, True, flagged, voxel_um)


def _read_regions(folder: Path, table: pl.DataFrame, labels: np.ndarray) -> Regions:
    neuron = table["neuron"].to_numpy()
    unknown = (neuron >= 0) & ~np.isin(neuron, labels)
    if unknown.any():
        raise ShapeMismatch(
            f"{folder / 'regions.parquet'}, volume {table['volume'][0]}: neuron {neuron[unknown][0]} "
            f"is not in neurons.parquet; `cender run {folder}` makes them anew"
        )
    rows = np.where(neuron >= 0, np.searchsorted(labels, neuron), -1)
    score = table["score"].fill_null(float("nan")).to_numpy()
    missing = pl.Series([None] * len(table), dtype=pl.Float64)
    intensity = (table["intensity"] if "intensity" in table.columns else missing).fill_null(float("nan"))
    return Regions(
        table["z"].to_numpy(), table.select("x", "y", "w", "h").to_numpy(), score, rows, intensity.to_numpy()
    )
