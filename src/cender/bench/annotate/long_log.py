"""How long a person waits where much has been said already."""

from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from cender.annotate.edits import Assign
from cender.annotate.marks import Spot
from cender.bench.annotate.waiting import measure_opening
from cender.io.results.annotations.base import FILE_NAME, open_to_write, transaction
from cender.io.results.annotations.rows import Author, record_edit
from cender.web.desk import Desk
from cender.web.queue import list_queue

AUTHOR = "somebody"
"""Who made the edits."""


def measure_long_log(folder: Path, edits: int, seed: int = 0) -> dict[str, Any]:
    """Seconds until a run with so many edits, spread over all of its volumes, is open, and after one edit more."""
    rng = np.random.default_rng(seed)
    _write_edits(folder, edits, rng)
    return {"edits": edits, **measure_opening(folder), **_measure_going_on(folder, rng)}


def _measure_going_on(folder: Path, rng: np.random.Generator) -> dict[str, float]:
    """Seconds that the next volume takes after an edit: its reference and neurons; then identities and the queue."""
    desk = Desk.open(folder)
    desk.describe_run()
    desk.find_reference(0)
    list_queue(desk)
    desk.log.append(AUTHOR, _draw_edit(desk, rng))
    start, begin = perf_counter(), process_time()
    desk.find_reference(0)
    desk.describe_volume(0)
    shown, core_s = perf_counter(), process_time() - begin
    desk.list_identities()
    list_queue(desk)
    listed = perf_counter()
    desk.log.close()
    return {
        "next_s": round(shown - start, 4),
        "next_core_s": round(core_s, 4),
        "queue_again_s": round(listed - shown, 3),
        "queue_again_core_s": round(process_time() - begin - core_s, 3),
    }


def _write_edits(folder: Path, edits: int, rng: np.random.Generator) -> None:
    """Log edits in one transaction: one by one, as people make them, each would wait for the disk."""
    desk, base = Desk.open(folder), open_to_write(folder / FILE_NAME)
    with transaction(base):
        for _ in range(edits):
            record_edit(base, Author(AUTHOR), _draw_edit(desk, rng))
    base.close()


def _draw_edit(desk: Desk, rng: np.random.Generator) -> Assign:
    rows = desk.tables.neurons
    row = int(rng.integers(len(rows.volume)))
    volume = int(rows.volume[row])
    z, y, x = (float(rows.columns[f"{axis}_um"][row]) for axis in "zyx")
    spot = Spot(volume=volume, key=f"m{row - rows.slice(volume).start}", place_um=(z, y, x))
    return Assign(spots=(spot,), identity=int(rng.integers(200)))
