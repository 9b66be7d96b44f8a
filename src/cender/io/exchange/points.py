"""``points.csv``: one row per neuron with its place and identity."""

import csv
import io
from pathlib import Path

from cender.errors import DataError
from cender.io.atomic import write_text
from cender.io.exchange.format import ExchangeFormat, Surroundings, mark_partial
from cender.io.results.truth.folder import load_truth
from cender.types import Annotations


def load_points(path: Path, around: Surroundings) -> Annotations:
    """Centres and identities; volumes are taken to be annotated in part, so that the machine's other neurons stay."""
    return mark_partial(load_truth(path))


def save_points(known: Annotations, path: Path) -> None:
    """Write centres, identities, times and names."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; expected the name of a file to write")
    write_text(path, format_points(known))


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


POINTS = ExchangeFormat(
    name="points",
    title="points.csv: volume, z_um, y_um, x_um, identity[, time_s][, name]",
    kept="centres, identities, names, times",
    lost="boxes, heads, probabilities, ratios",
    recognize=lambda path: path.suffix in {".csv", ".parquet"} and "regions" not in path.stem,
    load=load_points,
    save=save_points,
)
