"""One row per volume in a table of our own: its time, whether it is complete or flagged, and the head."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cender.errors import DataError
from cender.io.exchange.bounds import check_rows
from cender.io.exchange.format import Outgoing
from cender.io.exchange.nwb.kit import Kit
from cender.io.results.tables.heads import HEAD_COLUMNS, head_from_cells, head_to_cells
from cender.types import Annotation


def tabulate_volumes(kit: Kit, out: Outgoing, times: Mapping[int, float]) -> Any:
    """The table ``Volumes``."""
    volumes = [one for _, one in sorted(out.known.annotations.items())]
    cells = [head_to_cells(one.head) for one in volumes]
    columns = [
        kit.column("volume", "index in the recording, from 0", np.array([one.volume for one in volumes])),
        kit.column("time_s", "middle of the volume", np.array([times[one.volume] for one in volumes])),
        kit.column("complete", "whether every neuron is marked", np.array([one.complete for one in volumes])),
        kit.column("flagged", "whether the volume is doubtful", np.array([one.flagged for one in volumes])),
    ]
    for name in HEAD_COLUMNS:
        found = [one[name] for one in cells]
        data: Any = (
            [word or "" for word in found]
            if name == "outline"
            else np.array([np.nan if value is None else float(value) for value in found])
        )
        words = f"{name} of the head, in pixels of the full frame; NaN or empty where unknown"
        columns.append(kit.column(name, words, data))
    return kit.tables.DynamicTable(name="Volumes", description="one row per volume of the recording", columns=columns)


def add_volumes(
    module: Any, volumes: Mapping[int, Annotation], path: Path
) -> tuple[dict[int, Annotation], dict[int, float]]:
    """Volumes with the heads and completeness of the table, and its times; unchanged where a file has no such table."""
    table = module.get("Volumes")
    if not isinstance(table, h5py.Group) or "volume" not in table:
        return dict(volumes), {}
    where = f"{path}, {table.name}"
    wanted = ("volume", "time_s", "complete", "flagged", *HEAD_COLUMNS)
    columns = {name: read_numbers(table[name], where) for name in wanted if name in table}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1 or len(columns) < len(wanted):
        raise DataError(f"{where}: expected the columns {', '.join(wanted)} of one length")
    found, times = dict(volumes), {}
    for row in range(lengths.pop()):
        cells: dict[str, Any] = {name: column[row] for name, column in columns.items()}
        volume = int(cells["volume"])
        times[volume] = float(cells["time_s"])
        numbers = {name: None if np.isnan(float(cells[name])) else float(cells[name]) for name in HEAD_COLUMNS[:-1]}
        head = head_from_cells({**numbers, "outline": cells["outline"]}, where)
        one = found.get(volume) or Annotation.from_points(volume, np.zeros((0, 3)))
        found[volume] = replace(one, head=head, complete=bool(cells["complete"]), flagged=bool(cells["flagged"]))
    return found, times


def read_numbers(dataset: Any, where: str, columns: int = 0) -> np.ndarray:
    """A column of numbers or words as a whole; ``columns`` of them side by side where it is not 0."""
    check_rows(Path(where), str(dataset.name), int(dataset.size or 0))
    if dataset.ndim != (2 if columns else 1) or (columns and dataset.shape[1] != columns):
        raise DataError(f"{where}, {dataset.name}: expected {columns or 1} values per row, found {dataset.shape}")
    if h5py.check_string_dtype(dataset.dtype) is not None:
        return np.array(dataset.asstr(errors="replace")[()], object)
    return np.asarray(dataset[()])
