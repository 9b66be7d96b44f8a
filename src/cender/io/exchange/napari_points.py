"""Points layers as napari saves them: ``index, axis-0 … axis-3``, in pixels, with our columns beside them."""

import csv
import io
from pathlib import Path

import numpy as np
import polars as pl

from cender.errors import DataError
from cender.io.atomic import write_text
from cender.io.cut_off import refuse_cut_off
from cender.io.exchange.bounds import check_rows, check_text_size
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings
from cender.io.exchange.header import read_columns
from cender.io.exchange.points import gather_points
from cender.types import Annotations

_AXES = tuple(f"axis-{place}" for place in range(4))
"""Columns of napari's points: volume, z, y and x."""


def load_napari(path: Path, around: Surroundings) -> Incoming:
    """Points ``t z y x`` in pixels; a column ``identity`` or ``label`` of whole numbers is the identity."""
    voxel_um = around.require_voxel(f"{path}: points are in pixels")
    check_text_size(path)
    refuse_cut_off(path)
    table = pl.read_csv(path, infer_schema_length=None)
    check_rows(path, "points", table.height)
    if not set(_AXES) <= set(table.columns):
        raise DataError(f"{path}: expected napari's points of four axes (t, z, y, x), found {', '.join(table.columns)}")
    places = table.select(
        pl.col(name).cast(pl.Float64, strict=False).fill_null(float("nan")) for name in _AXES
    ).to_numpy()
    if not np.isfinite(places).all() or (places[:, 0] != np.rint(places[:, 0])).any():
        raise DataError(f"{path}: expected numbers, and whole ones as axis-0, which counts volumes")
    named = next(
        (name for name in ("identity", "label") if name in table.columns and table[name].dtype.is_integer()), ""
    )
    identity = table[named].fill_null(-1).to_numpy() if named else np.full(table.height, -1)
    names: dict[int, str] = {}
    if "name" in table.columns and named:
        rows = zip(identity.tolist(), table["name"].to_list(), strict=True)
        names = {number: str(name).strip() for number, name in rows if number >= 0 and name}
    centre_um = places[:, 1:] * np.array(voxel_um)
    volumes = gather_points(places[:, 0].astype(np.int64), centre_um, identity.astype(np.int64), around, path)
    others = [name for name in table.columns if name not in {"index", "name", named, *_AXES}]
    left = (f"columns {', '.join(others)}",) if others else ()
    return Incoming(Annotations(str(path), voxel_um, around.rate_hz, volumes, names=names), left)


def save_napari(out: Outgoing, path: Path) -> None:
    """Write points in pixels with identity, probability and name."""
    voxel = np.array(out.around.require_voxel(f"{out.folder}: napari's points are in pixels"))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("index", *_AXES, "identity", "probability", "name"))
    index = 0
    for volume, one in sorted(out.known.annotations.items()):
        places = (one.centre_um / voxel).tolist()
        for place, identity, chance in zip(places, one.identity.tolist(), one.probability.tolist(), strict=True):
            writer.writerow((index, volume, *place, identity, chance, out.known.names.get(identity, "")))
            index += 1
    write_text(path, text.getvalue())


def _recognize(path: Path) -> bool:
    if path.suffix.lower() != ".csv":
        return False
    if not path.is_file():
        return "napari" in path.stem.lower()
    return _AXES[0] in read_columns(path)


NAPARI = ExchangeFormat(
    name="napari",
    title="a points layer of napari: index, axis-0 … axis-3",
    keeps=("centres", "identities", "names", "probabilities"),
    recognize=_recognize,
    load=load_napari,
    save=save_napari,
    written_as=(".csv",),
    note="probabilities are written, not taken back; has napari in its name when it is written",
)
