"""``points.csv``: one row per neuron with its place and identity."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from cender.errors import DataError
from cender.io.atomic import write_text
from cender.io.exchange.bounds import check_inside
from cender.io.exchange.format import ExchangeFormat, Incoming, Outgoing, Surroundings, mark_partial
from cender.io.results.truth.folder import load_truth
from cender.types import Annotation, Annotations


def load_points(path: Path, around: Surroundings) -> Incoming:
    """Centres and identities; volumes are taken to be annotated in part, so that the machine's other neurons stay."""
    return Incoming(mark_partial(load_truth(path)))


def save_points(out: Outgoing, path: Path) -> None:
    """Write centres, identities, times and names."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; expected the name of a file to write")
    write_text(path, format_points(out.known))


def format_points(known: Annotations) -> str:
    """Centres, identities, times and names as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("volume", "z_um", "y_um", "x_um", "identity", "time_s", "name"))
    for volume, one in sorted(known.annotations.items()):
        for place, identity in zip(one.centre_um.tolist(), one.identity.tolist(), strict=True):
            time = known.time_s.get(volume, "")
            writer.writerow((volume, *place, identity if identity >= 0 else "", time, known.names.get(identity, "")))
    return text.getvalue()


def gather_points(
    volume: Int[np.ndarray, " n"],
    centre_um: Float[np.ndarray, "n 3"],
    identity: Int[np.ndarray, " n"],
    around: Surroundings,
    path: Path,
) -> dict[int, Annotation]:
    """Rows of a table of points as volumes, annotated in part.

    Refused where an identity is in a volume twice, or a place is not finite or lies outside of the images.
    """
    if not len(volume):
        raise DataError(f"{path} says nothing: there is no neuron in it")
    if (volume < 0).any():
        raise DataError(f"{path}: expected volumes from 0 on, found {int(volume.min())}")
    if not np.isfinite(centre_um).all():
        raise DataError(f"{path}: expected finite places, found {centre_um[~np.isfinite(centre_um)][0]}")
    check_inside(centre_um, around, str(path))
    order = np.lexsort((identity, volume))
    found = {}
    for rows in np.split(order, np.flatnonzero(np.diff(volume[order])) + 1):
        number, known = int(volume[rows[0]]), identity[rows]
        repeated = np.flatnonzero((np.diff(known) == 0) & (known[1:] >= 0))
        if len(repeated):
            raise DataError(f"{path}, volume {number}: identity {known[repeated[0]]} is there twice; keep one of them")
        found[number] = replace(Annotation.from_points(number, centre_um[rows], known), complete=False)
    return found


POINTS = ExchangeFormat(
    name="points",
    title="points.csv: volume, z_um, y_um, x_um, identity[, time_s][, name]",
    keeps=("centres", "identities", "names", "times"),
    recognize=lambda path: path.suffix in {".csv", ".parquet"} and "regions" not in path.stem,
    load=load_points,
    save=save_points,
    written_as=(".csv",),
)
