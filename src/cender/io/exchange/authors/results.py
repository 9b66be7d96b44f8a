"""Results of the authors' program: one JSON file per volume, all counted from 1."""

from pathlib import Path

from cender.io.exchange.authors.layout import (
    Box,
    build_volume,
    expect_boxes,
    gather_volumes,
    list_numbered,
    load_mapping,
)
from cender.io.exchange.format import ExchangeFormat, Incoming, Surroundings


def load_result(path: Path) -> list[Box]:
    """Boxes of one volume: ``{identity: [[x0, y0, x1, y1, z]]}``."""
    return [
        (int(z) - 1, float(x0 - 1), float(y0 - 1), float(x1 - x0), float(y1 - y0), int(identity) - 1)
        for identity, boxes in load_mapping(path).items()
        for x0, y0, x1, y1, z, *_ in expect_boxes(boxes, path, 5)
    ]


def load_results(path: Path, around: Surroundings) -> Incoming:
    """One file, or a folder of ``001.json``, ``002.json`` … counted from 1."""
    files = list_numbered(path, "001.json, 002.json")
    return gather_volumes(path, [build_volume(int(file.stem) - 1, load_result(file), file) for file in files], around)


RESULTS = ExchangeFormat(
    name="authors-results",
    title="results of the paper's program: 001.json, or a folder of them",
    keeps=("centres", "boxes", "identities"),
    recognize=lambda path: path.suffix == ".json" and path.stem.isdigit(),
    load=load_results,
)
