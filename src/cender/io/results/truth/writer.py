"""Truth written volume by volume, and put in place as a whole at the end."""

import csv
import logging
import math
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import tomlkit

import cender
from cender.errors import DataError
from cender.io.atomic import write_atomically, write_text
from cender.io.results.folder.format import FORMAT
from cender.io.results.tables.heads import HEAD_COLUMNS, head_to_cells
from cender.io.results.tables.schemas import TRUTH_TABLES
from cender.types import Annotation, VoxelSize

_LOG = logging.getLogger(__name__)
_COLUMNS = {
    "volumes": ("volume", "time_s", "complete", "flagged"),
    "regions": ("volume", "neuron", "z", "x", "y", "w", "h", "identity"),
    "points": ("volume", "z_um", "y_um", "x_um", "identity", "neuron", "time_s", "name"),
    "heads": ("volume", *HEAD_COLUMNS),
    "traces": ("volume", "identity", "ratio"),
}


class TruthWriter:
    """Writes a truth folder while it is being made; nothing of it is in memory but file buffers.

    Use it in a ``with`` block. The tables appear when the block ends well, ``truth.toml`` last, so that a
    folder is either complete or not a truth folder at all. Where the block raises, nothing appears.

    Parameters
    ----------
    path
        The folder, made where it does not exist; other files in it (a recording) are left alone.
    voxel_um, rate_hz
        Of the recording the truth belongs to; the voxel size is that of its volumes unless it is given.
    names
        Cell names by identity.
    provenance
        Where it comes from: seed, preset hash and the like; the version of cender is added.
    overwrite
        Replace a truth folder that is there already instead of refusing.
    """

    def __init__(
        self,
        path: Path,
        *,
        voxel_um: VoxelSize | None = None,
        rate_hz: float | None = None,
        names: Mapping[int, str] | None = None,
        provenance: Mapping[str, object] | None = None,
        overwrite: bool = False,
    ) -> None:
        if (path / "truth.toml").exists() and not overwrite:
            raise DataError(f"{path} holds a truth already; choose another folder or remove that one")
        self.path = path
        self._names = dict(names or {})
        self._named: set[int] = set()
        self._volumes: set[int] = set()
        self._root: dict[str, Any] = {"voxel_um": voxel_um and list(voxel_um), "rate_hz": rate_hz}
        self._provenance = {"cender": cender.__version__} | {k: str(v) for k, v in (provenance or {}).items()}
        self._places = ExitStack()
        self._files = ExitStack()
        self._rows: dict[str, Any] = {}

    def __enter__(self) -> "TruthWriter":
        self.path.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Windows cannot rename open files, so all of them are closed before the first takes its place.
        self._files.close()
        if error is None:
            self._remove_old()
        self._places.__exit__(kind, error, trace)
        if error is None:
            self._save_root()

    def add(
        self, annotation: Annotation, *, time_s: float | None = None, ratio: Mapping[int, float] | None = None
    ) -> None:
        """Write one volume: its neurons, head and time, and the true ratio by identity.

        What is in a truth folder is held to be true: probabilities, scores and intensities are not kept. A
        neuron whose centre is not known (NaN) has only its boxes.
        """
        volume = annotation.volume
        if volume in self._volumes:
            raise DataError(f"{self.path}: volume {volume} is added twice")
        self._volumes.add(volume)
        if self._root["voxel_um"] is None and annotation.voxel_um is not None:
            self._root["voxel_um"] = list(annotation.voxel_um)
        self._write("volumes", [(volume, _clean(time_s), annotation.complete, annotation.flagged)])
        self._write_points(annotation, _clean(time_s))
        self._write_regions(annotation)
        if annotation.head is not None:
            self._write("heads", [(volume, *head_to_cells(annotation.head).values())])
        self.add_ratio(volume, ratio or {})

    def add_ratio(self, volume: int, ratio: Mapping[int, float]) -> None:
        """Write the true ratio by identity of one volume, which need not be annotated."""
        self._write("traces", ((volume, int(i), _clean(float(value))) for i, value in ratio.items()))

    def _write_points(self, annotation: Annotation, time_s: float | None) -> None:
        points = zip(annotation.centre_um.tolist(), annotation.identity.tolist(), strict=True)
        rows = []
        for neuron, (centre, identity) in enumerate(points):
            if not all(map(math.isfinite, centre)):
                continue
            rows.append((annotation.volume, *centre, identity, neuron, time_s, self._names.get(identity)))
            self._named.add(identity)
        self._write("points", rows)

    def _write_regions(self, annotation: Annotation) -> None:
        regions, identity = annotation.regions, annotation.identity.tolist()
        columns = zip(regions.neuron.tolist(), regions.z.tolist(), regions.box_px.tolist(), strict=True)
        self._write(
            "regions",
            (
                (annotation.volume, neuron, z, *box, identity[neuron] if neuron >= 0 else -1)
                for neuron, z, box in columns
            ),
        )

    def _write(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        for row in rows:
            if table not in self._rows:
                part = self._places.enter_context(write_atomically(self.path / f"{table}.csv"))
                file = self._files.enter_context(part.open("w", encoding="utf-8", newline=""))
                self._rows[table] = csv.writer(file, lineterminator="\n")
                self._rows[table].writerow(_COLUMNS[table])
            self._rows[table].writerow(_format(cell) for cell in row)

    def _remove_old(self) -> None:
        """Remove the truth that is being replaced, its root first: from here on it is not a truth folder."""
        (self.path / "truth.toml").unlink(missing_ok=True)
        for table in TRUTH_TABLES:
            for suffix in (".csv", ".parquet"):
                (self.path / f"{table}{suffix}").unlink(missing_ok=True)

    def _save_root(self) -> None:
        document = tomlkit.document()
        document.add("format", tomlkit.item(FORMAT))
        for key, value in self._root.items():
            if value is not None:
                document.add(key, tomlkit.item(value))
        document.add("holds", tomlkit.item([table for table in TRUTH_TABLES if table in self._rows]))
        unseen = {str(i): name for i, name in sorted(self._names.items()) if i not in self._named}
        if unseen:
            document.add("names", tomlkit.item(unseen))
        document.add("provenance", tomlkit.item(self._provenance))
        write_text(self.path / "truth.toml", tomlkit.dumps(document))
        _LOG.info("truth of %d volumes written to %s", len(self._volumes), self.path)


def _clean(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _format(cell: Any) -> Any:
    return str(cell).lower() if isinstance(cell, bool) else cell
