"""The list of formats, and how one is chosen: add a format by adding its file and one line here."""

from pathlib import Path

from cender.errors import UnsupportedFormat
from cender.io.exchange.authors_benchmark import BENCHMARK
from cender.io.exchange.authors_formats import BOXES, RESULTS, ROIS
from cender.io.exchange.authors_heads import HEADS
from cender.io.exchange.fdnc import FDNC
from cender.io.exchange.format import ExchangeFormat
from cender.io.exchange.geff_file import GEFF
from cender.io.exchange.napari_points import NAPARI
from cender.io.exchange.nerve import NERVE
from cender.io.exchange.nwb.format import NWB
from cender.io.exchange.points import POINTS
from cender.io.exchange.regions import REGIONS
from cender.io.exchange.traces import TRACES
from cender.io.exchange.trackmate import TRACKMATE
from cender.io.exchange.truth import TRUTH
from cender.io.exchange.zephir import ZEPHIR

EXCHANGE_FORMATS: tuple[ExchangeFormat, ...] = (
    NWB, ZEPHIR, *TRACES, NAPARI, TRACKMATE, GEFF, NERVE, FDNC, BOXES, RESULTS, ROIS, BENCHMARK, HEADS, REGIONS,
    POINTS, TRUTH,
)  # fmt: skip
"""The first that recognizes a path is taken, so that special ones stand before general ones."""


def choose_format(path: Path, name: str | None = None) -> ExchangeFormat:
    """The format of this name, else the first that recognizes the path."""
    if name is not None:
        for one in EXCHANGE_FORMATS:
            if one.name == name:
                return one
        raise UnsupportedFormat(f"unknown format {name!r}; there are {', '.join(one.name for one in EXCHANGE_FORMATS)}")
    for one in EXCHANGE_FORMATS:
        if one.recognize(path):
            return one
    known = "; ".join(f"{one.name} ({one.title})" for one in EXCHANGE_FORMATS)
    raise UnsupportedFormat(f"{path}: no known format; give one with --format. There are: {known}")
