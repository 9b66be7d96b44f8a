"""Files of the first format, in which an edit was a whole volume before and after."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from cender.annotate.edits import SetVolume
from cender.annotate.marks import Box, Mark
from cender.io.results.annotations.rows import Author, record_edit


def migrate_first_format(base: sqlite3.Connection, schema: Sequence[str]) -> None:
    """Turn a file of the first format into one of the second, inside the caller's transaction.

    Every old edit becomes one that lays down a volume, under its author and time; the old log stays as ``edits_1``.
    """
    for trigger in ("edits_stay", "edits_last"):
        base.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    for table in ("regions", "neurons", "volumes"):
        base.execute(f"DROP TABLE {table}")
    base.execute("ALTER TABLE edits RENAME TO edits_1")
    for statement in schema:
        base.execute(statement)
    rows = base.execute("SELECT time, author, volume, after FROM edits_1 ORDER BY edit").fetchall()
    for time, author, volume, after in rows:
        record_edit(base, Author(author, time), _read_volume(volume, json.loads(after)))
    base.execute("UPDATE about SET format = 2")


def _read_volume(volume: int, after: Mapping[str, Any] | None) -> SetVolume:
    if after is None:
        return SetVolume(volume=volume)
    boxes: dict[int, list[Box]] = {}
    for one in after["regions"]:
        box = Box(**{name: one[name] for name in "zxywh"})
        boxes.setdefault(one["neuron"], []).append(box)
    marks = tuple(
        Mark(
            key=f"h{one['neuron']}",
            centre_um=(one["z_um"], one["y_um"], one["x_um"]),
            boxes=tuple(boxes[one["neuron"]]) if one["neuron"] in boxes else None,
            identity=None if one["identity"] < 0 else one["identity"],
        )
        for one in after["neurons"]
    )
    return SetVolume(volume=volume, marks=marks, complete=after["complete"])
