"""``regions.csv``: one row per box."""

import csv
import io
from pathlib import Path

import numpy as np

from cender.io.atomic import write_text
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.header import read_columns
from cender.io.results.tables.checked import load_table
from cender.io.results.tables.schemas import TRUTH_REGIONS
from cender.io.results.truth.folder import load_tables

_COLUMNS = ("volume", "neuron", "z", "x", "y", "w", "h", "identity")
_BOX = {"z", "x", "y", "w", "h"}


def load_regions(path: Path, around: Surroundings) -> Incoming:
    """Boxes with the neurons and identities they belong to; centres follow from the boxes and the voxel size.

    Volumes are taken to be annotated in part, so that the machine's other neurons stay.
    """
    voxel_um = around.require_voxel(f"{path}: boxes are in pixels")
    tables = {"regions": load_table(path, TRUTH_REGIONS)}
    return Incoming(load_tables(path, tables, voxel_um))


def save_regions(out: Outgoing, path: Path) -> None:
    """Write boxes that belong to a neuron."""
    known, text = out.known, io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for volume, one in sorted(known.annotations.items()):
        boxes = one.regions
        for row in range(len(boxes)):
            neuron = int(boxes.neuron[row])
            if neuron >= 0:
                identity = int(one.identity[neuron])
                cells = (volume, neuron, int(boxes.z[row]), *boxes.box_px[row].tolist())
                writer.writerow((*cells, identity if identity >= 0 else ""))
    write_text(path, text.getvalue())


def _recognize(path: Path) -> bool:
    """By its name, or by the columns of a CSV file that is there."""
    if path.suffix not in {".csv", ".parquet"}:
        return False
    return "regions" in path.stem or (path.suffix == ".csv" and set(read_columns(path)) >= _BOX)


REGIONS = ExchangeFormat(
    name="regions",
    title="regions.csv: volume, neuron, z, x, y, w, h[, identity]",
    keeps=("boxes", "identities"),
    note="neurons without a box are left out; centres follow from the boxes",
    recognize=_recognize,
    holds=lambda one: np.isin(np.arange(len(one)), one.regions.neuron),
    lacking="without a box",
    load=load_regions,
    save=save_regions,
    written_as=(".csv",),
)
